import { monotonicMs } from "../lib/clock.ts";
import { printable, printableLine } from "../lib/text/printable.ts";
import { plainTerminalText } from "../lib/text/terminal-text.ts";
import type { EventListener, EventSource } from "../toolcrib/index.ts";
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

/** What a command has said on the terminal of the person who watches, as far as an answer might repeat it. */
class SaidLines {
  #head = "";
  #tail = "";

  get isAtLineStart(): boolean {
    const said = this.#tail === "" ? this.#head : this.#tail;
    return said === "" || said.endsWith("\n");
  }

  /** How it is shown: nothing in it steers the terminal. */
  add(text: string): string {
    const shown = printable(plainTerminalText(text));
    if (this.#tail === "" && this.#head.length < heldChars) this.#head += shown;
    else this.#tail = (this.#tail + shown).slice(-heldChars);
    return shown;
  }

  /** An answer without the lines that were said, and without the marks between them. */
  without(answer: string): string {
    if (this.#head === "") return answer;
    const said = new Set(`${this.#head}\n${this.#tail}`.split("\n"));
    return answer
      .split("\n")
      .filter((line) => !said.has(printable(line)) && !mark.test(line))
      .join("\n");
  }
}

/** More than any answer shows of either end. */
const heldChars = 64 * 1024;

const mark = /^\[(?:stdout|stderr|… \d+ (?:characters|bytes)(?: of std(?:out|err))? cut …)\]$/;

/** Shows a person who waits how far a command is that is no call. */
export function tellProgress(command: string): { tell(message: string): void; stop(): void } {
  const listeners = new Set<EventListener>();
  const events = {
    on: (listener: EventListener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  const { stop } = showProgress({ events }, command, { live: false });
  const tell = (message: string) => {
    for (const listener of listeners)
      listener({ type: "progress", message, callId: "", tool: command, at: Date.now() });
  };
  return { tell, stop };
}
