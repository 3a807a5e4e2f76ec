/** What `work` gives; undefined when `signal` comes first, however long the work goes on. */
export async function untilStopped<Value>(
  work: Promise<Value> | Value,
  signal: AbortSignal,
): Promise<Value | undefined> {
  if (!(work instanceof Promise)) return work;
  const { promise: stopped, resolve } = Promise.withResolvers<undefined>();
  const stop = () => resolve(undefined);
  signal.addEventListener("abort", stop);
  if (signal.aborted) stop();
  // When the wait is over, nobody is left to hear how it failed.
  work.catch(() => {});
  try {
    return await Promise.race([work, stopped]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
