import { posix } from "node:path";
import type { ChangeReceipt, Environment, FileInfo } from "../../contract/environment.ts";
import type { Change, EntryState } from "../../contract/history.ts";
import { isSameState, nothing } from "../entry-states.ts";
import type { Journal } from "../journal.ts";

/** Writes down what one call changes. Paths are as the environment tells them: absolute and real. */
export class CallChanges {
  readonly #workspace: string;
  readonly #record: (changes: readonly Change[]) => void;

  constructor(environment: Environment, journal: Pick<Journal, "change">, callId: string) {
    this.#workspace = environment.workspace;
    this.#record = (changes) => journal.change(callId, changes);
  }

  /** At once, before it is done. What would change nothing is left out. */
  record(changes: readonly Change[]): void {
    const real = changes.filter(
      (change) => change.lost !== undefined || !isSameState(change.before, change.after),
    );
    if (real.length > 0) this.#record(real);
  }

  /** A path as changes name it. */
  nameOf(path: string): string {
    return posix.relative(this.#workspace, posix.resolve(this.#workspace, path));
  }

  /** The directories that are made for something. */
  made(effects: readonly ChangeReceipt[]): readonly Change[] {
    return effects.map(({ realPath, after }) => ({
      path: this.nameOf(realPath),
      before: nothing,
      after: { kind: "directory", mode: after?.mode ?? 0 },
    }));
  }
}

/** A regular file of which the environment tells `info`. */
export function fileState(info: FileInfo, hash: string): EntryState {
  return { kind: "file", hash, bytes: info.bytes, mode: info.mode };
}

/** Whether an entry is still what it was when it was kept. */
export function isUnchanged(kept: FileInfo | undefined, now: FileInfo | undefined): boolean {
  if (kept === undefined || now === undefined) return kept === now;
  // Whatever is done in a directory is told entry by entry.
  if (kept.kind === "directory") return now.kind === "directory";
  return kept.kind === now.kind && kept.bytes === now.bytes && kept.modifiedMs === now.modifiedMs;
}
