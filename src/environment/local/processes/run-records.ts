import { closeSync, openSync, statSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { monotonicMs } from "../../../lib/clock.ts";
import { newIdentifier } from "../../../lib/identifier.ts";
import { makePrivateDirectory, namesIn } from "../../../system/directories.ts";
import { errnoOf } from "../../../system/file-errors.ts";
import { isGone, type ProcessInfo, thisProcess } from "../../../system/process-identity.ts";
import { ProcessTree } from "../../../system/process-tree.ts";

/** A name for one run, which everything it starts inherits; it names the process that owns the run. */
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
      // Another process was quicker; or the record stays, and names a run that has ended.
    }
  }

  /** Ends what processes have left running that are gone, and says whether they had left anything. */
  async endAbandoned(): Promise<boolean> {
    const marks = namesIn(this.#folder).filter((name) => isGone(name.split(".")[0] ?? "", 0));
    if (marks.length === 0) return false;
    await Promise.all(marks.map((mark) => this.#untilBegun(mark)));
    const run = new Run(new ProcessTree(marks), { endsTogether: false });
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

// How long programs may take to clean up after SIGTERM, and what a command has left running when it has ended itself.
const graceMs = 2000;
const leftoverGraceMs = 100;

// Looking costs a millisecond.
const maxPauseMs = 50;

// A process that SIGKILL does not end hangs in the kernel: it is not waited for.
const hopelessMs = 5000;

/** One program with everything it has started, from its first moment to the end of the last of them. */
export class Run {
  readonly #tree: ProcessTree;
  /** Everything ends with its leader, which must get no signal that would end it too early. */
  readonly #endsTogether: boolean;
  #ending: Promise<void> | undefined;
  #wasEnded = false;
  #isOver = false;

  constructor(tree: ProcessTree, options: { readonly endsTogether: boolean }) {
    this.#tree = tree;
    this.#endsTogether = options.endsTogether;
  }

  /** It was ended from here, while its program still ran. */
  get wasEnded(): boolean {
    return this.#wasEnded;
  }

  /** `all`: the living processes, if they are known. */
  members(all?: readonly ProcessInfo[]): readonly ProcessInfo[] {
    return this.#tree.members(all);
  }

  /**
   * Freezes it for a look, as far as that is possible at once: a run that keeps starting processes would never be
   * listed completely.
   */
  pause(): void {
    this.#tree.send("SIGSTOP", this.#tree.nearest());
  }

  resume(): void {
    if (this.#ending === undefined) this.#tree.send("SIGCONT", this.#tree.nearest());
  }

  /** Asks everything to end, and ends what does not. */
  terminate(): void {
    if (this.#ending !== undefined) return;
    this.#wasEnded = true;
    this.#ending = this.#end(graceMs);
  }

  /** At once. */
  kill(): void {
    if (this.#isOver) return;
    this.#wasEnded ||= this.#ending === undefined;
    this.#killAll();
    this.#ending ??= this.#waitForEnd();
  }

  /**
   * Call it as soon as the exit of the program is known. Ends what is left, and returns it.
   */
  async settle(): Promise<readonly ProcessInfo[]> {
    this.#tree.leaderIsGone();
    // Processes that end together are being ended already: which of them are still seen is chance.
    const left = this.#ending === undefined && !this.#endsTogether ? this.#tree.members() : [];
    this.#ending ??= this.#isGone() ? Promise.resolve() : this.#end(this.#endsTogether ? 0 : leftoverGraceMs);
    await this.#ending;
    this.#isOver = true;
    return left;
  }

  async #end(grace: number): Promise<void> {
    const members = this.#tree.members();
    if (grace > 0) {
      this.#tree.send("SIGTERM", members, { sparesLeader: this.#endsTogether });
      this.#tree.send(
        "SIGCONT",
        members.filter(({ isStopped }) => isStopped),
        { sparesLeader: this.#endsTogether },
      );
    }
    if (await this.#isGoneWithin(grace)) return;
    await this.#waitForEnd();
  }

  async #waitForEnd(): Promise<void> {
    await this.#isGoneWithin(hopelessMs, () => this.#killAll());
  }

  async #isGoneWithin(ms: number, insist: () => void = () => {}): Promise<boolean> {
    const deadline = monotonicMs() + ms;
    for (let pauseMs = 2; monotonicMs() < deadline; pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
      if (this.#isGone()) return true;
      insist();
      await setTimeout(pauseMs);
    }
    return this.#isGone();
  }

  #isGone(): boolean {
    return this.#tree.members().length === 0 && !this.#tree.isUnseen;
  }

  /** Frozen processes start no others: when no new one is found, all are frozen. */
  #killAll(): void {
    // The most with the least effort first: it may be starting ever more.
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
