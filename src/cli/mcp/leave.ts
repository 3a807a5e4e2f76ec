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
 * Ends what runs and writes down what is left, within the second that clients wait before they use force: what does not end
 * when it is asked to is killed, so that its calls end and are told in the journal.
 */
export async function leave(close: () => Promise<void>): Promise<never> {
  const insist = setTimeout(killStarted, patienceMs);
  const giveUp = setTimeout(() => process.exit(0), 2 * patienceMs);
  await close().catch(() => {});
  clearTimeout(insist);
  clearTimeout(giveUp);
  process.exit(0);
}

/** What starts programs is loaded by the first that is started. */
async function killStarted(): Promise<void> {
  const { killWatched } = await import("../../environment/local/processes/runs.ts");
  killWatched();
}

const lookMs = 200;
const patienceMs = 350;
