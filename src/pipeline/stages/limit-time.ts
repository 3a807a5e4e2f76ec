import { ToolError } from "../../contract/error.ts";
import type { Stage } from "../stage.ts";

const defaultTimeoutMs = 60_000;

/** The time that a tool has to clean up after its signal. After that the call ends without it. */
const graceMs = 3_000;

/** The longest timer that Node.js supports: 24 days. */
const longestMs = 2 ** 31 - 1;

/**
 * Ends a call at its deadline or when it is cancelled. The tool then gets a grace period, and its result counts if it
 * finishes within that. A tool that does not stop outlives its call and keeps its turn.
 */
export const limitTime: Stage = async (call, next) => {
  if (call.signal.aborted) throw cancelled();
  const timeoutMs = checked(call.timeoutMs ?? call.tool.timeoutMs ?? defaultTimeoutMs);
  const controller = new AbortController();
  const { promise: givenUp, reject: giveUp } = Promise.withResolvers<never>();
  let reason: ToolError | undefined;
  let graceTimer: NodeJS.Timeout | undefined;
  const end = (error: ToolError) => {
    if (reason) return;
    reason = error;
    controller.abort(error);
    graceTimer = setTimeout(() => {
      call.outlivedBy(work);
      giveUp(error);
    }, graceMs);
  };
  const onAbort = () => end(cancelled());
  const deadline = setTimeout(() => end(timedOut(timeoutMs)), Math.min(timeoutMs, longestMs));
  call.signal.addEventListener("abort", onAbort, { once: true });
  const work = next({ ...call, signal: controller.signal });
  try {
    return await Promise.race([work, givenUp]);
  } catch (error) {
    // The tool's own error is kept when it contains the output so far.
    throw reason === undefined || (error instanceof ToolError && error.output !== undefined) ? error : reason;
  } finally {
    clearTimeout(deadline);
    clearTimeout(graceTimer);
    call.signal.removeEventListener("abort", onAbort);
  }
};

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
