import { escapeText } from "./escape.ts";

/** How a line break inside a paragraph, a heading and a cell is written. */
export type LineBreak = "  \n" | " " | "<br>";

/** The text of one paragraph. White space is folded and never stands at the inner side of a mark. */
export class InlineWriter {
  readonly lineBreak: LineBreak;
  /** In pieces until it is finished: to look at the end of a text that grows would copy it each time. */
  #pieces: string[] = [];
  #space = false;
  /** Marks around what is written now. */
  #open: string[] = [];
  /** Marks that are written before the next text, if any comes. */
  #pending: string[] = [];
  /** The mark that the last piece has closed, which can go on from there. */
  #closed: string | undefined;
  #written = 0;

  constructor(lineBreak: LineBreak) {
    this.lineBreak = lineBreak;
  }

  text(raw: string): void {
    const folded = isFolded(raw) ? raw : fold(raw);
    const body = folded.trim();
    if (body === "") {
      if (folded !== "") this.#space = true;
      return;
    }
    if (folded.charCodeAt(0) === space) this.#space = true;
    const isLineStart = this.#pieces.length === 0 || this.#pieces.at(-1) === "  \n";
    this.#begin();
    this.#pieces.push(escapeText(body, { isLineStart }));
    this.#space = folded.charCodeAt(folded.length - 1) === space;
  }

  /** Something that is written as it is: code, a picture. */
  atom(markdown: string): void {
    this.#begin();
    this.#pieces.push(markdown);
  }

  space(): void {
    this.#space = true;
  }

  break(): void {
    if (this.lineBreak === " ") {
      this.#space = true;
      return;
    }
    if (this.#pieces.length === 0 || this.#pieces.at(-1) === this.lineBreak) return;
    this.#pieces.push(this.lineBreak);
    this.#space = false;
    this.#closed = undefined;
  }

  /** Marks around what `write` writes, if it writes anything. */
  around(open: string, close: string, write: () => void): void {
    // What is bold does not become bolder, and a link in a link is none.
    if (this.#open.includes(open)) {
      write();
      return;
    }
    this.#open.push(open);
    this.#pending.push(open);
    const depth = this.#pending.length;
    const before = this.#written;
    write();
    this.#open.pop();
    if (this.#written === before) {
      this.#pending.length = depth - 1;
      return;
    }
    this.#dropBreaks();
    this.#pieces.push(close);
    this.#closed = open;
  }

  link(url: string, write: () => void): void {
    this.around("[", `](${url})`, write);
  }

  /** All of it, or nothing; the next paragraph can begin. */
  finish(): string {
    if (this.#pieces.length > 0) this.#dropBreaks();
    const markdown = this.#pieces.join("");
    this.#pieces = [];
    this.#space = false;
    this.#closed = undefined;
    return markdown;
  }

  #begin(): void {
    const last = this.#pieces.at(-1);
    const isSpaced = this.#space && last !== undefined && last !== this.lineBreak;
    const closed = this.#closed;
    this.#space = false;
    this.#closed = undefined;
    this.#written += 1;
    if (isSpaced) this.#pieces.push(" ");
    if (this.#pending.length === 0) return;
    // Two pieces of bold text without a space between are one.
    if (!isSpaced && this.#pending.length === 1 && this.#pending[0] === closed && joined.has(closed!)) {
      this.#pieces.pop();
    } else {
      if (this.#pending[0] === "[" && last?.endsWith("!") && !isSpaced) {
        this.#pieces[this.#pieces.length - 1] = `${last.slice(0, -1)}\\!`;
      }
      this.#pieces.push(...this.#pending);
    }
    this.#pending.length = 0;
  }

  #dropBreaks(): void {
    while (this.lineBreak !== " " && this.#pieces.at(-1) === this.lineBreak) this.#pieces.pop();
  }
}

const space = 0x20;

const joined: ReadonlySet<string> = new Set(["*", "**", "~~"]);

function isFolded(text: string): boolean {
  return !/[^\S ]| {2}|[\0\u00ad\u200b\u2060]/.test(text);
}

/** White space to one space each; what has no width is left out. */
function fold(text: string): string {
  return text.replace(/[\0\u00ad\u200b\u2060\ufeff]+/g, "").replace(/\s+/g, " ");
}
