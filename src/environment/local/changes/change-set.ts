import { setTimeout } from "node:timers/promises";
import type { ChangeOptions, ChangeReceipt, Effect, FileChange } from "../../../contract/environment.ts";
import { ToolError } from "../../../contract/error.ts";
import { throwIfAborted } from "../../../lib/async/abort.ts";
import { monotonicMs } from "../../../lib/clock.ts";
import { asToolError, errnoOf, isStale } from "../../../system/file-errors.ts";
import type { Pinning } from "../../../system/pinning.ts";
import { newTemporaryId } from "../../../system/temporary-file.ts";
import { withSlash } from "../../../system/workspace-path.ts";
import { refuseOverlaps } from "../../check-requests.ts";
import { missingAbove } from "../files/locate-entry.ts";
import type { NamedPath } from "../files/read-file.ts";
import { tidyOnce } from "../files/write-file.ts";
import {
  ChangeRecord,
  type HeldStep,
  type Phase,
  syncDirectories,
  tidy,
  undoSteps,
} from "./change-record.ts";
import { ChangedFile, findTarget, refuseSharedFiles, refuseUnlikely, type Target } from "./changed-file.ts";
import type { FileStep } from "./file-step.ts";

/** Implements Environment.change. `nameOf` checks a path as the caller spelled it. */
export async function changeFiles(
  changes: readonly FileChange[],
  options: ChangeOptions & {
    readonly pinning: Pinning;
    readonly nameOf: (path: string) => NamedPath;
    readonly records: ChangeRecords | undefined;
    readonly tidied: Set<string>;
  },
): Promise<readonly ChangeReceipt[]> {
  const { pinning, nameOf, durable = true, signal, records, tidied } = options;
  throwIfAborted(signal);
  const files: ChangedFile[] = [];
  try {
    for (const change of changes) files.push(new ChangedFile(pinning, find(pinning, change, nameOf)));
    const targets = files.map(({ target }) => target);
    refuseOverlaps(targets);
    refuseSharedFiles(targets);
    refuseUnlikely(targets);
    const announce = () => options.announce?.([...madeFor(files), ...files.map(effectOf)]);
    await new ChangeSet(files, { durable, signal, records, tidied, announce }).make(pinning.root);
    return files.map((file) => file.receipt());
  } finally {
    for (const file of files) file.close();
  }
}

function effectOf(file: ChangedFile): Effect {
  return { ...file.receipt(), afterHash: file.step?.after };
}

function madeFor(files: readonly ChangedFile[]): readonly ChangeReceipt[] {
  const made = files.flatMap((file) => file.madeParents());
  return made.sort((left, right) => (left.realPath < right.realPath ? -1 : 1));
}

function find(pinning: Pinning, change: FileChange, nameOf: (path: string) => NamedPath): Target {
  try {
    return findTarget(pinning, change, nameOf);
  } catch (error) {
    throw asToolError(error, change.path);
  }
}

interface ChangeSetOptions {
  readonly durable: boolean;
  readonly signal: AbortSignal | undefined;
  readonly records: ChangeRecords | undefined;
  readonly tidied: Set<string>;
  /** Called when everything is ready and nothing is changed yet. */
  readonly announce: () => void | Promise<void>;
}

/** Records of change sets in progress, in case their process dies. */
export interface ChangeRecords {
  readonly folder: string;
  recover(): void;
}

/**
 * Files that are changed together. All new contents are written next to the files first, and the old ones stay there
 * until every file is changed. Between the last check of the first file and the change of the last file, no other
 * change set runs in this process or in another with the same folder of records.
 */
class ChangeSet {
  /** Sorted by path, so that two overlapping sets have the same order. */
  readonly #files: readonly ChangedFile[];
  readonly #held: readonly HeldStep[];
  readonly #options: ChangeSetOptions;
  /** Whether the change is a single rename, which is atomic and needs no undo. */
  readonly #isOne: boolean;
  #record: ChangeRecord | undefined;
  #currentPath = "";

  constructor(files: readonly ChangedFile[], options: ChangeSetOptions) {
    this.#files = files.toSorted((left, right) => (left.target.realPath < right.target.realPath ? -1 : 1));
    this.#held = this.#files.filter((file) => file.step !== undefined) as (ChangedFile & HeldStep)[];
    this.#isOne = this.#held.length < 2 && this.#held[0]?.step.how !== "rewrite";
    this.#options = options;
  }

  async make(workspace: string): Promise<void> {
    const { records, tidied } = this.#options;
    if (this.#held.length > 0 && records !== undefined) this.#begin(records.folder, workspace);
    try {
      await this.#prepare();
    } catch (error) {
      this.#discard();
      throw explain(error, this.#currentPath);
    }
    this.#change();
    this.#finish();
    for (const { directory } of this.#held) tidyOnce(directory, tidied);
  }

  #begin(folder: string, workspace: string): void {
    const steps = this.#held.map(({ step }) => step);
    const directories = this.#missingDirectories(workspace);
    try {
      this.#record = ChangeRecord.begin(folder, newTemporaryId(), { workspace, steps, directories });
    } catch (error) {
      throw asToolError(error, folder);
    }
  }

  async #prepare(): Promise<void> {
    const { signal, durable } = this.#options;
    for (const file of this.#each()) await file.stage({ signal, durable: durable && this.#isOne });
    if (!this.#isOne) for (const file of this.#each()) await file.keepOld(this.#options);
    if (!this.#isOne && durable) await this.#syncFresh();
    for (const file of this.#each()) await file.check(signal);
    await this.#waitForTurn();
    throwIfAborted(signal);
    // Another process may have changed a file before this turn. Then the change is stale and is not announced.
    for (const file of this.#each()) file.checkUnchanged();
    const answer = this.#options.announce();
    if (answer !== undefined) {
      await answer;
      throwIfAborted(signal);
      for (const file of this.#each()) file.checkUnchanged();
    }
    this.#mark("committed");
  }

  /** Syncs many files at once, which takes the disk hardly longer than one. */
  async #syncFresh(): Promise<void> {
    for (let first = 0; first < this.#files.length; first += maxSyncs) {
      const some = this.#files.slice(first, first + maxSyncs);
      await Promise.all(some.map((file) => file.syncFresh()));
    }
  }

  async #waitForTurn(): Promise<void> {
    const until = monotonicMs() + longestWaitMs;
    while (this.#record?.takeTurn() === false) {
      this.#options.records?.recover();
      await setTimeout(waitMs);
      throwIfAborted(this.#options.signal);
      if (monotonicMs() > until) throw filesKeepChanging();
    }
  }

  #change(): void {
    const { durable } = this.#options;
    const changed: HeldStep[] = [];
    try {
      for (const file of this.#each()) {
        file.checkUnchanged();
        if (file.step === undefined) continue;
        changed.push(file as HeldStep);
        file.apply({ keepsOld: !this.#isOne });
      }
      if (durable && !this.#isOne) syncDirectories(this.#held.map(({ directory }) => directory));
    } catch (cause) {
      const error = explain(cause, this.#currentPath);
      this.#undo(changed, error);
      throw error;
    }
  }

  #undo(changed: readonly HeldStep[], error: ToolError): void {
    let leftAlone: readonly FileStep[];
    try {
      this.#mark("returning");
      leftAlone = undoSteps(changed);
    } catch (cause) {
      this.#record?.leave();
      const paths = changed.map(({ step }) => step.path).join(", ");
      throw new ToolError(error.code, `${error.message}. Not all changes could be undone: ${paths}`, {
        hint: "Check these files: their old contents are next to them, and the next start tries the undo again.",
        cause,
      });
    }
    this.#discard();
    if (leftAlone.length > 0) throw notUndone(error, leftAlone);
  }

  /** Removes the temporary files. A failure is not reported, because the files themselves are correct. */
  #discard(): void {
    try {
      tidy(this.#held);
      for (const file of this.#files.toReversed()) file.undoParents();
      this.#record?.remove();
    } catch {
      this.#record?.leave();
    }
  }

  #finish(): void {
    try {
      if (!this.#isOne) this.#record?.mark("settled", { durable: false });
      if (!this.#isOne) tidy(this.#held);
      this.#record?.remove();
    } catch {
      this.#record?.leave();
    }
  }

  /** Records the phase. A single rename need not wait for the disk: the file itself shows whether it was done. */
  #mark(phase: Phase): void {
    this.#record?.mark(phase, { durable: this.#options.durable && !this.#isOne });
  }

  /** Yields each file, and remembers its path for errors. */
  *#each(): Generator<ChangedFile> {
    for (const file of this.#files) {
      this.#currentPath = file.path;
      yield file;
    }
  }

  /** Returns the missing directories relative to the workspace, parents first. */
  #missingDirectories(workspace: string): readonly string[] {
    const all = this.#files.flatMap(({ target: { location } }) => missingAbove(location));
    return [...new Set(all)].map((path) => path.slice(withSlash(workspace).length));
  }
}

// This limits the number of open files.
const maxSyncs = 64;

// Another process has its turn for a few milliseconds, if it waits for the disk.
const waitMs = 2;
const longestWaitMs = 10_000;

function filesKeepChanging(): ToolError {
  return new ToolError(
    "unavailable",
    "Nothing was changed: other processes keep changing files in this workspace",
    { hint: "Try again when they have finished." },
  );
}

function notUndone(error: ToolError, steps: readonly FileStep[]): ToolError {
  const paths = steps.map(({ path }) => path).join(", ");
  return new ToolError(
    error.code,
    `${error.message}. Not undone, because they changed in the meantime: ${paths}`,
    {
      hint: "Check these files; all others are unchanged.",
      cause: error,
    },
  );
}

/** Explains an error of a file that was checked before: a missing or new entry is a change in the meantime. */
function explain(error: unknown, path: string): ToolError {
  const errno = errnoOf(error);
  if (errno === "ENOENT") return isStale(path, "gone");
  if (errno === "EEXIST") return isStale(path, "there");
  return errno === "ELOOP" || errno === "ENOTDIR" ? isStale(path, "changed") : asToolError(error, path);
}
