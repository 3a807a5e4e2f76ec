import { ToolError } from "../../contract/error.ts";

/** A parsed pattern. Flags such as `(?i)` are resolved: every node has its own. */
export type Node = Readonly<
  | { kind: "empty" }
  | { kind: "literal"; code: number; ignoreCase: boolean }
  | { kind: "class"; set: ClassSet; ignoreCase: boolean }
  /** `newlines` means that the dot also matches line ends. */
  | { kind: "dot"; newlines: boolean }
  | { kind: "assertion"; at: AssertionKind; unicode: boolean }
  /** `max` may be Infinity. */
  | { kind: "repetition"; node: Node; min: number; max: number; greedy: boolean }
  | { kind: "concatenation" | "alternation"; nodes: readonly Node[] }
>;

export type AssertionKind =
  | "line-start"
  | "line-end"
  | "text-start"
  | "text-end"
  | "word-boundary"
  | "no-word-boundary"
  | "word-start"
  | "word-end"
  | "word-start-half"
  | "word-end-half";

export type ClassSet = Readonly<
  | { kind: "range"; first: number; last: number }
  | { kind: "perl"; name: "d" | "s" | "w"; negated: boolean; unicode: boolean }
  /** `source` is a property in JavaScript's spelling, such as "Script=Greek". */
  | { kind: "property"; source: string; negated: boolean }
  | { kind: "union"; sets: readonly ClassSet[]; negated: boolean }
  | { kind: "operation"; operator: "&&" | "--" | "~~"; left: ClassSet; right: ClassSet }
>;

/** Flags that `(?i-s:…)` sets. Unlike in Rust, `m` is on by default, because ripgrep searches lines. */
export type Flags = Readonly<Record<"i" | "m" | "s" | "u" | "x" | "U", boolean>>;

export function* nodesOf(node: Node): Generator<Node> {
  yield node;
  if (node.kind === "repetition") yield* nodesOf(node.node);
  if (node.kind === "concatenation" || node.kind === "alternation") {
    for (const part of node.nodes) yield* nodesOf(part);
  }
}

/** The parser's position in a pattern, with the flags that apply there. */
export class Scanner {
  readonly pattern: string;
  flags: Flags;
  index = 0;
  readonly names = new Set<string>();
  /** A part of the pattern that JavaScript cannot express. */
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

  /** Reads the text that a sticky expression matches at this position. */
  takeMatch(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.index;
    const match = expression.exec(this.pattern);
    if (match === null) return undefined;
    this.index = expression.lastIndex;
    return match;
  }

  next(): number {
    const code = this.pattern.codePointAt(this.index)!;
    this.index += code > 0xffff ? 2 : 1;
    return code;
  }

  /** Skips blanks and comments, which `(?x)` allows. */
  skipBlanks(): void {
    if (this.flags.x) this.takeMatch(/(?:\s|#[^\n]*)*/y);
  }

  /** Returns the error for a pattern that ripgrep refuses. Marks the text from `start` to the current position. */
  error(message: string, hint: string, start: number = this.index): ToolError {
    return regexError(this.pattern, { start, end: this.index }, message, hint);
  }
}

/** Returns the error for a pattern that ripgrep refuses. `end` is after the last wrong character. */
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
  const marked = `  ${pattern.slice(lineStart, lineEnd)}\n  ${" ".repeat(column)}${"^".repeat(width)}`;
  const position = countCharacters(pattern.slice(0, wrong.start)) + 1;
  return new ToolError("invalid-input", `Bad regex at character ${position}: ${message}\n${marked}`, {
    hint,
  });
}

/** Returns the hint for a character that should be literal. */
export function escapeHint(character: string): string {
  return `For a literal "${character}" write "\\${character}", or set \`literal\` to true.`;
}

function countCharacters(text: string): number {
  return [...text].length;
}
