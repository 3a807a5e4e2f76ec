import { monotonicMs } from "../lib/clock.ts";
import { printableLine } from "../lib/printable.ts";
import type { EventSource } from "../toolcrib/index.ts";
import { SaidLines } from "./said-lines.ts";
import { canRedraw, remark } from "./terminal.ts";

/**
 * For the person who waits: what a command says as it says it, if told so, and below it a line that tells what runs, for
 * how long, how far. Calls that end soon show no such line.
 */
export function showProgress(
  crib: { readonly events: Pick<EventSource, "on"> },
  tool: string,
  { live }: { readonly live: boolean },
): Progress {
  const said = new SaidLines();
  const show = (text: string) => {
    clear();
    remark(said.add(text));
  };
  const stopShowing = live
    ? crib.events.on((event) => event.type === "output" && show(event.text))
    : () => {};
  const line = canRedraw(2) ? showLine(crib, tool, said) : noLine;
  const clear = () => line.clear();
  return {
    stop: () => {
      line.stop();
      stopShowing();
      if (!said.isAtLineStart) remark("\n");
    },
    whileAsking: (work) => line.whileAsking(work),
    notShown: (text) => said.without(text),
  };
}

const noLine = {
  stop: () => {},
  clear: () => {},
  whileAsking: <Answer>(work: () => Promise<Answer>) => work(),
};

function showLine(
  crib: { readonly events: Pick<EventSource, "on"> },
  tool: string,
  said: SaidLines,
): typeof noLine {
  let asking = 0;
  const startedAt = monotonicMs();
  let message = "";
  let shown = false;
  const stopListening = crib.events.on((event) => {
    if (event.type === "progress") message = ` ${printableLine(event.message)}`;
  });
  const timer = setInterval(() => {
    const seconds = Math.floor((monotonicMs() - startedAt) / 1000);
    if (seconds === 0 || asking > 0 || !said.isAtLineStart) return;
    const line = `${tool} … ${seconds} s${message}`.slice(0, (process.stderr.columns || 80) - 1);
    remark(`${startOfLine}${line}`);
    shown = true;
  }, 250);
  const clear = () => {
    if (shown) remark(startOfLine);
    shown = false;
  };
  return {
    clear,
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
  /** What of a text was not shown already, as it was said. */
  notShown(text: string): string;
}

/** Back to the first column, and the line emptied. */
const startOfLine = "\r\u001b[2K";
