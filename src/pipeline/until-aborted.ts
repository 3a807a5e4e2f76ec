import { ToolError } from "../contract/error.ts";

/** Waits for something that may never come, but no longer than the call is wanted. */
export async function untilAborted<Result>(
  work: Promise<Result>,
  signal: AbortSignal,
  doing: string,
): Promise<Result> {
  const { promise: cancelled, reject } = Promise.withResolvers<never>();
  const onAbort = () =>
    reject(
      signal.reason instanceof ToolError
        ? signal.reason
        : new ToolError("cancelled", `The call was cancelled while it waited for ${doing}`),
    );
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    if (signal.aborted) onAbort();
    return await Promise.race([work, cancelled]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
