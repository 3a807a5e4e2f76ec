import type { Environment } from "../contract/environment.ts";
import type { KeptOutput, Outputs } from "../contract/output.ts";
import { openOutputFile } from "../environment/output-file.ts";
import { newIdentifier } from "../text/identifier.ts";

/** Keeps outputs that were too long to show. Their handles can be given to tools instead of a path. */
export interface OutputStore extends Outputs {
  /** Keeps the whole text and answers with its handle, `out_…`. */
  keep(text: string): Promise<string>;
}

export interface OutputStoreOptions {
  /** Leaves secrets out of a text that comes in pieces. */
  readonly redacting: () => { push(piece: string): string; end(): string };
  /** How much of one output is kept. */
  readonly maxBytes: number;
}

/** A store in the folder that `files` is rooted at; what is older than a week is removed at the first use. */
export function openOutputStore(files: Environment, options: OutputStoreOptions): OutputStore {
  let tidied: Promise<void> | undefined;
  const tidy = () => {
    tidied ??= removeOld(files);
    return tidied;
  };
  return {
    keep: async (text) => {
      await tidy();
      const handle = newIdentifier("out");
      await files.writeFile(handle, Buffer.from(text), { durable: false, mode: 0o600 });
      return handle;
    },
    begin: () => beginOutput(files.workspace, tidy, options),
  };
}

/** One output, in the order of its pieces. */
function beginOutput(
  folder: string,
  tidy: () => Promise<void>,
  { redacting, maxBytes }: OutputStoreOptions,
): KeptOutput {
  const handle = newIdentifier("out");
  const file = openOutputFile(folder, handle);
  const redacted = redacting();
  let keptBytes = 0;
  let isFull = false;
  let last = tidy().catch(() => {});
  const append = async (text: string) => {
    if (isFull || text === "") return;
    const { kept, bytes } = fitting(text, maxBytes - keptBytes);
    try {
      await file.append(kept);
      keptBytes += bytes;
      isFull = kept.length < text.length;
    } catch {
      isFull = true;
    }
  };
  return {
    handle,
    get isFull() {
      return isFull;
    },
    write: (text) => {
      last = last.then(() => (isFull ? undefined : append(redacted.push(text))));
      return last;
    },
    end: async ({ keep }) => {
      await last;
      if (keep) await append(redacted.end());
      await (keep && keptBytes > 0 ? file.close() : file.remove());
      return { keptBytes, isWhole: !isFull };
    },
  };
}

/** As much of a text as so many bytes hold, whole lines where that is possible. */
function fitting(text: string, maxBytes: number): { readonly kept: string; readonly bytes: number } {
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxBytes) return { kept: text, bytes };
  const part = Buffer.from(text).subarray(0, maxBytes);
  const end = part.lastIndexOf(newline) + 1;
  const kept = part.subarray(0, end).toString();
  return { kept, bytes: end };
}

const newline = 0x0a;

const keptForMs = 7 * 24 * 60 * 60 * 1000;

/** Another process may tidy at the same time, and somebody may have put things there: whatever resists stays. */
async function removeOld(files: Environment): Promise<void> {
  const directory = await files.openDirectory(".");
  try {
    for (const { name } of await directory.entries()) {
      const info = await directory.info(name).catch(() => undefined);
      const isOld = info !== undefined && info.modifiedMs < Date.now() - keptForMs;
      if (isOld) await files.delete(name).catch(() => undefined);
    }
  } finally {
    directory.close();
  }
}
