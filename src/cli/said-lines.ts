import { printable } from "../lib/printable.ts";
import { plainTerminalText } from "../lib/terminal-text.ts";

/** What a command has said on the terminal of the person who watches, as far as an answer might repeat it. */
export class SaidLines {
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
