import type { ProcessExit } from "../../../contract/environment.ts";
import type { StartedGroups } from "./started-groups.ts";

// How long a program may take to clean up after SIGTERM.
const graceMs = 2000;

/** What one environment has started and still runs. */
export class ProcessGroups {
  readonly #living = new Set<ProcessGroup>();
  readonly #records: StartedGroups | undefined;

  constructor(records?: StartedGroups) {
    this.#records = records;
  }

  /** At once when it has begun: should this process be ended, so is the group; should it be killed, the next knows. */
  open(leader: number, exit: Promise<ProcessExit>): ProcessGroup {
    const onGone = () => {
      this.#living.delete(group);
      letGo(group);
    };
    const group = new ProcessGroup(leader, exit, { onGone, onEnded: () => this.#records?.remove(leader) });
    this.#living.add(group);
    watch(group);
    try {
      this.#records?.add(leader);
    } catch (error) {
      // What could not be ended does not run.
      group.kill();
      throw error;
    }
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
  readonly #told: GroupListener;
  #force: NodeJS.Timeout | undefined;
  #isGone = false;

  constructor(leader: number, exit: Promise<ProcessExit>, told: GroupListener) {
    this.#leader = leader;
    this.exit = exit;
    this.#told = told;
    void exit.then(() => this.#signal(0));
  }

  /** Asks everything to end, and ends it if that is not heard. */
  terminate(): void {
    this.#signal("SIGTERM");
    this.#force = setTimeout(() => this.kill(), graceMs).unref();
  }

  kill(): void {
    this.#signal("SIGKILL");
    this.#told.onEnded();
  }

  #signal(signal: "SIGTERM" | "SIGKILL" | 0): void {
    if (this.#isGone) return;
    try {
      process.kill(-this.#leader, signal);
    } catch {
      // Nobody is left. The number may become another group's and must not be used again.
      this.#isGone = true;
      clearTimeout(this.#force);
      this.#told.onEnded();
      this.#told.onGone();
    }
  }
}

interface GroupListener {
  /** Nobody is left, and nobody will be heard of. */
  onGone(): void;
  /** Nobody is left, or will be in a moment. */
  onEnded(): void;
}

// Groups of their own would outlive us, so they are ended when we end.
const watched = new Set<ProcessGroup>();

function killWatched(): void {
  for (const group of watched) group.kill();
}

/** A signal that nobody else hears ends this process without its exit being told: so it is heard here, and passed on. */
function endBy(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return;
  killWatched();
  process.off(signal, endBy);
  process.kill(process.pid, signal);
}

const endings = ["SIGHUP", "SIGINT", "SIGTERM"] as const;

function watch(group: ProcessGroup): void {
  if (watched.size === 0) {
    process.on("exit", killWatched);
    for (const signal of endings) process.on(signal, endBy);
  }
  watched.add(group);
}

function letGo(group: ProcessGroup): void {
  watched.delete(group);
  if (watched.size > 0) return;
  process.off("exit", killWatched);
  for (const signal of endings) process.off(signal, endBy);
}
