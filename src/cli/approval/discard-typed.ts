import { setTimeout as pause } from "node:timers/promises";

/**
 * Throws away what was typed before a question stands there: it was meant for something else, maybe for what only looked like a
 * question. Without the terminal's own line editing, so that half a line goes, too.
 */
export async function discardTyped(): Promise<void> {
  const { stdin } = process;
  const discard = (typed: Buffer) => {
    if (typed.includes(interrupt)) process.kill(process.pid, "SIGINT");
  };
  stdin.setRawMode(true).on("data", discard).resume();
  await pause(settleMs);
  stdin.off("data", discard).pause().setRawMode(false);
}

/** What Ctrl-C types while the terminal does not make a signal of it. */
const interrupt = "\u0003";

/** What lies there comes at once. */
const settleMs = 30;
