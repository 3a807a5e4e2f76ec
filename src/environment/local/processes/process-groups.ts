import type { ProcessExit } from "../../../contract/environment.ts";

// How long a program may take to clean up after SIGTERM.
const graceMs = 2000;

/** All that was started and still runs. Groups of their own would outlive us, so they are ended when we end. */
export class ProcessGroups {
  readonly #living = new Set<ProcessGroup>();
  readonly #killAll = () => {
    for (const group of this.#living) group.kill();
  };

  open(leader: number, exit: Promise<ProcessExit>): ProcessGroup {
    if (this.#living.size === 0) process.on("exit", this.#killAll);
    const group = new ProcessGroup(leader, exit, () => this.#forget(group));
    this.#living.add(group);
    return group;
  }

  async close(): Promise<void> {
    const exits = Array.from(this.#living, (group) => group.exit);
    this.#killAll();
    await Promise.all(exits);
  }

  #forget(group: ProcessGroup): void {
    this.#living.delete(group);
    if (this.#living.size === 0) process.off("exit", this.#killAll);
  }
}

/** A program and everything it has started that did not leave its group, named by its leader. */
export class ProcessGroup {
  readonly exit: Promise<ProcessExit>;
  readonly #leader: number;
  readonly #onGone: () => void;
  #force: NodeJS.Timeout | undefined;
  #isGone = false;

  constructor(leader: number, exit: Promise<ProcessExit>, onGone: () => void) {
    this.#leader = leader;
    this.exit = exit;
    this.#onGone = onGone;
    void exit.then(() => this.#noticeGone());
  }

  /** Asks everything to end, and ends it if that is not heard. */
  terminate(): void {
    this.#signal("SIGTERM");
    this.#force = setTimeout(() => this.kill(), graceMs).unref();
  }

  kill(): void {
    this.#signal("SIGKILL");
  }

  #signal(signal: "SIGTERM" | "SIGKILL"): void {
    this.#noticeGone();
    if (!this.#isGone) process.kill(-this.#leader, signal);
  }

  /** Once nobody is left in a group, its number may become another's and must not be used again. */
  #noticeGone(): void {
    if (this.#isGone) return;
    try {
      process.kill(-this.#leader, 0);
    } catch {
      this.#isGone = true;
      clearTimeout(this.#force);
      this.#onGone();
    }
  }
}
