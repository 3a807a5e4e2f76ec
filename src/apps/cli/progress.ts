import { monotonicMs } from "../../text/clock.ts";
import { printableLine } from "../../text/printable.ts";
import type { Toolcrib } from "../../toolcrib.ts";
import { canRedraw, remark } from "./terminal.ts";

/** A line for the person who waits: what runs, for how long, how far. Calls that end soon show none. */
export function showProgress(crib: Pick<Toolcrib, "events">, tool: string): Progress {
  if (!canRedraw(2)) return { stop: () => {}, whileAsking: (work) => work() };
  let asking = 0;
  const startedAt = monotonicMs();
  let message = "";
  let shown = false;
  const stopListening = crib.events.on((event) => {
    if (event.type === "progress") message = ` ${printableLine(event.message)}`;
  });
  const timer = setInterval(() => {
    const seconds = Math.floor((monotonicMs() - startedAt) / 1000);
    if (seconds === 0 || asking > 0) return;
    const line = `${tool} … ${seconds} s${message}`.slice(0, (process.stderr.columns || 80) - 1);
    remark(`${startOfLine}${line}`);
    shown = true;
  }, 250);
  const clear = () => {
    if (shown) remark(startOfLine);
    shown = false;
  };
  return {
    stop: () => {
      clearInterval(timer);
      stopListening();
      clear();
    },
    whileAsking: async (work) => {
      asking += 1;
      clear();
      try {
        return await work();
      } finally {
        asking -= 1;
      }
    },
  };
}

interface Progress {
  stop(): void;
  /** Keeps out of the way of a question. */
  whileAsking<Answer>(work: () => Promise<Answer>): Promise<Answer>;
}

/** Back to the first column, and the line emptied. */
const startOfLine = "\r\u001b[2K";
