/** Ctrl-C cancels what runs; a second one ends the program at once. */
export function onInterruption(): { readonly signal: AbortSignal; stop(): void } {
  const controller = new AbortController();
  const interrupt = (name: NodeJS.Signals, number: number) => {
    if (controller.signal.aborted) process.exit(128 + number);
    controller.abort(name);
  };
  process.on("SIGINT", interrupt);
  process.on("SIGTERM", interrupt);
  return {
    signal: controller.signal,
    stop: () => {
      process.off("SIGINT", interrupt);
      process.off("SIGTERM", interrupt);
    },
  };
}
