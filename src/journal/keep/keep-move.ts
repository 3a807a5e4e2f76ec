import type { ChangeReceipt, Environment, FileInfo, MoveOptions } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import type { Change, EntryState } from "../../contract/history.ts";
import { ownRealPath } from "../../contract/own-real-path.ts";
import { isStale } from "../../system/file-errors.ts";
import { nothing } from "../entry-states.ts";
import type { BeforeImages } from "./before-images.ts";
import { type CallChanges, fileState, isUnchanged } from "./call-changes.ts";
import { keepEntry } from "./keep-entry.ts";
import { refusing } from "./refusing.ts";
import { whileStale } from "./while-stale.ts";

/** `Environment.move`, kept: what is moved lies at its new place, so only what is replaced is copied. */
export async function keepMove(
  environment: Environment,
  from: string,
  to: string,
  options: MoveOptions,
  { images, record }: { readonly images: BeforeImages; readonly record: CallChanges },
): Promise<void> {
  await whileStale(async () => {
    const { source, target } = await prepare().catch(
      refusing((announcing) => environment.move(from, to, { ...options, ...announcing })),
    );
    await environment.move(from, to, {
      ...options,
      announce: (effects) => {
        const [leaving, arriving] = effects.slice(-2) as [ChangeReceipt, ChangeReceipt];
        if (!isUnchanged(source.info, leaving.before)) throw isStale(from, "changed");
        if (!isUnchanged(target?.info, arriving.before)) throw isStale(to, target ? "changed" : "there");
        const ends = [record.nameOf(leaving.realPath), record.nameOf(arriving.realPath)] as const;
        record.record([...record.made(effects.slice(0, -2)), ...changesOf(ends, source.state, target)]);
        options.announce?.(effects);
      },
    });
  });

  async function prepare(): Promise<{ readonly source: MovedEntry; readonly target: KeptEntry | undefined }> {
    const info = await environment.info(from, { followLinks: false });
    const source = { info, state: await stateOf(info) };
    const replaced = options.replace === true ? await infoAt(to) : undefined;
    if (replaced === undefined || replaced.kind === "directory") return { source, target: undefined };
    const entry = { realPath: await ownRealPath(environment, to), info: replaced };
    return { source, target: { ...entry, ...(await keepEntry(environment, entry, images, options.signal)) } };
  }

  async function stateOf(info: FileInfo): Promise<EntryState | undefined> {
    if (info.kind === "directory") return { kind: "directory", mode: info.mode };
    if (info.kind === "file" && info.bytes > maxHashedBytes) return fileState(info, "");
    if (info.kind !== "other") return environment.state(await ownRealPath(environment, from));
    images.lose(from, "it is a FIFO, device or socket");
    return undefined;
  }

  async function infoAt(path: string): Promise<FileInfo | undefined> {
    try {
      return await environment.info(path, { followLinks: false });
    } catch (error) {
      if (error instanceof ToolError && error.code === "not-found") return undefined;
      throw error;
    }
  }
}

interface MovedEntry {
  readonly info: FileInfo;
  /** Undefined when there are no words for it. */
  readonly state: EntryState | undefined;
}

interface KeptEntry extends MovedEntry {
  readonly lost?: string | undefined;
}

function changesOf(
  [from, to]: readonly [string, string],
  moved: EntryState | undefined,
  replaced: KeptEntry | undefined,
): readonly Change[] {
  if (moved === undefined) return [];
  const lost = replaced?.lost === undefined ? {} : { lost: replaced.lost };
  return [
    { path: from, before: moved, after: nothing, moved: to },
    { path: to, before: replaced?.state ?? nothing, after: moved, moved: from, ...lost },
  ];
}

/** To rename a larger file must not take longer because it is on record. */
const maxHashedBytes = 64 * 1024 * 1024;
