/**
 * Calls `kill` when this process ends by itself or by a signal. Returns a function that ends this. When the process is killed
 * by SIGKILL, nothing is called.
 */
export function endWithProcess(kill: () => void): () => void {
  if (kills.size === 0) listen("on");
  kills.add(kill);
  return () => {
    if (kills.delete(kill) && kills.size === 0) listen("off");
  };
}

const kills = new Set<() => void>();

function killAll(): void {
  for (const kill of kills) kill();
}

/** Kills all and sends the signal again. Without this listener it would end the process without an exit event. */
function endBy(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return;
  killAll();
  process.off(signal, endBy);
  process.kill(process.pid, signal);
}

function listen(how: "on" | "off"): void {
  process[how]("exit", killAll);
  for (const signal of ["SIGHUP", "SIGINT", "SIGTERM"]) process[how](signal, endBy);
}
