/** What `work` gives; undefined when `signal` comes first, however long the work goes on. */
export async function untilStopped<Value>(
  work: PromiseLike<Value> | Value,
  signal: AbortSignal,
): Promise<Value | undefined> {
  const { promise: stopped, resolve } = Promise.withResolvers<undefined>();
  const stop = () => resolve(undefined);
  signal.addEventListener("abort", stop);
  if (signal.aborted) stop();
  const done = Promise.resolve(work);
  // When the wait is over, nobody is left to hear how it failed.
  done.catch(() => {});
  try {
    return await Promise.race([done, stopped]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
