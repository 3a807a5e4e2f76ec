import { ToolError } from "../../../contract/error.ts";

/** Where a block begins that lies in no other. */
export interface BlockStart {
  readonly offset: number;
  /** Of a heading: what it says. */
  readonly heading: string | undefined;
}

/** Puts blocks of Markdown below each other, and in front of each line what holds it. */
export class MarkdownWriter {
  readonly starts: BlockStart[] = [];
  #markdown = "";
  /** What is before every line, before the next one, and on the empty line before it. */
  #prefix = "";
  #nextPrefix: string | undefined;
  #gapPrefix: string | undefined;
  #depth = 0;
  #joinsNext = false;

  get markdown(): string {
    return this.#markdown;
  }

  /** The next block follows on the next line. */
  joinNext(): void {
    this.#joinsNext = true;
  }

  /** One or more lines. */
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
    if (this.#markdown.length > maxLength) throw tooLong();
  }

  /** Blocks that `write` writes are held by `first` on their first line, and by `rest` on all others. */
  within(first: string, rest: string, write: () => void): void {
    // What is in more than this is shown as if it were not: each line would repeat it.
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
    // Nothing was written: nothing is held.
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

const maxLength = 256_000_000;

function indentRest(text: string, prefix: string): string {
  if (!text.includes("\n")) return text;
  const empty = prefix.trimEnd();
  const [first, ...rest] = text.split("\n");
  return [first, ...rest.map((line) => (line === "" ? empty : prefix + line))].join("\n");
}

function tooLong(): ToolError {
  return new ToolError("too-large", "The page is too long to be shown as Markdown", {
    hint: "Take it apart with other programs (shell.run) if you need it.",
  });
}
