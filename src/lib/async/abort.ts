import { ToolError } from "../../contract/error.ts";

/** Throws `abortError` when `signal` has been aborted. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw abortError(signal);
}

/** Returns the error of an aborted call: the signal's reason when it is a ToolError (a deadline), else `cancelled`. */
export function abortError({ reason }: AbortSignal, message = "The call was cancelled"): ToolError {
  return reason instanceof ToolError ? reason : new ToolError("cancelled", message, { cause: reason });
}

/** Returns a `failure` for `untilAborted` whose error names the awaited thing. */
export function whileWaitingFor(awaited: string): (signal: AbortSignal) => ToolError {
  return (signal) => abortError(signal, `The call was cancelled while it waited for ${awaited}`);
}

/** Waits for `work` until `signal` aborts, then rejects with `failure`. The work continues; its result is ignored. */
export function untilAborted<Result>(
  work: PromiseLike<Result> | Result,
  signal: AbortSignal,
  failure: (signal: AbortSignal) => unknown = abortError,
): Promise<Result> {
  return raceAbort(work, signal, (_, reject) => reject(failure(signal)));
}

/** Waits for `work` until `signal` aborts, then resolves with undefined. The work continues; its result is ignored. */
export function unlessAborted<Result>(
  work: PromiseLike<Result> | Result,
  signal: AbortSignal,
): Promise<Result | undefined> {
  return raceAbort<Result | undefined>(work, signal, (resolve) => resolve(undefined));
}

async function raceAbort<Result>(
  work: PromiseLike<Result> | Result,
  signal: AbortSignal,
  settle: (resolve: (value: Result) => void, reject: (reason: unknown) => void) => void,
): Promise<Result> {
  const { promise: aborted, resolve, reject } = Promise.withResolvers<Result>();
  const onAbort = () => settle(resolve, reject);
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
