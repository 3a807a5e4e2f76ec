import { widthOf } from "../approvals/show-request.ts";
import { canRedraw, isTerminal, print, remark } from "../terminal.ts";

/** Where a session is shown. */
export interface Outputs {
  print(text: string): void;
  remark(text: string): void;
  /** A person watches the standard output. */
  readonly isWatched: boolean;
  /** A line of standard error can be written again. */
  readonly canRedraw: boolean;
  columns(): number;
}

/** This process's own. */
export function ownOutputs(): Outputs {
  return {
    print,
    remark,
    isWatched: isTerminal(1),
    canRedraw: canRedraw(2),
    columns: () => (isTerminal(2) ? process.stderr.columns || 80 : logColumns),
  };
}

/** Nobody minds long lines in a file. */
const logColumns = 160;

/** Keeps the words of a model, lines about everything else and the line that is written again out of each other's way. */
export class Screen {
  readonly outputs: Outputs;
  #isAtLineStart = true;
  #isInWords = false;
  /** What the line that is written again says. */
  #live = "";
  #questions = 0;
  /** What others have to say while a question stands, which must not be pushed away by it. */
  readonly #held: (() => void)[] = [];

  constructor(outputs: Outputs) {
    this.outputs = outputs;
  }

  /** Words of the model on standard output, as they come. */
  say(text: string): void {
    if (text === "") return;
    this.#whenUnasked(() => {
      this.#clear();
      this.outputs.print(text);
      this.#isAtLineStart = text.endsWith("\n");
      this.#isInWords = true;
    });
  }

  /** No more comes of these words. */
  endWords(): void {
    this.#whenUnasked(() => {
      this.#isInWords = false;
    });
  }

  /** What comes next begins a line. */
  endLine(): void {
    this.#whenUnasked(() => {
      if (!this.#isAtLineStart) this.say("\n");
    });
  }

  /** One or more whole lines on standard error. */
  tell(lines: string): void {
    this.#whenUnasked(() => {
      this.#clear();
      this.endLine();
      this.outputs.remark(`${lines}\n`);
    });
  }

  /** The line that tells what goes on right now; none, if nothing is given. */
  showLive(text?: string): void {
    if (text === undefined) {
      this.#clear();
      return;
    }
    if (!this.outputs.canRedraw || this.#questions > 0) return;
    if (!this.#isAtLineStart && this.#isInWords) return;
    this.endLine();
    const line = cutTo(text, this.outputs.columns() - 1);
    if (line !== this.#live) this.outputs.remark(`${startOfLine}${line}`);
    this.#live = line;
  }

  /** Keeps everything out of the way of a question until it is answered. */
  async whileAsking<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    this.#clear();
    this.endLine();
    this.#questions += 1;
    try {
      return await ask();
    } finally {
      this.#questions -= 1;
      if (this.#questions === 0) for (const write of this.#held.splice(0)) write();
    }
  }

  #whenUnasked(write: () => void): void {
    if (this.#questions === 0) write();
    else this.#held.push(write);
  }

  #clear(): void {
    if (this.#live !== "") this.outputs.remark(startOfLine);
    this.#live = "";
  }
}

/** As much of a line as certainly fits. */
export function cutTo(line: string, columns: number): string {
  if (widthOf(line) <= columns) return line;
  let shown = "";
  let width = 1;
  for (const character of line) {
    width += widthOf(character);
    if (width > columns) break;
    shown += character;
  }
  return `${shown}…`;
}

/** Back to the first column, and the line emptied. */
const startOfLine = "\r\u001b[2K";
