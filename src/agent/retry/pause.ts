/** Settles after so long, or at once when `signal` ends the wait. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, Math.min(milliseconds, longestTimer));
    signal.addEventListener("abort", end);
  });
}

/** A timer for longer than 24 days would end at once. */
export const longestTimer = 2 ** 31 - 1;
