import {
  closeSync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { writeFully } from "../../../system/content.ts";
import { makePrivateDirectory } from "../../../system/directories.ts";
import { errnoOf } from "../../../system/file-errors.ts";
import type { PinnedDirectory } from "../../../system/pinning.ts";
import { isGone, thisProcess } from "../../../system/process-identity.ts";
import { hasNoHardLinks } from "../../../system/temporary-file.ts";
import { isNormal } from "../../../system/workspace-path.ts";
import { type FileStep, takeStepBack, tidyStep } from "./file-step.ts";

/** The intended steps, recorded before the first is done. */
interface Intent {
  readonly workspace: string;
  readonly steps: readonly FileStep[];
  /** Directories to be made, relative to the workspace, each after the one it is in. */
  readonly directories: readonly string[];
}

/**
 * How far it has come. `prepared`: no file is changed. `committed`: all that is needed lies beside the files.
 * `returning`: what was done is taken back. `settled`: all that is left is to tidy up.
 */
export type Phase = (typeof phases)[number];

const phases = ["prepared", "committed", "returning", "settled"] as const;

// The longest of them.
const phaseBytes = 9;

/**
 * The record of one change set: a file that starts with its phase, and is named after the process it belongs to.
 * While files are changed it has a second name, which only one record can have: so change sets of several processes
 * take turns.
 */
export class ChangeRecord {
  readonly intent: Intent;
  readonly #folder: string;
  readonly #path: string;
  readonly #handle: number;
  #phase: Phase;
  #hasTurn: boolean;
  #isOpen = true;

  private constructor(file: RecordFile, content: { readonly phase: Phase; readonly intent: Intent }) {
    this.#folder = file.folder;
    this.#path = file.path;
    this.#handle = file.handle;
    this.#hasTurn = file.hasTurn;
    this.#phase = content.phase;
    this.intent = content.intent;
  }

  static begin(folder: string, id: string, intent: Intent): ChangeRecord {
    const path = join(folder, `${id}.${thisProcess()}`);
    const handle = openNew(folder, path);
    const record = new ChangeRecord({ folder, path, handle, hasTurn: false }, { phase: "prepared", intent });
    try {
      writeFully(handle, Buffer.from(`${"prepared".padEnd(phaseBytes)}\n${JSON.stringify(intent)}\n`));
      return record;
    } catch (error) {
      record.remove();
      throw error;
    }
  }

  /** The records of processes that are gone, each taken over by the first process that comes here. */
  static *abandoned(folder: string, workspace: string): Generator<ChangeRecord> {
    for (const { id, path } of recordsIn(folder)) {
      try {
        const content = parse(readFileSync(path, "utf8"));
        if (content !== undefined && content.intent.workspace !== workspace) continue;
        const taken = join(folder, `${id}.${thisProcess()}`);
        renameSync(path, taken);
        // Its process died while it wrote this, before it did anything else.
        if (content === undefined) unlinkSync(taken);
        else yield new ChangeRecord(reopen(folder, taken), content);
      } catch (error) {
        // Another process has taken it over, or it belongs to another user.
        if (errnoOf(error) === undefined) throw error;
      }
    }
  }

  get phase(): Phase {
    return this.#phase;
  }

  /** Takes no new space, so that a full disk cannot keep anything from being taken back. */
  mark(phase: Phase, options: { readonly durable: boolean }): void {
    writeSync(this.#handle, phase.padEnd(phaseBytes), 0);
    this.#phase = phase;
    if (!options.durable) return;
    fdatasyncSync(this.#handle);
    if (phase === "committed") syncDirectory(this.#folder);
  }

  /** Whether no other process is changing files now: then none will, until this record is gone. */
  takeTurn(): boolean {
    const turn = join(this.#folder, turnName);
    try {
      linkSync(this.#path, turn);
      this.#hasTurn = true;
      return true;
    } catch (error) {
      // Its record is gone, although it is always removed last: the user has deleted it by hand.
      if (errnoOf(error) === "EEXIST" && statSync(turn, { throwIfNoEntry: false })?.nlink === 1)
        unlinkSync(turn);
      if (errnoOf(error) === "EEXIST") return false;
      // File systems without hard links have no turns.
      if (hasNoHardLinks(error)) return true;
      throw error;
    }
  }

  /** Leaves it to the next start. Never fails: it is what is done when something has. */
  leave(): void {
    try {
      this.#close();
    } catch {
      // The next process finds that the turn has no record, or that its process is gone.
    }
  }

  remove(): void {
    this.#close();
    unlinkSync(this.#path);
  }

  #close(): void {
    if (this.#isOpen) closeSync(this.#handle);
    this.#isOpen = false;
    if (this.#hasTurn) unlinkSync(join(this.#folder, turnName));
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

/** The records whose processes are gone. */
function* recordsIn(folder: string): Generator<{ readonly id: string; readonly path: string }> {
  for (const name of namesIn(folder)) {
    if (name === turnName) continue;
    const [id = "", owner = ""] = name.split(".");
    const path = join(folder, name);
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats !== undefined && isGone(owner, Date.now() - stats.mtimeMs)) yield { id, path };
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // Nothing was recorded, or it is not readable.
    return [];
  }
}

function openNew(folder: string, path: string): number {
  try {
    return openSync(path, "wx+", 0o600);
  } catch (error) {
    if (errnoOf(error) !== "ENOENT") throw error;
    makePrivateDirectory(folder);
    return openSync(path, "wx+", 0o600);
  }
}

function reopen(folder: string, path: string): RecordFile {
  const handle = openSync(path, "r+");
  const turn = statSync(join(folder, turnName), { throwIfNoEntry: false });
  return { folder, path, handle, hasTurn: turn?.ino === fstatSync(handle).ino };
}

/** Undefined for an incomplete record. The state directory may lie in a workspace, so names are not trusted. */
function parse(text: string): { readonly phase: Phase; readonly intent: Intent } | undefined {
  const phase = text.slice(0, phaseBytes).trimEnd() as Phase;
  if (!phases.includes(phase) || !text.endsWith("\n")) return undefined;
  try {
    const intent = JSON.parse(text.slice(phaseBytes)) as Intent;
    const paths = [...intent.steps.map((step) => step.path), ...intent.directories];
    return paths.every(isNormal) && intent.steps.every(({ id }) => safeId.test(id))
      ? { phase, intent }
      : undefined;
  } catch {
    return undefined;
  }
}

const safeId = /^[0-9a-f-]{36}$/;

/** A step and the held directory its file is in. */
export interface HeldStep {
  readonly step: FileStep;
  readonly directory: PinnedDirectory;
}

/** Undoes the steps, last first. Returns the files that were changed since, which are left alone. */
export function takeBack(steps: readonly HeldStep[]): readonly FileStep[] {
  const leftAlone: FileStep[] = [];
  for (const { step, directory } of steps.toReversed()) {
    if (!takeStepBack(directory, step)) leftAlone.unshift(step);
  }
  return leftAlone;
}

export function tidy(steps: readonly HeldStep[]): void {
  for (const { step, directory } of steps) tidyStep(directory, step);
}

/** Waits until the names in these directories are on the disk. */
export function syncDirectories(directories: Iterable<PinnedDirectory>): void {
  const paths = new Map<string, string>();
  for (const directory of directories) paths.set(directory.realPath, directory.at("."));
  for (const path of paths.values()) syncDirectory(path);
}
