import { ToolError } from "../../contract/error.ts";

/** Flags as `(?i-s:…)` sets them. Unlike in Rust itself `m` is on at first: ripgrep searches lines. */
export interface Flags {
  readonly i: boolean;
  readonly m: boolean;
  readonly s: boolean;
  readonly u: boolean;
  readonly x: boolean;
  readonly U: boolean;
}

/** Where the parser stands in a pattern, with the flags that hold there. */
export class Scanner {
  readonly pattern: string;
  flags: Flags;
  index = 0;
  /** Group names taken so far. */
  readonly names = new Set<string>();
  /** What JavaScript has no words for, if such a thing was met. */
  untranslatable: string | undefined;

  constructor(pattern: string, flags: Flags) {
    this.pattern = pattern;
    this.flags = flags;
  }

  get atEnd(): boolean {
    return this.index >= this.pattern.length;
  }

  looksAt(text: string): boolean {
    return this.pattern.startsWith(text, this.index);
  }

  take(text: string): boolean {
    if (!this.looksAt(text)) return false;
    this.index += text.length;
    return true;
  }

  /** What a sticky expression finds here, read past it. */
  takeMatch(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.index;
    const match = expression.exec(this.pattern);
    if (match === null) return undefined;
    this.index = expression.lastIndex;
    return match;
  }

  /** The next code point, read past it. */
  next(): number {
    const code = this.pattern.codePointAt(this.index)!;
    this.index += code > 0xffff ? 2 : 1;
    return code;
  }

  /** In `(?x)` blanks and comments mean nothing. */
  skipBlanks(): void {
    if (this.flags.x) this.takeMatch(/(?:\s|#[^\n]*)*/y);
  }

  /** A pattern that ripgrep refuses, from `start` to here marked. */
  error(message: string, hint: string, start: number = this.index): ToolError {
    return regexError(this.pattern, { start, end: this.index }, message, hint);
  }
}

/** A pattern that ripgrep refuses; `end` is after the last wrong character. */
export function regexError(
  pattern: string,
  wrong: { readonly start: number; readonly end: number },
  message: string,
  hint: string,
): ToolError {
  const lineStart = pattern.lastIndexOf("\n", wrong.start - 1) + 1;
  const lineEnd = `${pattern}\n`.indexOf("\n", wrong.start);
  const column = countCharacters(pattern.slice(lineStart, wrong.start));
  const width = Math.max(1, countCharacters(pattern.slice(wrong.start, Math.min(wrong.end, lineEnd))));
  const place = `  ${pattern.slice(lineStart, lineEnd)}\n  ${" ".repeat(column)}${"^".repeat(width)}`;
  const position = countCharacters(pattern.slice(0, wrong.start)) + 1;
  return new ToolError("invalid-input", `Bad regex at character ${position}: ${message}\n${place}`, { hint });
}

/** The way out for a character that was meant as itself. */
export function escapeHint(character: string): string {
  return `For a literal "${character}" write "\\${character}", or set \`literal\` to true.`;
}

function countCharacters(text: string): number {
  return [...text].length;
}
