import type { CallClock, Outcome } from "../../contract/call.ts";
import { errorWith, ToolError } from "../../contract/error.ts";
import { monotonicMs } from "../../lib/clock.ts";
import type { Stage } from "../stage.ts";

const defaultTimeoutMs = 60_000;

/** The time that a tool has to clean up after its signal. After that the call ends without it. */
const graceMs = 200;

/** The longest timer that Node.js supports: 24 days. */
const longestMs = 2 ** 31 - 1;

/**
 * Ends a call at its deadline or when it is cancelled. The tool then gets a grace period, and its result counts if it
 * finishes within that. A tool that does not stop outlives its call and keeps its turn; the error has the output that it
 * emitted.
 */
export const limitTime: Stage = async (call, next) => {
  if (call.signal.aborted) throw cancelled();
  const timeoutMs = checked(call.timeoutMs ?? call.tool.timeoutMs ?? defaultTimeoutMs);
  const controller = new AbortController();
  // `Promise.race` would take several times as long.
  const { promise: ended, resolve: finish, reject: fail } = Promise.withResolvers<Outcome>();
  let reason: ToolError | undefined;
  let graceTimer: NodeJS.Timeout | undefined;
  const end = (error: ToolError) => {
    if (reason) return;
    reason = error;
    controller.abort(error);
    graceTimer = setTimeout(() => {
      call.outlivedBy(work);
      fail(errorWith(error, { output: emitted === "" ? undefined : emitted }));
    }, graceMs);
  };
  let emitted = "";
  const notify: typeof call.notify = (notice) => {
    if (notice.type === "output") emitted = (emitted + notice.text).slice(-call.tool.limits.maxChars);
    call.notify(notice);
  };
  const onAbort = () => end(cancelled());
  const deadline = new Deadline(timeoutMs, () => end(timedOut(timeoutMs)));
  const endTurn = call.parent?.clock?.run();
  call.signal.addEventListener("abort", onAbort);
  const work = next({ ...call, signal: controller.signal, clock: deadline, notify });
  work.then(finish, fail);
  try {
    return await ended;
  } catch (error) {
    // The tool's own error is kept when it contains the output so far.
    throw reason === undefined || (error instanceof ToolError && error.output !== undefined) ? error : reason;
  } finally {
    deadline.close();
    endTurn?.();
    clearTimeout(graceTimer);
    call.signal.removeEventListener("abort", onAbort);
  }
};

/** Ends a call after a time, in which the waiting of its inner calls does not count. */
class Deadline implements CallClock {
  readonly #end: () => void;
  #leftMs: number;
  #startedAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #waiting = 0;
  #running = 0;
  #isStill = true;
  #isClosed = false;

  constructor(timeoutMs: number, end: () => void) {
    this.#leftMs = timeoutMs;
    this.#end = end;
    this.#update();
  }

  wait(): () => void {
    this.#waiting += 1;
    this.#update();
    return () => {
      this.#waiting -= 1;
      this.#update();
    };
  }

  run(): () => void {
    this.#running += 1;
    this.#update();
    return () => {
      this.#running -= 1;
      this.#update();
    };
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#isClosed = true;
  }

  #update(): void {
    const isStill = this.#waiting > 0 && this.#running === 0;
    if (isStill === this.#isStill || this.#isClosed) return;
    this.#isStill = isStill;
    if (isStill) this.#leftMs -= monotonicMs() - this.#startedAt;
    else {
      this.#startedAt = monotonicMs();
      // A script starts and ends many waits. Setting the timer again takes longer than looking at the clock when it fires.
      if (this.#timer === undefined) this.#watch(this.#leftMs);
    }
  }

  #watch(leftMs: number): void {
    const fire = () => {
      this.#timer = undefined;
      if (this.#isStill) return;
      const nowLeftMs = this.#leftMs - (monotonicMs() - this.#startedAt);
      if (nowLeftMs <= 0) this.#end();
      else this.#watch(nowLeftMs);
    };
    this.#timer = setTimeout(fire, Math.min(Math.ceil(leftMs), longestMs));
  }
}

function checked(timeoutMs: number): number {
  if (timeoutMs > 0) return timeoutMs;
  throw new ToolError("invalid-input", `A time limit of ${timeoutMs} ms is invalid`, {
    hint: "Give a positive number of milliseconds.",
  });
}

function timedOut(timeoutMs: number): ToolError {
  return new ToolError("timeout", `The call did not finish within ${timeoutMs / 1000} s and was ended`, {
    hint: "Narrow the path or pattern, or allow more time.",
    forUser: { hint: `To allow more time, add --timeout-ms ${2 * timeoutMs}` },
  });
}

function cancelled(): ToolError {
  return new ToolError("cancelled", "The call was cancelled");
}
