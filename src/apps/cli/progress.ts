import { monotonicMs } from "../../text/clock.ts";
import type { Toolcrib } from "../../toolcrib.ts";
import { isTerminal, remark } from "./terminal.ts";

/** A line for the person who waits: what runs, for how long, how far. Calls that end soon show none. */
export function showProgress(crib: Pick<Toolcrib, "events">, tool: string): { stop(): void } {
  if (!isTerminal(2)) return { stop: () => {} };
  const startedAt = monotonicMs();
  let message = "";
  let shown = false;
  const stopListening = crib.events.on((event) => {
    if (event.type === "progress") message = ` ${event.message}`;
  });
  const timer = setInterval(() => {
    const seconds = Math.floor((monotonicMs() - startedAt) / 1000);
    if (seconds === 0) return;
    const line = `${tool} … ${seconds} s${message}`.slice(0, (process.stderr.columns || 80) - 1);
    remark(`${startOfLine}${line}`);
    shown = true;
  }, 250);
  return {
    stop: () => {
      clearInterval(timer);
      stopListening();
      if (shown) remark(startOfLine);
    },
  };
}

/** Back to the first column, and the line emptied. */
const startOfLine = "\r\u001b[2K";
