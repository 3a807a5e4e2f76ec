import type { Waiting } from "../contract/process.ts";
import { throwIfAborted } from "../lib/breath.ts";

/** Waits for something, but no longer than this and than the call is wanted. False after the time. */
export async function within(
  work: Promise<unknown>,
  timeoutMs: number,
  { signal, progress }: Waiting,
  describe?: (seconds: number) => string,
): Promise<boolean> {
  throwIfAborted(signal);
  const { promise: over, resolve: end, reject } = Promise.withResolvers<boolean>();
  const onAbort = () => reject(signal.reason);
  const deadline = setTimeout(() => end(false), timeoutMs);
  const began = Date.now();
  const telling = setInterval(() => {
    if (describe !== undefined) progress?.(describe(Math.round((Date.now() - began) / 1000)));
  }, tellEveryMs);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work.then(() => true), over]);
  } catch (error) {
    throwIfAborted(signal);
    throw error;
  } finally {
    clearTimeout(deadline);
    clearInterval(telling);
    signal.removeEventListener("abort", onAbort);
  }
}

const tellEveryMs = 2_000;
