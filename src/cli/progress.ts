import { monotonicMs } from "../lib/clock.ts";
import { printable, printableLine } from "../lib/text/printable.ts";
import { plainTerminalText } from "../lib/text/terminal-text.ts";
import type { EventListener, EventSource } from "../toolcrib/index.ts";
import { canRedraw, columnsOf, remark } from "./terminal.ts";

/**
 * Shows a running call: the output of its command if `live`, and below it a line with the tool, the time and the
 * progress. A call that ends within a second shows no such line.
 */
export function showProgress(
  crib: { readonly events: Pick<EventSource, "on"> },
  tool: string,
  { live }: { readonly live: boolean },
): Progress {
  const shown = new ShownLines();
  const show = (text: string) => {
    line.clear();
    remark(shown.add(text));
  };
  const stopShowing = live
    ? crib.events.on((event) => event.type === "output" && show(event.text))
    : () => {};
  const line = canRedraw(2) ? showLine(crib, tool, shown) : noLine;
  return {
    stop: () => {
      line.stop();
      stopShowing();
      if (!shown.isAtLineStart) remark("\n");
    },
    whileAsking: (work) => line.whileAsking(work),
    notShown: (text) => shown.without(text),
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
  lines: ShownLines,
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
    if (seconds === 0 || asking > 0 || !lines.isAtLineStart) return;
    const line = `${tool} … ${seconds} s${message}`.slice(0, columnsOf(2) - 1);
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
  /** Hides the line while the user is asked. */
  whileAsking<Answer>(work: () => Promise<Answer>): Promise<Answer>;
  /** The text without the lines that were shown live. */
  notShown(text: string): string;
}

/** Moves to the first column and erases the line. */
const startOfLine = "\r\u001b[2K";

/** The output that was shown live, as far as the result may repeat it. */
class ShownLines {
  #head = "";
  #tail = "";

  get isAtLineStart(): boolean {
    const shown = this.#tail === "" ? this.#head : this.#tail;
    return shown === "" || shown.endsWith("\n");
  }

  /** Returns the text in a form that does not control the terminal. */
  add(text: string): string {
    const shown = printable(plainTerminalText(text));
    if (this.#tail === "" && this.#head.length < heldChars) this.#head += shown;
    else this.#tail = (this.#tail + shown).slice(-heldChars);
    return shown;
  }

  /** The text without lines that were shown, and without the marks between them. */
  without(text: string): string {
    if (this.#head === "") return text;
    const shown = new Set(`${this.#head}\n${this.#tail}`.split("\n"));
    return text
      .split("\n")
      .filter((line) => !shown.has(printable(line)) && !mark.test(line))
      .join("\n");
  }
}

/** More than any result shows of either end. */
const heldChars = 64 * 1024;

const mark = /^\[(?:stdout|stderr|… \d+ (?:characters|bytes)(?: of std(?:out|err))? cut …)\]$/;

/** The same line for a command that does not make a call. */
export function commandProgress(command: string): { update(message: string): void; stop(): void } {
  const listeners = new Set<EventListener>();
  const events = {
    on: (listener: EventListener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  const { stop } = showProgress({ events }, command, { live: false });
  const update = (message: string) => {
    for (const listener of listeners)
      listener({ type: "progress", message, callId: "", tool: command, at: Date.now() });
  };
  return { update, stop };
}
