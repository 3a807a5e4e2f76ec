import { widthOf } from "../approvals/show-request.ts";
import { canRedraw, columnsOf, isTerminal, print, printExact, remark, startOfLine } from "../terminal.ts";

/** The outputs on which a session is shown. */
export interface Outputs {
  print(text: string): void;
  remark(text: string): void;
  /** Whether standard output is a terminal. */
  readonly isWatched: boolean;
  /** Whether a line of standard error can be rewritten. */
  readonly canRedraw: boolean;
  columns(): number;
}

/** Returns the outputs of this process. */
export function ownOutputs(): Outputs {
  const isWatched = isTerminal(1);
  return {
    print: isWatched ? print : printExact,
    remark,
    isWatched,
    canRedraw: canRedraw(2),
    columns: () => (isTerminal(2) ? columnsOf(2) : logColumns),
  };
}

const logColumns = 160;

/** Separates the model's text, the lines about everything else, and the live line. */
export class Screen {
  readonly outputs: Outputs;
  #isAtLineStart = true;
  #isInText = false;
  /** The text of the live line. */
  #live = "";
  #questions = 0;
  #lastAnswer: Promise<unknown> = Promise.resolve();
  /** Writes that wait until a question is answered. */
  readonly #held: (() => void)[] = [];

  constructor(outputs: Outputs) {
    this.outputs = outputs;
  }

  /** Streams text of the model to standard output. */
  print(text: string): void {
    if (text === "") return;
    this.#whenAnswered(() => {
      this.#clear();
      this.outputs.print(text);
      this.#isAtLineStart = text.endsWith("\n");
      this.#isInText = true;
    });
  }

  /** Ends the current text of the model. */
  endText(): void {
    this.#whenAnswered(() => {
      this.#isInText = false;
    });
  }

  /** Makes the next output start a line. */
  endLine(): void {
    this.#whenAnswered(() => {
      if (!this.#isAtLineStart) this.print("\n");
    });
  }

  /** Writes one or more whole lines to standard error. */
  showLine(lines: string): void {
    this.#whenAnswered(() => {
      this.#clear();
      this.endLine();
      this.outputs.remark(`${lines}\n`);
    });
  }

  /** Rewrites the live line; removes it when no text is given. */
  showLive(text?: string): void {
    if (text === undefined) {
      this.#clear();
      return;
    }
    if (!this.outputs.canRedraw || this.#questions > 0) return;
    if (!this.#isAtLineStart && this.#isInText) return;
    this.endLine();
    const line = cutTo(text, this.outputs.columns() - 1);
    if (line !== this.#live) this.outputs.remark(`${startOfLine}${line}`);
    this.#live = line;
  }

  /** Asks one question at a time. Holds back all output until it is answered. */
  whileAsking<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    const answer = this.#lastAnswer.then(() => this.#hold(ask));
    this.#lastAnswer = answer.catch(() => {});
    return answer;
  }

  async #hold<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
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

  #whenAnswered(write: () => void): void {
    if (this.#questions === 0) write();
    else this.#held.push(write);
  }

  #clear(): void {
    if (this.#live !== "") this.outputs.remark(startOfLine);
    this.#live = "";
  }
}

/** Cuts a line so that it fits, whatever the width of its characters. */
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
