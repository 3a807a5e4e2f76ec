import { closeSync, openSync, statSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { newIdentifier } from "../../../lib/identifier.ts";
import { makePrivateDirectory } from "../../../system/directories.ts";
import { errnoOf } from "../../../system/failures.ts";
import { namesIn } from "../../../system/names-in.ts";
import { isGone, thisProcess } from "../../../system/process-owner.ts";
import { RunTree } from "../../../system/run-tree.ts";
import { Run } from "./run.ts";

/** A name for one run, which everything it starts inherits; it tells whose run it is. */
export function newMark(): string {
  return `${thisProcess()}.${newIdentifier("run")}`;
}

/**
 * What runs for a workspace: a file for each run, named by its mark and there before it begins. What a process leaves
 * running that is killed, another can end.
 */
export class RunRecords {
  readonly #folder: string;

  /** The folder is made when it is needed. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  add(mark: string): void {
    const create = () => closeSync(openSync(join(this.#folder, mark), "w", 0o600));
    try {
      create();
    } catch (error) {
      if (errnoOf(error) !== "ENOENT") throw error;
      makePrivateDirectory(this.#folder);
      create();
    }
  }

  remove(mark: string): void {
    try {
      unlinkSync(join(this.#folder, mark));
    } catch {
      // Somebody else was quicker; or it stays, and names a run that has ended.
    }
  }

  /** Ends what processes have left running that are gone, and says whether they had left anything. */
  async endAbandoned(): Promise<boolean> {
    const marks = namesIn(this.#folder).filter((name) => isGone(name.split(".")[0] ?? "", 0));
    if (marks.length === 0) return false;
    await Promise.all(marks.map((mark) => this.#untilBegun(mark)));
    const run = new Run(new RunTree(marks), { endsTogether: false });
    run.terminate();
    await run.settle();
    for (const mark of marks) this.remove(mark);
    return true;
  }

  /** Between the record and the moment when its program bears the mark, the process may have been killed. */
  async #untilBegun(mark: string): Promise<void> {
    const record = statSync(join(this.#folder, mark), { throwIfNoEntry: false });
    const age = record === undefined ? beginningMs : Date.now() - record.mtimeMs;
    if (age >= 0 && age < beginningMs) await setTimeout(beginningMs - age);
  }
}

const beginningMs = 200;
