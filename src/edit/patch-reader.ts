import { ToolError } from "../contract/error.ts";
import { isDiffHeader } from "./diff-header.ts";
import { isHunkHeader } from "./hunk-header.ts";

/** Whether only what begins a line is a marker, or padded ones are too. */
export type Strictness = "strict" | "loose";

/** The lines of a patch, one after the other. */
export class PatchReader {
  readonly strictness: Strictness;
  readonly #lines: readonly string[];
  readonly #firstLine: number;
  #at = 0;

  constructor(lines: readonly string[], firstLine: number, strictness: Strictness) {
    this.#lines = lines;
    this.#firstLine = firstLine;
    this.strictness = strictness;
    this.skipBlank();
  }

  get isDone(): boolean {
    return this.#at >= this.#lines.length;
  }

  get line(): string {
    return this.#lines[this.#at]!;
  }

  get next(): string | undefined {
    return this.#lines[this.#at + 1];
  }

  get isAmongAdded(): boolean {
    return this.#lines[this.#at - 1]?.startsWith("+") === true && this.next?.startsWith("+") === true;
  }

  advance(): void {
    this.#at += 1;
  }

  skipBlank(): void {
    while (!this.isDone && this.line.trim() === "") this.advance();
  }

  /** This line as a marker would stand there. */
  get #marked(): string {
    return this.strictness === "loose" ? this.line.trim() : this.line;
  }

  /** The value of a `*** …: value` marker at this line. */
  marker(name: string): string | undefined {
    const text = this.#marked;
    if (!text.startsWith("***")) return undefined;
    const rest = text.slice(3).trim();
    return rest.slice(0, name.length).toLowerCase() === name.toLowerCase()
      ? rest.slice(name.length).trim()
      : undefined;
  }

  get isMarker(): boolean {
    return this.#marked.startsWith("***") && sectionMarkers.some((name) => this.marker(name) !== undefined);
  }

  /** The text after `@@`. */
  get header(): string | undefined {
    const text = this.#marked;
    return isHunkHeader(text) ? text.slice(2).trim() : undefined;
  }

  get isDiff(): boolean {
    return isDiffHeader(this.#lines, this.#at);
  }

  /** A unified diff from here to the next section. */
  takeDiff(): string {
    const start = this.#at;
    while (!this.isDone && !this.isMarker) this.advance();
    // As many lines before it as there are, so that errors count right.
    return "\n".repeat(this.#firstLine + start - 1) + this.#lines.slice(start, this.#at).join("\n");
  }

  unexpected(expected: string): ToolError {
    const message = `Line ${this.#firstLine + this.#at} of the patch does not belong there: ${JSON.stringify(this.line)}`;
    return new ToolError("invalid-input", message, { hint: expected });
  }
}

const sectionMarkers = ["Add File:", "Delete File:", "Update File:", "Move to:", "End of File"];
