import { statSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { monotonicMs } from "../../../lib/clock.ts";
import { newIdentifier } from "../../../lib/identifier.ts";
import { attempt } from "../../../system/attempt.ts";
import { inPrivateDirectory, namesIn } from "../../../system/directories.ts";
import { ownerHasEnded, type ProcessInfo, thisProcess } from "../../../system/process-identity.ts";
import { nextScan, type ProcessScan } from "../../../system/process-scan.ts";
import { ProcessTree } from "../../../system/process-tree.ts";

/** Returns a new name for a run. All its processes inherit it, and it identifies the process that owns the run. */
export function newMark(): string {
  return `${thisProcess()}.${newIdentifier("run")}`;
}

/** A file for each run in a workspace, created before it begins, so that the next process can stop leftovers. */
export class RunRecords {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  add(mark: string): void {
    inPrivateDirectory(this.#folder, () => writeFileSync(join(this.#folder, mark), "", { mode: 0o600 }));
  }

  /** Removes a record. A failure does no harm, because a record that stays names a run that has ended. */
  remove(mark: string): void {
    attempt(() => unlinkSync(join(this.#folder, mark)));
  }

  /** Stops the runs of processes that have ended. Returns whether there were any. */
  async endAbandoned(): Promise<boolean> {
    const marks = namesIn(this.#folder).filter((name) => ownerHasEnded(name, 0));
    if (marks.length === 0) return false;
    await Promise.all(marks.map((mark) => this.#untilBegun(mark)));
    const run = new Run(new ProcessTree(marks), { endsTogether: false });
    run.terminate();
    await run.settle();
    for (const mark of marks) this.remove(mark);
    return true;
  }

  /** Waits until a new run has its mark: its owner may have been killed after it wrote the record and before. */
  async #untilBegun(mark: string): Promise<void> {
    const record = statSync(join(this.#folder, mark), { throwIfNoEntry: false });
    const age = record === undefined ? beginningMs : Date.now() - record.mtimeMs;
    if (age >= 0 && age < beginningMs) await setTimeout(beginningMs - age);
  }
}

const beginningMs = 200;

// Programs have so much time to clean up after SIGTERM, and those that a finished command has left running have less.
const usualGraceMs = 2000;
const leftoverGraceMs = 100;

// Each check of the processes takes a millisecond.
const maxPauseMs = 50;

// A process that survives SIGKILL hangs in the kernel, so it is not worth waiting for.
const killTimeoutMs = 5000;

/** One program with all its processes, from its start to the end of the last of them. */
export class Run {
  readonly #tree: ProcessTree;
  /** All processes end with the leader, so it must get no signal that would end it too early. */
  readonly #endsTogether: boolean;
  readonly #graceMs: number;
  #ending: Promise<void> | undefined;
  /** Whether the run was terminated or killed here while its program was still running. */
  wasEnded = false;
  #isOver = false;

  /** `graceMs`: the time between SIGTERM and SIGKILL. Default: 2 s. */
  constructor(
    tree: ProcessTree,
    options: { readonly endsTogether: boolean; readonly graceMs?: number | undefined },
  ) {
    this.#tree = tree;
    this.#endsTogether = options.endsTogether;
    this.#graceMs = options.graceMs ?? usualGraceMs;
  }

  /** Returns the processes of the run, in this scan or in a new one. */
  members(scan?: ProcessScan): readonly ProcessInfo[] {
    return this.#tree.members(scan);
  }

  /** Asks all processes to exit, then kills those that do not. */
  terminate(): void {
    if (this.#ending !== undefined) return;
    this.wasEnded = true;
    this.#ending = this.#end(this.#graceMs);
  }

  kill(): void {
    if (this.#isOver) return;
    this.wasEnded ||= this.#ending === undefined;
    this.#killAll();
    this.#ending ??= this.#waitForEnd();
  }

  /** Stops the remaining processes and returns them. Call it as soon as the exit of the program is known. */
  async settle(): Promise<readonly ProcessInfo[]> {
    this.#tree.leaderHasEnded();
    // Processes that end together are already ending, and it is random which of them are still visible: they are not
    // reported.
    let left: readonly ProcessInfo[] = [];
    this.#ending ??= (async () => {
      const found = this.#tree.members(await nextScan());
      if (!this.#endsTogether) left = found;
      if (found.length > 0 || this.#tree.isUnseen)
        await this.#end(this.#endsTogether ? 0 : leftoverGraceMs, found);
    })();
    await this.#ending;
    this.#isOver = true;
    return left;
  }

  async #end(grace: number, members: readonly ProcessInfo[] = this.#tree.members()): Promise<void> {
    const options = { sparesLeader: this.#endsTogether };
    if (grace > 0) {
      this.#tree.send("SIGTERM", members, options);
      const stopped = members.filter(({ isStopped }) => isStopped);
      this.#tree.send("SIGCONT", stopped, options);
    }
    if (await this.#isGoneWithin(grace)) return;
    await this.#waitForEnd();
  }

  async #waitForEnd(): Promise<void> {
    await this.#isGoneWithin(killTimeoutMs, () => this.#killAll());
  }

  async #isGoneWithin(ms: number, insist: () => void = () => {}): Promise<boolean> {
    const deadline = monotonicMs() + ms;
    for (let pauseMs = 2; monotonicMs() < deadline; pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
      if (await this.#isGone()) return true;
      insist();
      await setTimeout(pauseMs);
    }
    return this.#isGone();
  }

  async #isGone(): Promise<boolean> {
    return this.#tree.members(await nextScan()).length === 0 && !this.#tree.isUnseen;
  }

  /** Freezes all processes before it kills them, because frozen processes start no others. */
  #killAll(): void {
    // The first signal goes to the processes that are found fastest, because they may keep starting others.
    this.#tree.send(this.#endsTogether ? "SIGKILL" : "SIGSTOP", this.#tree.nearest());
    const frozen = new Set<number>();
    for (let round = 0; round < maxRounds; round += 1) {
      const fresh = this.#tree.members().filter(({ pid }) => !frozen.has(pid));
      if (fresh.length === 0) break;
      this.#tree.send("SIGSTOP", fresh);
      for (const { pid } of fresh) frozen.add(pid);
    }
    this.#tree.send("SIGKILL", this.#tree.members());
  }
}

const maxRounds = 50;
