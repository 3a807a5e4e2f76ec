import { createInterface, type Interface } from "node:readline";
import { setImmediate as afterInput, setTimeout as pause } from "node:timers/promises";
import { forLocale, remark } from "../terminal.ts";

/** Input in whole lines: of a pipe or file, or of a terminal that edits its lines itself. */
export class LineKeyboard {
  readonly #isAtTerminal: boolean;
  readonly #lines: string[] = [];
  #reader: Interface | undefined;
  #hear: ((line: string) => void) | undefined;
  #wake: () => void = () => {};
  #isEnded = false;

  constructor({ isAtTerminal }: { readonly isAtTerminal: boolean }) {
    this.#isAtTerminal = isAtTerminal;
  }

  /** A line that ends with a backslash continues. Pasted lines arrive together and belong together. */
  async read(signal: AbortSignal): Promise<string | undefined> {
    let input: string | undefined;
    if (this.#reader === undefined && !this.#isEnded) this.#open();
    for (;;) {
      this.#prompt(input === undefined ? prompt : continued);
      await this.#nextLine(signal);
      if (signal.aborted) return undefined;
      if (this.#isAtTerminal) await this.#restOfPaste();
      const lines = this.#isAtTerminal ? this.#lines.splice(0) : this.#lines.splice(0, 1);
      if (lines.length === 0) return input;
      const text = lines.join("\n");
      input = input === undefined ? text : `${input.slice(0, -1)}\n${text}`;
      if (!input.endsWith("\\")) return input;
    }
  }

  /** Calls `hear` with each line that is typed while the model works; lines of a pipe wait for their turn. */
  listen(hear: (line: string) => void): () => void {
    if (!this.#isAtTerminal) return () => {};
    this.#hear = hear;
    return () => {
      this.#hear = undefined;
    };
  }

  /** Adds a line that was not typed. */
  add(line: string): void {
    this.#lines.push(line);
    this.#wake();
  }

  /** Stops reading while a question is asked. */
  async lend<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    this.#shut();
    try {
      return await ask();
    } finally {
      if (!this.#isEnded) this.#open();
    }
  }

  close(): void {
    this.#isEnded = true;
    this.#shut();
    this.#wake();
  }

  async #nextLine(signal: AbortSignal): Promise<void> {
    if (this.#lines.length > 0 || this.#isEnded) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    signal.addEventListener("abort", () => resolve());
    await promise;
  }

  /** A terminal hands over pasted text line by line. On a busy machine, lines can wait until after the pause. */
  async #restOfPaste(): Promise<void> {
    let count: number;
    do {
      count = this.#lines.length;
      await pause(pasteMs);
      await afterInput();
    } while (this.#lines.length > count);
  }

  #prompt(text: string): void {
    if (this.#isAtTerminal) remark(text);
  }

  #open(): void {
    const reader = createInterface({ input: process.stdin, terminal: false });
    this.#reader = reader;
    reader.on("line", (line) => {
      if (this.#hear) this.#hear(line);
      else this.#lines.push(line);
      this.#wake();
    });
    reader.on("close", () => {
      if (this.#reader !== reader) return;
      this.#isEnded = true;
      if (this.#hear) remark("The chat ends after this turn. Ctrl-C stops it now.\n");
      this.#wake();
    });
  }

  #shut(): void {
    const reader = this.#reader;
    this.#reader = undefined;
    reader?.close();
  }
}

const prompt = "> ";
const continued = forLocale("… ");

/** Lines that follow each other within this time were pasted. */
const pasteMs = 25;
