import { type FileText, readings } from "./file-text.ts";
import { type LineBreaks, LineTable } from "./line-table.ts";
import { Utf8Text } from "./utf8-text.ts";

/** One way to read a file for editing; what is costly is worked out when it is first asked for. */
export class Source {
  readonly path: string;
  readonly text: FileText;
  readonly #breaks: LineBreaks;
  #utf8: Utf8Text | undefined;
  #lines: LineTable | undefined;
  #hasCarriageReturns: boolean | undefined;

  constructor(path: string, text: FileText, breaks: LineBreaks) {
    this.path = path;
    this.text = text;
    this.#breaks = breaks;
  }

  get utf8(): Utf8Text {
    this.#utf8 ??= new Utf8Text(this.text.utf8);
    return this.#utf8;
  }

  get lines(): LineTable {
    this.#lines ??= new LineTable(this.utf8, this.#breaks);
    return this.#lines;
  }

  /** Whether carriage returns are in the text, as parts of line ends or on their own. */
  get hasCarriageReturns(): boolean {
    this.#hasCarriageReturns ??= this.text.utf8.includes(13);
    return this.#hasCarriageReturns;
  }
}

/**
 * The ways to read a file, the likely one first. A lone carriage return ends a line where no line feed does; in other
 * files that is only the second guess.
 */
export function* sourcesOf(path: string, bytes: Uint8Array): Generator<Source> {
  const texts = readings(bytes);
  for (const text of texts) yield new Source(path, text, text.utf8.includes(10) ? "lf" : "any");
  for (const text of texts) {
    if (text.utf8.includes(10) && hasLoneCarriageReturn(text.utf8)) yield new Source(path, text, "any");
  }
}

function hasLoneCarriageReturn(utf8: Buffer): boolean {
  for (let at = utf8.indexOf(13); at !== -1; at = utf8.indexOf(13, at + 1))
    if (utf8[at + 1] !== 10) return true;
  return false;
}
