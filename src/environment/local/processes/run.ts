import { setTimeout } from "node:timers/promises";
import { monotonicMs } from "../../../lib/clock.ts";
import type { Life } from "../../../system/process-owner.ts";
import type { RunTree } from "../../../system/run-tree.ts";

// How long programs may take to clean up after SIGTERM, and what a command has left running when it has ended itself.
const graceMs = 2000;
const leftoverGraceMs = 100;

// Looking costs a millisecond.
const maxPauseMs = 50;

// A process that not even SIGKILL ends hangs in the kernel: nobody can wait for that.
const hopelessMs = 5000;

/** One program with everything it has started, from its first moment to the end of the last of them. */
export class Run {
  readonly #tree: RunTree;
  /** Everything ends with its leader, which must hear nothing that would end it too early. */
  readonly #endsTogether: boolean;
  #ending: Promise<void> | undefined;
  #wasEnded = false;
  #isOver = false;

  constructor(tree: RunTree, options: { readonly endsTogether: boolean }) {
    this.#tree = tree;
    this.#endsTogether = options.endsTogether;
  }

  /** By us, while its program still ran. */
  get wasEnded(): boolean {
    return this.#wasEnded;
  }

  /** `all`: who lives, if that is known. */
  members(all?: readonly Life[]): readonly Life[] {
    return this.#tree.members(all);
  }

  /** Holds it still for a look, as far as that can be had at once: of who starts ever more, no look would ever end. */
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

  /** To be called in the turn that tells that the program itself has gone. Ends what is left, and tells what that was. */
  async settle(): Promise<readonly Life[]> {
    this.#tree.leaderIsGone();
    // What ends together is being ended already: who is still seen is a matter of luck.
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

  /** Who is frozen starts nobody: when nobody new is found, all are. */
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
