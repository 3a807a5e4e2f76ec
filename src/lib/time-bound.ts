import { Script } from "node:vm";

/** Thrown when work exceeds its time limit. */
export class OutOfTime extends Error {
  override readonly name = "OutOfTime";
}

const workKey = Symbol.for("toolcrib.timeBoundWork");
const callWork = new Script("globalThis[Symbol.for('toolcrib.timeBoundWork')]()");

/**
 * Runs synchronous work and throws `OutOfTime` when it takes too long. Only this stops a backtracking regular
 * expression. A call costs about 0.2 ms, so give it more than one small task.
 */
export function withinTime<Result>(timeoutMs: number, work: () => Result): Result {
  requireDescriptors(neededByWatchdog);
  const holder = globalThis as unknown as Record<symbol, unknown>;
  try {
    holder[workKey] = work;
    return callWork.runInThisContext({ timeout: timeoutMs }) as Result;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    throw code === "ERR_SCRIPT_EXECUTION_TIMEOUT" ? new OutOfTime() : error;
  } finally {
    delete holder[workKey];
  }
}

let requireDescriptors = (_count: number): void => {};

/**
 * Sets the check that throws when fewer than `count` descriptors are free. Without them Node aborts the whole process,
 * because it cannot start the thread that watches the time. The local environment sets the check, because this folder
 * does not open files.
 */
export function setDescriptorCheck(check: (count: number) => void): void {
  requireDescriptors = check;
}

// The event loop of the watching thread takes four descriptors for its wake-up and signal pipes.
const neededByWatchdog = 6;
