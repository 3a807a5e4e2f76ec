/** Settled by whatever tells a server to end: a signal, or the death of who has started it. */
export function untilToldToEnd({ withParent }: { readonly withParent: boolean }): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => resolve());
    if (!withParent) return;
    // A grandchild of a client that was killed may hold its end of our standard input open for ever.
    const parent = process.ppid;
    setInterval(() => {
      if (process.ppid !== parent) resolve();
    }, lookMs).unref();
  });
}

/**
 * Ends what runs and writes down what is left. Who is not done in time is cut off: the exit of this process kills whatever it
 * has started, and clients wait no longer than this before they use force themselves.
 */
export async function leave(close: () => Promise<void>): Promise<never> {
  const force = setTimeout(() => process.exit(0), patienceMs);
  await close().catch(() => {});
  clearTimeout(force);
  process.exit(0);
}

const lookMs = 250;
const patienceMs = 600;
