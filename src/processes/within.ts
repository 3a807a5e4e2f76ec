import type { Waiting } from "../contract/process.ts";
import { throwIfAborted, untilAborted } from "../lib/async/abort.ts";

/** Waits for something, but no longer than this and than the call is wanted. False after the time. */
export async function within(
  work: Promise<unknown>,
  timeoutMs: number,
  { signal, progress }: Waiting,
  describe?: (seconds: number) => string,
): Promise<boolean> {
  throwIfAborted(signal);
  const { promise: over, resolve: end } = Promise.withResolvers<boolean>();
  const deadline = setTimeout(() => end(false), timeoutMs);
  const began = Date.now();
  const telling = setInterval(() => {
    if (describe !== undefined) progress?.(describe(Math.round((Date.now() - began) / 1000)));
  }, tellEveryMs);
  try {
    return await untilAborted(Promise.race([work.then(() => true), over]), signal);
  } catch (error) {
    throwIfAborted(signal);
    throw error;
  } finally {
    clearTimeout(deadline);
    clearInterval(telling);
  }
}

const tellEveryMs = 2_000;
