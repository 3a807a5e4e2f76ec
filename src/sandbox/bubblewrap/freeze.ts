import { setImmediate, setTimeout } from "node:timers/promises";
import { ToolError } from "../../contract/error.ts";
import { monotonicMs } from "../../lib/clock.ts";
import { attempt } from "../../system/attempt.ts";
import { namesIfReadable } from "../../system/directories.ts";
import { type ProcessInfo, processInfo, readSystemFile } from "../../system/process-identity.ts";

/**
 * One running sandbox, from before its mounts are planned to its end. `all` are the sandboxes of one workspace.
 * Bubblewrap mounts by path, so a running command that replaces a mount point by a link would redirect the mount. A
 * command cannot replace a path that is a mount point in its own sandbox. Commands that lack one of the mount points,
 * because they began before it was needed, are frozen while another sandbox mounts.
 */
export class RunningSandbox {
  readonly #all: Set<RunningSandbox>;
  readonly #mounted = Promise.withResolvers<void>();
  /** The sandboxes that this one keeps frozen, with functions that thaw them. */
  readonly #frozen = new Map<RunningSandbox, () => void>();
  #mountPoints: ReadonlySet<string> | undefined;
  #leader: ProcessInfo | undefined;
  #isMounted = false;

  constructor(all: Set<RunningSandbox>) {
    this.#all = all;
    all.add(this);
  }

  /**
   * Returns true when no running command can replace these mount points. Otherwise freezes the commands that can, and
   * returns false: they may have changed something before, so the mounts must be planned again.
   */
  async claim(mountPoints: readonly string[]): Promise<boolean> {
    this.#mountPoints = new Set(mountPoints);
    const able = [...this.#all].filter(
      (other) => other.#isRunning() && !this.#frozen.has(other) && !other.#hasMounted(mountPoints),
    );
    for (const other of able) {
      this.#frozen.set(other, () => {});
      const thaw = await freeze(other.#leader!.pid);
      if (thaw === undefined) throw cannotFreeze();
      this.#thawAlso(other, thaw);
    }
    return able.length === 0;
  }

  /** Waits while this command could replace a mount point of another one. Call it when everything is mounted. */
  async begin(pid: number): Promise<void> {
    this.#thawOthers();
    const mustWaitFor = (other: RunningSandbox) =>
      other !== this &&
      !other.#isMounted &&
      other.#mountPoints !== undefined &&
      !this.#hasMounted([...other.#mountPoints]);
    for (;;) {
      const other = [...this.#all].find(mustWaitFor);
      if (other === undefined) break;
      await other.#mounted.promise;
    }
    this.#leader = processInfo(pid);
  }

  leave(): void {
    this.#thawOthers();
    this.#all.delete(this);
  }

  /** Thaws all commands except those that another sandbox needs frozen. That sandbox thaws them later. */
  #thawOthers(): void {
    this.#isMounted = true;
    this.#mounted.resolve();
    for (const [other, thaw] of this.#frozen) {
      this.#frozen.delete(other);
      const next = [...this.#all].find((sandbox) => sandbox.#frozen.has(other));
      if (next === undefined) thaw();
      else next.#thawAlso(other, thaw);
    }
  }

  #thawAlso(other: RunningSandbox, thaw: () => void): void {
    const before = this.#frozen.get(other);
    this.#frozen.set(other, () => {
      before?.();
      thaw();
    });
  }

  /** Whether the process still exists. Compares the start time too, because process numbers are reused. */
  #isRunning(): boolean {
    return this.#leader !== undefined && processInfo(this.#leader.pid)?.start === this.#leader.start;
  }

  #hasMounted(mountPoints: readonly string[]): boolean {
    return mountPoints.every((path) => this.#mountPoints?.has(path));
  }
}

function cannotFreeze(): ToolError {
  return new ToolError(
    "unavailable",
    "The command was not run: another process in the workspace could not be frozen while the sandbox was set up",
    {
      hint: "Find it with process.list, stop it, then try again.",
      forUser: { hint: "Stop the processes that run in the workspace, then try again." },
    },
  );
}

// On a busy machine it takes long until a stopped process is reported as stopped.
const patienceMs = 10_000;

/** After so many rounds in which all running processes are blocked, everything is thawed for a moment. */
const mostBlockedRounds = 50;

/**
 * Stops all descendants of a process. Returns a function that thaws them, except those that were already stopped;
 * undefined when one does not stop. A process that has called vfork cannot stop before its child becomes a program. If
 * that child was stopped first, both would wait forever, so everything is thawed for a moment, longer each time.
 */
export async function freeze(leader: number): Promise<(() => void) | undefined> {
  const until = monotonicMs() + patienceMs;
  for (let pauseMs = 2; monotonicMs() < until; pauseMs = Math.min(2 * pauseMs, 200)) {
    const stopped = new Set<number>();
    // Parents stop first and continue last, because a shell must not notice that its child was stopped.
    const thaw = () => {
      for (const pid of [...stopped].toReversed()) send(pid, "SIGCONT");
    };
    let blockedRounds = 0;
    for (let round = 0; blockedRounds < mostBlockedRounds && monotonicMs() < until; round += 1) {
      const moving = descendantsOf(leader).filter(({ states }) => states.some(isMoving));
      if (moving.length === 0) return thaw;
      for (const { pid } of moving) if (send(pid, "SIGSTOP")) stopped.add(pid);
      if (moving.every(({ states }) => states.every((state) => !isMoving(state) || state === "D")))
        blockedRounds += 1;
      await (round < 5 ? setImmediate() : setTimeout(2));
    }
    thaw();
    await setTimeout(pauseMs);
  }
  return undefined;
}

/** Lists the descendants with the states of their threads. In a process namespace no process can leave this tree. */
function descendantsOf(pid: number): readonly { readonly pid: number; readonly states: readonly string[] }[] {
  const children = tasksOf(pid).flatMap((task) => readSystemFile(`${task}/children`).split(" "));
  return children
    .filter((child) => child !== "")
    .map(Number)
    .flatMap((child) => [{ pid: child, states: tasksOf(child).map(stateOf) }, ...descendantsOf(child)]);
}

function isMoving(state: string): boolean {
  return !"TtZX".includes(state);
}

/** Returns "X" (dead) for a thread that no longer exists. */
function stateOf(task: string): string {
  const stat = readSystemFile(`${task}/stat`);
  return stat[stat.lastIndexOf(")") + 2] ?? "X";
}

function tasksOf(pid: number): readonly string[] {
  return namesIfReadable(`/proc/${pid}/task`).map((task) => `/proc/${pid}/task/${task}`);
}

function send(pid: number, signal: NodeJS.Signals): boolean {
  return attempt(() => process.kill(pid, signal)) === true;
}
