import { monotonicMs } from "../lib/clock.ts";

/** Ctrl-C cancels what runs, as does a closed terminal; a second one, later, ends the program at once. */
export function onInterruption(): { readonly signal: AbortSignal; stop(): void } {
  const controller = new AbortController();
  let first = 0;
  const interrupt = (name: NodeJS.Signals, number: number) => {
    if (!controller.signal.aborted) {
      first = monotonicMs();
      controller.abort(name);
    } else if (monotonicMs() - first > sameMs) process.exit(128 + number);
  };
  for (const name of signals) process.on(name, interrupt);
  return {
    signal: controller.signal,
    stop: () => {
      for (const name of signals) process.off(name, interrupt);
    },
  };
}

/** Our launcher, npx and npm hand on what the terminal has told us already. */
const sameMs = 500;

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
