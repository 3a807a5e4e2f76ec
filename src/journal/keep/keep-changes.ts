import { posix } from "node:path";
import type * as contract from "../../contract/environment.ts";
import type { ChangeReceipt, Environment, FileChange, FileInfo } from "../../contract/environment.ts";
import type { Change, EntryState } from "../../contract/history.ts";
import { contentHash } from "../../lib/bytes/content-hash.ts";
import { ownRealPath } from "../../lib/own-real-path.ts";
import { isStale } from "../../system/file-errors.ts";
import { isSameState, nothing } from "../entry-states.ts";
import type { Journal } from "../journal.ts";
import type { BeforeImages } from "./before-images.ts";

/** Does `Environment.change` with recording. Each change names the hash of its old content, which is stored. */
export async function keepChanges(
  environment: Environment,
  changes: readonly FileChange[],
  options: contract.ChangeOptions,
  { images, record }: Keeping,
): Promise<readonly ChangeReceipt[]> {
  const kept: StoredEnds[] = [];
  for (const change of changes) kept.push(await keepEnds(environment, change, images, options.signal));
  return environment.change(changes, {
    ...options,
    announce: (effects) => {
      const made = effects.slice(0, effects.length - changes.length);
      const receipts = effects.slice(made.length);
      record.record([
        ...record.made(made),
        ...receipts.map((receipt, index) => toChange(record, receipt, changes[index]!, kept[index]!)),
      ]);
      return options.announce?.(effects);
    },
  });
}

export interface Keeping {
  readonly images: BeforeImages;
  readonly record: CallChanges;
}

interface StoredEnds {
  /** The state of a link that is removed. */
  readonly link: EntryState | undefined;
  readonly lost: string | undefined;
  /** The hash of the new content; undefined when the environment computes it. */
  readonly afterHash: string | undefined;
}

async function keepEnds(
  environment: Environment,
  change: FileChange,
  images: BeforeImages,
  signal: AbortSignal | undefined,
): Promise<StoredEnds> {
  const { path, before, after } = change;
  const afterHash = after === "nothing" ? undefined : await images.keepNew(after);
  const link = after === "nothing" ? await linkAt(environment, path) : undefined;
  if (link !== undefined || before === "nothing" || images.has(before))
    return { link, lost: undefined, afterHash };
  const old = (await images.keepRead(path, before)) ?? (await images.keep(path, signal));
  if (old === undefined) throw isStale(path, "gone");
  if (old.hash !== before && old.hash !== "") throw isStale(path, "changed");
  return { link, lost: old.lost, afterHash };
}

async function linkAt(environment: Environment, path: string): Promise<EntryState | undefined> {
  const isLink = await environment.info(path, { followLinks: false }).then(
    ({ kind }) => kind === "link",
    // The change itself will report this error.
    () => false,
  );
  return isLink ? environment.state(await ownRealPath(environment, path)) : undefined;
}

function toChange(
  record: CallChanges,
  { realPath, before, after, afterHash: knownHash }: contract.Effect,
  change: FileChange,
  { link, lost, afterHash = knownHash }: StoredEnds,
): Change {
  return {
    path: record.nameOf(realPath),
    before: before === undefined ? nothing : (link ?? fileState(before, change.before)),
    after:
      after === undefined ? nothing : fileState(after, afterHash ?? contentHash(change.after as Uint8Array)),
    lost,
    hardLinks: change.hardLinks === "keep" ? "keep" : undefined,
  };
}

/** Records the changes of one call. Paths are absolute and real. */
export class CallChanges {
  readonly #workspace: string;
  readonly #record: (changes: readonly Change[]) => void;

  constructor(environment: Environment, journal: Pick<Journal, "change">, callId: string) {
    this.#workspace = environment.workspace;
    this.#record = (changes) => journal.change(callId, changes);
  }

  /** Records changes at once, before they are made. Skips changes without effect. */
  record(changes: readonly Change[]): void {
    const real = changes.filter(
      (change) => change.lost !== undefined || !isSameState(change.before, change.after),
    );
    if (real.length > 0) this.#record(real);
  }

  /** Returns the path relative to the workspace, as records store it. */
  nameOf(path: string): string {
    return posix.relative(this.#workspace, posix.resolve(this.#workspace, path));
  }

  /** Returns the directories that are created for a change. */
  made(effects: readonly ChangeReceipt[]): readonly Change[] {
    return effects.map(({ realPath, after }) => ({
      path: this.nameOf(realPath),
      before: nothing,
      after: { kind: "directory", mode: after?.mode ?? 0 },
    }));
  }
}

export function fileState(info: FileInfo, hash: string): EntryState {
  return { kind: "file", hash, bytes: info.bytes, mode: info.mode };
}

/** Returns whether an entry is unchanged since it was stored. */
export function isUnchanged(kept: FileInfo | undefined, now: FileInfo | undefined): boolean {
  if (kept === undefined || now === undefined) return kept === now;
  // The content of a directory is compared entry by entry.
  if (kept.kind === "directory") return now.kind === "directory";
  return kept.kind === now.kind && kept.bytes === now.bytes && kept.modifiedMs === now.modifiedMs;
}
