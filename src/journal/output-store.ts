import type { Environment, FileInfo } from "../contract/environment.ts";
import type { Outputs, StoredOutput } from "../contract/output.ts";
import { evidenceMs, supportedTime } from "../lib/clock.ts";
import { newIdentifier } from "../lib/identifier.ts";
import { openOutputFile } from "../system/output-file.ts";

/** Stores outputs that are too long to show. Tools accept their handles as paths. */
export interface OutputStore extends Outputs {
  /** Stores the whole text and returns its handle, `out_…`. */
  keep(text: string): Promise<string>;
}

export interface OutputStoreOptions {
  readonly redacting: () => { push(piece: string): string; end(): string };
  readonly maxBytes: number;
  /** The limit of all outputs together; the oldest are deleted first. Default: 1 GB. */
  readonly maxTotalBytes?: number;
}

/** Opens a store in the workspace of `files`. Deletes old outputs on first use, and whenever much has been added. */
export function openOutputStore(files: Environment, options: OutputStoreOptions): OutputStore {
  const { maxTotalBytes = 1024 ** 3 } = options;
  let tidied = Promise.resolve();
  let addedBytes = Number.POSITIVE_INFINITY;
  const tidy = () => {
    if (addedBytes > maxTotalBytes / 4) {
      addedBytes = 0;
      tidied = removeOld(files, maxTotalBytes);
    }
    return tidied;
  };
  const added = (bytes: number) => {
    addedBytes += bytes;
  };
  return {
    keep: async (text) => {
      await tidy();
      const handle = newIdentifier("out");
      await files.writeFile(handle, Buffer.from(text), { durable: false, mode: 0o600 });
      added(text.length);
      return handle;
    },
    begin: () => beginOutput(files.workspace, options, tidy(), added),
  };
}

/** Writes one output in the order of its pieces. */
function beginOutput(
  folder: string,
  { redacting, maxBytes }: OutputStoreOptions,
  tidied: Promise<void>,
  added: (bytes: number) => void,
): StoredOutput {
  const handle = newIdentifier("out");
  const file = openOutputFile(folder, handle);
  const redacted = redacting();
  let keptBytes = 0;
  let isFull = false;
  let isLost = false;
  let last = tidied.catch(() => {});
  const append = async (text: string) => {
    if (isFull || text === "") return;
    const { kept, bytes } = fitting(text, maxBytes - keptBytes);
    try {
      await file.append(kept);
      keptBytes += bytes;
      added(bytes);
      isFull = kept.length < text.length;
    } catch {
      isFull = true;
      isLost = true;
      keptBytes = 0;
      // The output is removed, because on a full disk the journal could not record this call and would refuse later ones.
      await file.remove().catch(() => {});
    }
  };
  return {
    handle,
    get isFull() {
      return isFull;
    },
    get isLost() {
      return isLost;
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

/** Returns the beginning of a text that fits in `maxBytes`, in whole lines. */
function fitting(text: string, maxBytes: number): { readonly kept: string; readonly bytes: number } {
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxBytes) return { kept: text, bytes };
  const part = Buffer.from(text).subarray(0, maxBytes);
  const end = part.lastIndexOf("\n") + 1;
  return { kept: part.subarray(0, end).toString(), bytes: end };
}

const keptForMs = 7 * 24 * 60 * 60 * 1000;

/**
 * Deletes outputs older than a week, and the oldest over the limit. Ignores failures: another process may do the same.
 */
async function removeOld(files: Environment, maxTotalBytes: number): Promise<void> {
  let totalBytes = 0;
  const outputs = await newestFirst(files);
  const now = Date.now();
  const evidence = outputs.find(({ modifiedMs }) => modifiedMs <= now - evidenceMs)?.modifiedMs;
  const oldest = supportedTime(now, evidence) - keptForMs;
  for (const { name, bytes, modifiedMs } of outputs) {
    totalBytes += bytes;
    if (totalBytes > maxTotalBytes || modifiedMs < oldest) await files.delete(name).catch(() => undefined);
  }
}

async function newestFirst(files: Environment): Promise<readonly (FileInfo & { readonly name: string })[]> {
  const directory = await files.openDirectory(".");
  try {
    const entries = (await directory.entries()).map(async ({ name }) => {
      const info = await directory.info(name).catch(() => undefined);
      return info === undefined ? [] : [{ ...info, name }];
    });
    return (await Promise.all(entries)).flat().sort((one, other) => other.modifiedMs - one.modifiedMs);
  } finally {
    directory.close();
  }
}
