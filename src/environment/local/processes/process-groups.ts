import type { ProcessExit } from "../../../contract/environment.ts";

// How long a program may take to clean up after SIGTERM.
const graceMs = 2000;

/** What one environment has started and still runs. */
export class ProcessGroups {
  readonly #living = new Set<ProcessGroup>();

  open(leader: number, exit: Promise<ProcessExit>): ProcessGroup {
    const group = new ProcessGroup(leader, exit, () => {
      this.#living.delete(group);
      letGo(group);
    });
    this.#living.add(group);
    watch(group);
    return group;
  }

  async close(): Promise<void> {
    const groups = [...this.#living];
    for (const group of groups) group.kill();
    await Promise.all(groups.map((group) => group.exit));
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
    void exit.then(() => this.#signal(0));
  }

  /** Asks everything to end, and ends it if that is not heard. */
  terminate(): void {
    this.#signal("SIGTERM");
    this.#force = setTimeout(() => this.kill(), graceMs).unref();
  }

  kill(): void {
    this.#signal("SIGKILL");
  }

  #signal(signal: "SIGTERM" | "SIGKILL" | 0): void {
    if (this.#isGone) return;
    try {
      process.kill(-this.#leader, signal);
    } catch {
      // Nobody is left. The number may become another group's and must not be used again.
      this.#isGone = true;
      clearTimeout(this.#force);
      this.#onGone();
    }
  }
}

// Groups of their own would outlive us, so they are ended when we end.
const watched = new Set<ProcessGroup>();

function killWatched(): void {
  for (const group of watched) group.kill();
}

function watch(group: ProcessGroup): void {
  if (watched.size === 0) process.on("exit", killWatched);
  watched.add(group);
}

function letGo(group: ProcessGroup): void {
  watched.delete(group);
  if (watched.size === 0) process.off("exit", killWatched);
}
