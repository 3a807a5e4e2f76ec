import type { Waiting } from "../contract/process.ts";
import { throwIfAborted, untilAborted } from "../lib/async/abort.ts";

/** Waits for work. Returns false on timeout; throws when the call is aborted. */
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
  const reporting = setInterval(() => {
    if (describe !== undefined) progress?.(describe(Math.round((Date.now() - began) / 1000)));
  }, 2_000);
  try {
    return await untilAborted(Promise.race([work.then(() => true), over]), signal);
  } catch (error) {
    throwIfAborted(signal);
    throw error;
  } finally {
    clearTimeout(deadline);
    clearInterval(reporting);
  }
}
