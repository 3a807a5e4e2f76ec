import {
  closeSync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { isExhaustion } from "../../../lib/exhaustion.ts";
import { attempt } from "../../../system/attempt.ts";
import { writeFully } from "../../../system/content.ts";
import { inPrivateDirectory, namesIfReadable } from "../../../system/directories.ts";
import { errnoOf } from "../../../system/file-errors.ts";
import type { PinnedDirectory } from "../../../system/pinning.ts";
import { ownerHasEnded, thisProcess } from "../../../system/process-identity.ts";
import { hasNoHardLinks } from "../../../system/temporary-file.ts";
import { isNormal } from "../../../system/workspace-path.ts";
import { type FileStep, tidyStep, undoStep } from "./file-step.ts";

/** The intended steps, recorded before the first one is applied. */
interface Intent {
  readonly workspace: string;
  readonly steps: readonly FileStep[];
  /** Directories to create, relative to the workspace, parents first. */
  readonly directories: readonly string[];
}

/**
 * `prepared`: no file is changed yet. `committed`: all contents needed to complete the change are next to the files.
 * `returning`: the change is being undone. `settled`: only temporary files are left to remove.
 */
export type Phase = (typeof phases)[number];

const phases = ["prepared", "committed", "returning", "settled"] as const;

const phaseBytes = 9;

/**
 * The record of one change set: a file that starts with its phase and is named after its process. While a change set
 * changes files, its record also has the name `turn`, so that change sets of several processes take turns.
 */
export class ChangeRecord {
  readonly intent: Intent;
  readonly #file: RecordFile;
  phase: Phase;
  #hasTurn: boolean;
  #isOpen = true;

  private constructor(
    file: RecordFile,
    { phase, intent }: { readonly phase: Phase; readonly intent: Intent },
  ) {
    this.#file = file;
    this.#hasTurn = file.hasTurn;
    this.phase = phase;
    this.intent = intent;
  }

  static begin(folder: string, id: string, intent: Intent): ChangeRecord {
    const path = join(folder, `${id}.${thisProcess()}`);
    const handle = inPrivateDirectory(folder, () => openSync(path, "wx+", 0o600));
    const record = new ChangeRecord({ folder, path, handle, hasTurn: false }, { phase: "prepared", intent });
    try {
      writeFully(handle, Buffer.from(`${"prepared".padEnd(phaseBytes)}\n${JSON.stringify(intent)}\n`));
      return record;
    } catch (error) {
      record.remove();
      throw error;
    }
  }

  /** Takes over and yields the records of processes that have ended. */
  static *abandoned(folder: string, workspace: string): Generator<ChangeRecord> {
    for (const { id, path } of recordsIn(folder)) {
      try {
        const content = parse(readFileSync(path, "utf8"));
        if (content !== undefined && content.intent.workspace !== workspace) continue;
        const taken = join(folder, `${id}.${thisProcess()}`);
        renameSync(path, taken);
        // The process of an incomplete record died before it changed a file.
        if (content === undefined) unlinkSync(taken);
        else yield new ChangeRecord(reopen(folder, taken), content);
      } catch (error) {
        // Another process has taken the record over, or it belongs to another user.
        if (errnoOf(error) === undefined || isExhaustion(error)) throw error;
      }
    }
  }

  /** Writes the phase over the old one, which takes no disk space, so that a full disk cannot prevent an undo. */
  mark(phase: Phase, options: { readonly durable: boolean }): void {
    writeSync(this.#file.handle, phase.padEnd(phaseBytes), 0);
    this.phase = phase;
    if (!options.durable) return;
    fdatasyncSync(this.#file.handle);
    if (phase === "committed") syncDirectory(this.#file.folder);
  }

  /** Returns whether this record now has the turn. Until it is removed, no other process changes files. */
  takeTurn(): boolean {
    const turn = join(this.#file.folder, turnName);
    try {
      linkSync(this.#file.path, turn);
      this.#hasTurn = true;
      return true;
    } catch (error) {
      // A turn without a record means that the user has deleted the record, because its process removes the turn first.
      if (errnoOf(error) === "EEXIST" && statSync(turn, { throwIfNoEntry: false })?.nlink === 1)
        unlinkSync(turn);
      if (errnoOf(error) === "EEXIST") return false;
      // File systems without hard links have no turns.
      if (hasNoHardLinks(error)) return true;
      throw error;
    }
  }

  /** Leaves the record to the next start. Never throws. */
  leave(): void {
    attempt(() => this.#close());
  }

  remove(): void {
    this.#close();
    unlinkSync(this.#file.path);
  }

  #close(): void {
    if (this.#isOpen) closeSync(this.#file.handle);
    this.#isOpen = false;
    if (this.#hasTurn) unlinkSync(join(this.#file.folder, turnName));
    this.#hasTurn = false;
  }
}

interface RecordFile {
  readonly folder: string;
  readonly path: string;
  readonly handle: number;
  readonly hasTurn: boolean;
}

const turnName = "turn";

function syncDirectory(path: string): void {
  const handle = openSync(path, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Yields the records whose processes have ended. */
function* recordsIn(folder: string): Generator<{ readonly id: string; readonly path: string }> {
  for (const name of namesIfReadable(folder)) {
    if (name === turnName) continue;
    const [id = "", owner = ""] = name.split(".");
    const path = join(folder, name);
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats !== undefined && ownerHasEnded(owner, Date.now() - stats.mtimeMs)) yield { id, path };
  }
}

function reopen(folder: string, path: string): RecordFile {
  const handle = openSync(path, "r+");
  const turn = statSync(join(folder, turnName), { throwIfNoEntry: false });
  return { folder, path, handle, hasTurn: turn?.ino === fstatSync(handle).ino };
}

/** Parses a record; undefined for an incomplete one. Its paths are checked, because commands may have changed it. */
function parse(text: string): { readonly phase: Phase; readonly intent: Intent } | undefined {
  const phase = text.slice(0, phaseBytes).trimEnd() as Phase;
  if (!phases.includes(phase) || !text.endsWith("\n")) return undefined;
  return attempt(() => {
    const intent = JSON.parse(text.slice(phaseBytes)) as Intent;
    const paths = [...intent.steps.map((step) => step.path), ...intent.directories];
    const isSafe = paths.every(isNormal) && intent.steps.every(({ id }) => safeId.test(id));
    return isSafe ? { phase, intent } : undefined;
  });
}

const safeId = /^[0-9a-f-]{36}$/;

export interface HeldStep {
  readonly step: FileStep;
  readonly directory: PinnedDirectory;
}

/** Undoes the steps, last first. Returns the steps whose files were changed since: those files are left alone. */
export function undoSteps(steps: readonly HeldStep[]): readonly FileStep[] {
  const leftAlone = steps.toReversed().filter(({ step, directory }) => !undoStep(directory, step));
  return leftAlone.reverse().map(({ step }) => step);
}

export function tidy(steps: readonly HeldStep[]): void {
  for (const { step, directory } of steps) tidyStep(directory, step);
}

/** Waits until the names in these directories are on disk. */
export function syncDirectories(directories: Iterable<PinnedDirectory>): void {
  const paths = new Map<string, string>();
  for (const directory of directories) paths.set(directory.realPath, directory.at("."));
  for (const path of paths.values()) syncDirectory(path);
}
