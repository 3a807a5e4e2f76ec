import { availableParallelism } from "node:os";
import type { ProcessStartOptions, RunningProcess } from "../../../contract/environment.ts";
import { abortError } from "../../../lib/async/abort.ts";
import { Semaphore } from "../../../lib/async/semaphore.ts";

/**
 * Starts a program when a slot of its kind is free, and returns the slot when the program ends, or after `slowMs`: the
 * slots bound how many programs start and work at once, not how long a program may run. A start that takes very long
 * returns its slot too. All instances of this process share the slots. A wait ends with `signal`.
 *
 * No wait is endless: a slot is returned in any case, and a call that holds one starts further programs of that kind
 * without waiting, because it could wait for itself.
 */
export async function startInTurn(
  program: string,
  { confinement, caller, signal }: ProcessStartOptions,
  start: () => Promise<RunningProcess>,
): Promise<RunningProcess> {
  const kind = confinement === "ours" ? builtIn.get(program) : commands;
  if (kind === undefined || kind.holders.has(signal)) return start();
  const cancelled = (by: AbortSignal) => abortError(by, `The call was cancelled before ${program} started`);
  const free = await kind.slots.take(signal, cancelled, caller);
  kind.holders.add(signal);
  let isHeld = true;
  const release = () => {
    if (!isHeld) return;
    isHeld = false;
    free();
    kind.holders.delete(signal);
  };
  // A start looks at the workspace first, which takes long in a huge one. Other workspaces must not wait for that.
  let timer = setTimeout(release, slowestStartMs).unref();
  try {
    const running = await start();
    clearTimeout(timer);
    timer = setTimeout(release, kind.slowMs).unref();
    const hasEnded = () => {
      clearTimeout(timer);
      release();
    };
    running.exit.then(hasEnded, hasEnded);
    return running;
  } catch (error) {
    clearTimeout(timer);
    release();
    throw error;
  }
}

const slowestStartMs = 10_000;

class Kind {
  readonly slots: Semaphore;
  readonly slowMs: number;
  /** The signals of the calls that hold a slot. */
  readonly holders = new Set<AbortSignal>();

  constructor(slots: number, slowMs: number) {
    this.slots = new Semaphore(slots);
    this.slowMs = slowMs;
  }
}

const cores = availableParallelism();

/**
 * Short programs that use whole processors. Each has slots of its own, so that git does not wait for a search. Other
 * built-in programs, such as MCP servers, run for long and are few.
 */
const builtIn: ReadonlyMap<string, Kind> = new Map([
  ["rg", new Kind(Math.max(2, cores), 3_000)],
  ["git", new Kind(Math.max(2, cores), 3_000)],
]);

/** Commands in a sandbox. Starting one takes some processes; then it often waits for others, or never ends. */
const commands = new Kind(Math.max(4, 2 * cores), 1_000);
