import { monotonicMs } from "../lib/clock.ts";

/** Aborts on Ctrl-C or a closed terminal; a second, later Ctrl-C exits at once. */
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

/** Runs work that Ctrl-C cancels. */
export async function interruptible<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const { signal, stop } = onInterruption();
  return work(signal).finally(stop);
}

/** Acts as if the terminal had sent the signal: in raw mode it sends a key instead. */
export function interrupt(name: "SIGINT" | "SIGHUP"): void {
  const emitter: NodeJS.EventEmitter = process;
  const number = name === "SIGINT" ? 2 : 1;
  if (!emitter.emit(name, name, number)) process.exit(128 + number);
}

/** The time within which a second signal is the same Ctrl-C: the launcher, npx and npm repeat the terminal's signal. */
const sameMs = 500;

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
