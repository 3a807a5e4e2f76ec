import { monotonicMs } from "../lib/clock.ts";
import { printable, printableLine } from "../lib/text/printable.ts";
import { plainTerminalText } from "../lib/text/terminal-text.ts";
import type { CallEventStream } from "../toolcrib/index.ts";
import { interruptible } from "./interruption.ts";
import { canRedraw, columnsOf, isTerminal, remark, startOfLine } from "./terminal.ts";

/**
 * Shows a running call: with `live` the output of its command, and below it a line with the tool, the time and the
 * progress. A call that ends within a second shows no line.
 */
export function showProgress(
  crib: { readonly events: Pick<CallEventStream, "on"> },
  tool: string,
  { live }: { readonly live: boolean },
): Progress {
  const shown = new ShownLines();
  const line = commandProgress(tool, () => shown.isAtLineStart);
  const stopListening = crib.events.on((event) => {
    if (event.type === "tool-progress") line.update(event.message);
    if (event.type !== "tool-output" || !live) return;
    line.clear();
    remark(shown.add(event.text));
  });
  return {
    stop: () => {
      line.stop();
      stopListening();
      if (!shown.isAtLineStart) remark("\n");
    },
    whileAsking: line.whileAsking,
    notShown: (text) => shown.without(text),
  };
}

interface ProgressLine extends Pick<Progress, "stop" | "whileAsking"> {
  update(message: string): void;
  clear(): void;
}

/**
 * Shows only the line, and only while `mayShow` allows it. A terminal that cannot redraw gets a new line after two
 * seconds, and then every 30 seconds.
 */
export function commandProgress(command: string, mayShow = () => true): ProgressLine {
  if (!isTerminal(2))
    return { update: () => {}, clear: () => {}, stop: () => {}, whileAsking: (work) => work() };
  const redraws = canRedraw(2);
  let asking = 0;
  const startedAt = monotonicMs();
  let message = "";
  let isShown = false;
  let nextLineAt = 2;
  const timer = setInterval(() => {
    const seconds = Math.floor((monotonicMs() - startedAt) / 1000);
    if (seconds === 0 || asking > 0 || !mayShow()) return;
    const line = `${command} … ${seconds} s${message}`.slice(0, columnsOf(2) - 1);
    if (redraws) remark(`${startOfLine}${line}`);
    else if (seconds >= nextLineAt) {
      nextLineAt = seconds + 30;
      remark(`${line}\n`);
    }
    isShown = redraws;
  }, 250);
  const clear = () => {
    if (isShown) remark(startOfLine);
    isShown = false;
  };
  return {
    clear,
    update: (text) => {
      message = ` ${printableLine(text)}`;
    },
    stop: () => {
      clearInterval(timer);
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

/** Runs work that shows its progress and that Ctrl-C cancels. */
export async function withProgress<Result>(
  command: string,
  work: (update: (message: string) => void, signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const { update, stop } = commandProgress(command);
  return interruptible((signal) => work(update, signal)).finally(stop);
}

interface Progress {
  stop(): void;
  /** Hides the line while the user is asked. */
  whileAsking<Answer>(work: () => Promise<Answer>): Promise<Answer>;
  /** Returns the text without the lines that were shown live. */
  notShown(text: string): string;
}

/** The output that was shown live, as far as the result may repeat it. */
export class ShownLines {
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

  /** Returns the text without lines that were shown, and without the marks between them. */
  without(text: string): string {
    if (this.#head === "") return text;
    const shown = new Set(`${this.#head}\n${this.#tail}`.split("\n"));
    return text
      .split("\n")
      .filter((line) => !shown.has(printable(line)) && !mark.test(line))
      .join("\n");
  }
}

/** The number of characters that are compared, more than any result shows of its beginning or end. */
const heldChars = 64 * 1024;

const mark = /^\[(?:stdout|stderr|… \d+ (?:characters|bytes)(?: of std(?:out|err))? cut …)\]$/;
