import { ToolError } from "../../../contract/error.ts";

export interface BlockStart {
  readonly offset: number;
  readonly heading: string | undefined;
}

/** Writes blocks of Markdown. Adds the prefixes of quotations and list items to each line. */
export class MarkdownWriter {
  readonly starts: BlockStart[] = [];
  #markdown = "";
  /** The prefix of every line. `#nextPrefix` is for the next line, `#gapPrefix` for the empty line before it. */
  #prefix = "";
  #nextPrefix: string | undefined;
  #gapPrefix: string | undefined;
  #depth = 0;
  #joinsNext = false;

  get markdown(): string {
    return this.#markdown;
  }

  joinNext(): void {
    this.#joinsNext = true;
  }

  block(text: string, heading?: string): void {
    if (this.#markdown !== "") {
      this.#markdown += this.#joinsNext ? "\n" : `\n${(this.#gapPrefix ?? this.#prefix).trimEnd()}\n`;
    }
    if (this.#depth === 0) this.starts.push({ offset: this.#markdown.length, heading });
    const first = this.#nextPrefix ?? this.#prefix;
    this.#markdown += first + (this.#prefix === "" ? text : indentRest(text, this.#prefix));
    this.#joinsNext = false;
    this.#nextPrefix = undefined;
    this.#gapPrefix = undefined;
    if (this.#markdown.length > mostMarkdown) throw tooLong();
  }

  /** Prefixes the blocks that `write` writes: `first` on the first line, `rest` on the others. */
  within(first: string, rest: string, write: () => void): void {
    // Every line repeats the prefix, so very deep levels add none.
    if (this.#depth >= maxHolders) {
      write();
      return;
    }
    const before = this.#markdown.length;
    const prefix = this.#prefix;
    const nextPrefix = this.#nextPrefix;
    const gapPrefix = this.#gapPrefix;
    if (this.#depth === 0) this.starts.push({ offset: this.#startOfNext(), heading: undefined });
    this.#gapPrefix ??= prefix;
    this.#nextPrefix = (nextPrefix ?? prefix) + first;
    this.#prefix = prefix + rest;
    this.#depth += 1;
    write();
    this.#depth -= 1;
    this.#prefix = prefix;
    if (this.#markdown.length > before) return;
    // `write` wrote nothing, so the state is restored.
    this.#nextPrefix = nextPrefix;
    this.#gapPrefix = gapPrefix;
    if (this.#depth === 0) this.starts.pop();
  }

  #startOfNext(): number {
    if (this.#markdown === "") return 0;
    return this.#markdown.length + (this.#joinsNext ? 1 : 2);
  }
}

const maxHolders = 12;

const mostMarkdown = 256_000_000;

function indentRest(text: string, prefix: string): string {
  if (!text.includes("\n")) return text;
  const empty = prefix.trimEnd();
  const [first, ...rest] = text.split("\n");
  return [first, ...rest.map((line) => (line === "" ? empty : prefix + line))].join("\n");
}

function tooLong(): ToolError {
  return new ToolError("too-large", "The page is too long to be shown as Markdown", {
    hint: "Read it with another program (shell.run).",
    forUser: { hint: "Open it in a browser." },
  });
}

type LineBreak = "  \n" | " " | "<br>";

/** Writes one paragraph. It collapses white space, and moves it out of marks such as `**`. */
export class InlineWriter {
  readonly lineBreak: LineBreak;
  /** The pieces of the paragraph. A string would be copied each time its end is examined. */
  #pieces: string[] = [];
  #space = false;
  #open: string[] = [];
  /** Marks that are written before the next text. */
  #pending: string[] = [];
  /** The mark that the last piece closed. The next piece may continue it. */
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

  /** Puts marks around the text that `write` adds. */
  around(open: string, close: string, write: () => void): void {
    // Marks of one kind do not nest.
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
    // Two adjacent texts with the same mark become one.
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

/** Collapses white space and removes characters without width. */
function fold(text: string): string {
  return text.replace(/[\0\u00ad\u200b\u2060\ufeff]+/g, "").replace(/\s+/g, " ");
}

/** Escapes only characters that Markdown would interpret, and so not the underscore in snake_case. */
function escapeText(text: string, { isLineStart }: { readonly isLineStart: boolean }): string {
  let escaped = mayBeSpecial.test(text) ? text.replace(specials, "\\$&") : text;
  if (isLineStart) escaped = escapeLineStart(escaped);
  return escaped;
}

const mayBeSpecial = /[\\`*_<&~]|\]\(/;

/** Matches a backslash before punctuation, code, emphasis, an element, an entity, strikethrough, a link. */
const specials =
  /\\(?=[!-/:-@[-`{-~])|`|\*(?!\s)|(?<=\S)\*|(?<![\p{L}\p{N}])_(?!\s)|(?<=\S)_(?![\p{L}\p{N}_])|<(?=[a-zA-Z/!?])|&(?=#?\w+;)|~(?=~)|(?<=~)~|\](?=\()/gu;

/** Escapes the start of a heading, quotation, item, rule, code block or link definition. */
function escapeLineStart(text: string): string {
  const code = text.charCodeAt(0);
  // Nearly all lines begin with a letter.
  if ((code >= 0x41 && code <= 0x5a) || code >= 0x61) return text.startsWith("~~~") ? `\\${text}` : text;
  if (/^(?:#{1,6}(?:\s|$)|>|[-+*](?:\s|$)|(?:-\s*){3,}$|={2,}\s*$|\[[^\]]+\]:)/.test(text))
    return `\\${text}`;
  return text.replace(/^(\d{1,9})([.)])(?=\s|$)/, "$1\\$2");
}
