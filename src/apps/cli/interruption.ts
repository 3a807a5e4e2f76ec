/** Ctrl-C cancels what runs, as does a closed terminal; a second one ends the program at once. */
export function onInterruption(): { readonly signal: AbortSignal; stop(): void } {
  const controller = new AbortController();
  const interrupt = (name: NodeJS.Signals, number: number) => {
    if (controller.signal.aborted) process.exit(128 + number);
    controller.abort(name);
  };
  for (const name of signals) process.on(name, interrupt);
  return {
    signal: controller.signal,
    stop: () => {
      for (const name of signals) process.off(name, interrupt);
    },
  };
}

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
