import { type AssertionKind, type ClassSet, type Node, nodesOf } from "./syntax.ts";

/** The options of a search; the same for every text. */
export interface SearchMode {
  /** Whether matches may contain line ends. Otherwise no class matches them, as in ripgrep. */
  readonly multiline: boolean;
  /** Whether "\r\n" ends a line as "\n" does. */
  readonly crlf: boolean;
}

/** Facts about a text that allow a simpler and faster expression. */
export interface TextTraits {
  readonly ascii: boolean;
  readonly carriageReturns: boolean;
  /** Whether the text contains bytes that are not UTF-8. They appear as lone surrogates, which no pattern may match. */
  readonly strayBytes: boolean;
}

/** Returns a JavaScript expression (flag "v") that matches what ripgrep matches in such a text. */
export function writeRegex(node: Node, mode: SearchMode, traits: TextTraits): RegExp {
  const cases = new Set(casesOf(node));
  const writer = new Writer(mode, traits, cases.size > 1);
  const source = writer.write(node);
  return new RegExp(
    source,
    `gv${writer.nativeLines ? "m" : ""}${cases.has(true) && cases.size === 1 ? "i" : ""}`,
  );
}

class Writer {
  readonly nativeLines: boolean;
  readonly #mode: SearchMode;
  readonly #traits: TextTraits;
  /** Whether only some parts ignore case, so that each part needs its own flag. */
  readonly #mixedCase: boolean;
  /** The line ends for `^`, `$` and `.`. */
  readonly #lineEnds: "\\n" | "\\r\\n";

  constructor(mode: SearchMode, traits: TextTraits, mixedCase: boolean) {
    this.#mode = mode;
    this.#traits = traits;
    this.#mixedCase = mixedCase;
    this.#lineEnds = mode.crlf && traits.carriageReturns ? "\\r\\n" : "\\n";
    // With the flag "m" JavaScript also ends lines at "\r", U+2028 and U+2029.
    this.nativeLines = traits.ascii && !traits.carriageReturns;
  }

  write(node: Node): string {
    switch (node.kind) {
      case "empty":
        return "(?:)";
      case "literal":
        return this.#inCase(node.ignoreCase, escapeLiteral(node.code));
      case "class":
        return this.#inCase(node.ignoreCase, this.#classNode(node.set));
      case "dot":
        return this.#without(node.newlines && this.#mode.multiline ? "" : this.#lineEnds);
      case "assertion":
        return this.#assertion(node.at, node.unicode && !this.#traits.ascii);
      case "repetition":
        return `(?:${this.write(node.node)})${quantifier(node)}`;
      case "concatenation":
        return node.nodes
          .map((part) => (part.kind === "alternation" ? `(?:${this.write(part)})` : this.write(part)))
          .join("");
      case "alternation":
        return node.nodes.map((part) => this.write(part)).join("|");
    }
  }

  #inCase(ignoreCase: boolean, source: string): string {
    return this.#mixedCase && ignoreCase ? `(?i:${source})` : source;
  }

  #classNode(set: ClassSet): string {
    const source = this.#classSet(set);
    const removed = (this.#mode.multiline ? "" : this.#mode.crlf ? "\\r\\n" : "\\n") + this.#strays();
    if (removed === "" || !new RegExp(`[${source}&&[${removed}]]`, "v").test("\n\r\uD800"))
      return `[${source}]`;
    return `[${source}--[${removed}]]`;
  }

  #without(lineEnds: string): string {
    return `[^${lineEnds}${this.#strays()}]`;
  }

  #strays(): string {
    return this.#traits.strayBytes ? "\\u{D800}-\\u{DFFF}" : "";
  }

  /** Writes a class item, or an operand of `&&` and `--`. */
  #classSet(set: ClassSet): string {
    switch (set.kind) {
      case "range":
        return `[${codeEscape(set.first)}-${codeEscape(set.last)}]`;
      case "perl": {
        const source = set.unicode && !this.#traits.ascii ? unicodePerl[set.name] : asciiPerl[set.name];
        return `[${set.negated ? "^" : ""}${source}]`;
      }
      case "property":
        return `\\${set.negated ? "P" : "p"}{${set.source}}`;
      case "union":
        return `[${set.negated ? "^" : ""}${set.sets.map((part) => this.#classSet(part)).join("")}]`;
      case "operation": {
        const left = this.#classSet(set.left);
        const right = this.#classSet(set.right);
        return set.operator === "~~"
          ? `[[${left}--${right}][${right}--${left}]]`
          : `[${left}${set.operator}${right}]`;
      }
    }
  }

  #assertion(at: AssertionKind, unicode: boolean): string {
    const word = unicode ? `[${unicodePerl.w}]` : "[0-9A-Za-z_]";
    switch (at) {
      case "line-start":
        if (this.nativeLines) return "^";
        return this.#lineEnds === "\\n" ? "(?<![^\\n])" : "(?:(?<![^\\n])|(?<=\\r)(?!\\n))";
      case "line-end":
        if (this.nativeLines) return "$";
        return this.#lineEnds === "\\n" ? "(?![^\\n])" : "(?:(?![^\\r])|(?<!\\r)(?=\\n))";
      // When searching line by line, ripgrep treats each line as a whole text.
      case "text-start":
        return this.#mode.multiline ? "(?<![^])" : "(?<![^\\n])";
      case "text-end":
        if (this.#mode.multiline) return "(?![^])";
        return this.#lineEnds === "\\n" ? "(?![^\\n])" : "(?=\\r?\\n|(?![^]))";
      case "word-boundary":
        return unicode ? `(?:(?<=${word})(?!${word})|(?<!${word})(?=${word}))` : "\\b";
      case "no-word-boundary":
        return unicode ? `(?:(?<=${word})(?=${word})|(?<!${word})(?!${word}))` : "\\B";
      case "word-start":
        return `(?<!${word})(?=${word})`;
      case "word-end":
        return `(?<=${word})(?!${word})`;
      case "word-start-half":
        return `(?<!${word})`;
      case "word-end-half":
        return `(?!${word})`;
    }
  }
}

const unicodePerl = {
  d: "\\p{Nd}",
  s: "\\p{White_Space}",
  w: "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}",
} as const;

const asciiPerl = { d: "0-9", s: "\\t-\\r ", w: "0-9A-Za-z_" } as const;

/** Yields for each part with upper and lower case whether it ignores case. */
function* casesOf(node: Node): Generator<boolean> {
  for (const part of nodesOf(node)) {
    if (part.kind === "class") yield part.ignoreCase;
    if (part.kind !== "literal") continue;
    const character = String.fromCodePoint(part.code);
    if (character.toLowerCase() !== character.toUpperCase()) yield part.ignoreCase;
  }
}

function quantifier({ min, max, greedy }: Extract<Node, { kind: "repetition" }>): string {
  const count = max === Number.POSITIVE_INFINITY ? `{${min},}` : `{${min},${max}}`;
  return greedy ? count : `${count}?`;
}

function escapeLiteral(code: number): string {
  const character = String.fromCodePoint(code);
  if (/[\w\s-]/.test(character) && code >= 0x20 && code < 0x7f) return character;
  return codeEscape(code);
}

function codeEscape(code: number): string {
  return `\\u{${code.toString(16)}}`;
}
