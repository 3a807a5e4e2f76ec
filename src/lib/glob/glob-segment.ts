import { posixClasses } from "../text/posix-classes.ts";

/** The problem with a pattern, its index (from 0), and a hint. */
export class GlobSyntaxError extends Error {
  readonly index: number;
  readonly hint: string;

  constructor(message: string, index: number, hint: string) {
    super(message);
    this.index = index;
    this.hint = hint;
  }
}

/** The part of a pattern for one name of a path, or "**" for any number of names. */
export type Segment = "**" | NamePattern;

export interface NamePattern {
  readonly tokens: readonly Token[];
  /** Most patterns have one of these forms, which a string comparison can match. */
  readonly shape: Shape;
}

type Shape =
  | { readonly kind: "literal" | "prefix" | "suffix"; readonly text: string }
  | { readonly kind: "anything" | "general" };

export type Token = "*" | "?" | { readonly code: number } | CharacterClass;

interface CharacterClass {
  readonly negated: boolean;
  /** First and last code point, in pairs. */
  readonly ranges: readonly number[];
}

/** Splits a pattern without braces at its slashes. As in git, a slash inside a class matches nothing. */
export function parseSegments(pattern: string): Segment[] {
  if (!/[[\\]/.test(pattern)) return pattern.split("/").map(plainSegment);
  const segments: Segment[] = [];
  let tokens: Token[] = [];
  let start = 0;
  let index = 0;
  const endSegment = () => {
    segments.push(/^\*{2,}$/.test(pattern.slice(start, index)) ? "**" : { tokens, shape: shapeOf(tokens) });
    tokens = [];
  };
  while (index < pattern.length) {
    const character = pattern[index];
    if (character === "/" || pattern.startsWith("\\/", index)) {
      endSegment();
      index += character === "/" ? 1 : 2;
      start = index;
    } else if (character === "[") {
      const { token, next } = parseClass(pattern, index);
      tokens.push(token);
      index = next;
    } else if (character === "*" || character === "?") {
      if (character === "?" || tokens.at(-1) !== "*") tokens.push(character);
      index += 1;
    } else {
      if (character === "\\") index += 1;
      const code = pattern.codePointAt(index);
      if (code === undefined)
        throw new GlobSyntaxError("trailing backslash", index - 1, 'Write "\\\\" for a backslash.');
      tokens.push({ code });
      index += code > 0xffff ? 2 : 1;
    }
  }
  endSegment();
  return segments;
}

/** Parses a segment in which only stars and question marks are special. */
function plainSegment(text: string): Segment {
  if (!text.includes("*") && !text.includes("?")) return new LiteralName(text);
  if (/^\*{2,}$/.test(text)) return "**";
  const name = text.includes("**") ? text.replace(/\*{2,}/g, "*") : text;
  let tokens: readonly Token[] | undefined;
  return {
    shape: plainShape(name),
    get tokens() {
      tokens ??= Array.from(name, (character) =>
        character === "*" || character === "?" ? character : { code: character.codePointAt(0)! },
      );
      return tokens;
    },
  };
}

/** A name without wildcards. Its tokens are computed on demand: a start parses hundreds, and few are ever compared so. */
export class LiteralName implements NamePattern {
  readonly shape: { readonly kind: "literal"; readonly text: string };

  constructor(text: string) {
    this.shape = { kind: "literal", text };
  }

  get tokens(): readonly Token[] {
    return Array.from(this.shape.text, (character) => ({ code: character.codePointAt(0)! }));
  }
}

function plainShape(name: string): Shape {
  if (name === "*") return { kind: "anything" };
  const starFirst = name.startsWith("*");
  const starLast = !starFirst && name.endsWith("*");
  const text = name.slice(starFirst ? 1 : 0, starLast ? -1 : undefined);
  if (/[*?]/.test(text)) return { kind: "general" };
  return { kind: starFirst ? "suffix" : starLast ? "prefix" : "literal", text };
}

/** Returns the index after the "]" of the class that opens at `open`. Throws for a reversed range. */
export function endOfClass(pattern: string, open: number): number {
  const { token, next } = parseClass(pattern, open);
  if (token.ranges.some((code, index) => index % 2 === 1 && code < token.ranges[index - 1]!)) {
    throw new GlobSyntaxError(
      "a range in this class is reversed",
      open,
      "Write the smaller character first.",
    );
  }
  return next;
}

export function matchSegment(pattern: NamePattern, name: string): boolean {
  switch (pattern.shape.kind) {
    case "anything":
      return true;
    case "literal":
      return name === pattern.shape.text;
    case "suffix":
      return name.endsWith(pattern.shape.text);
    case "prefix":
      return name.startsWith(pattern.shape.text);
    case "general":
      return matchTokens(pattern.tokens, name);
  }
}

/** Returns the literal text at the end of every matching name; may be empty. */
export function literalTail({ tokens }: NamePattern): string {
  const start = tokens.findLastIndex((token) => typeof token === "string" || "ranges" in token) + 1;
  return String.fromCodePoint(...tokens.slice(start).map((token) => (token as { code: number }).code));
}

/** Backtracks only to the last star, because that one can match anything that an earlier star could. */
function matchTokens(tokens: readonly Token[], name: string): boolean {
  let token = 0;
  let index = 0;
  let star = -1;
  let starIndex = 0;
  while (index < name.length) {
    const current = tokens[token];
    if (current === "*") {
      star = token;
      starIndex = index;
      token += 1;
      continue;
    }
    const code = name.codePointAt(index)!;
    if (current !== undefined && matchesOne(current, code)) {
      token += 1;
      index += code > 0xffff ? 2 : 1;
    } else if (star >= 0) {
      starIndex += name.codePointAt(starIndex)! > 0xffff ? 2 : 1;
      index = starIndex;
      token = star + 1;
    } else {
      return false;
    }
  }
  while (tokens[token] === "*") token += 1;
  return token === tokens.length;
}

function matchesOne(token: Exclude<Token, "*">, code: number): boolean {
  if (token === "?") return true;
  if ("code" in token) return token.code === code;
  for (let index = 0; index < token.ranges.length; index += 2) {
    if (code >= token.ranges[index]! && code <= token.ranges[index + 1]!) return !token.negated;
  }
  return token.negated;
}

/** Follows git's wildmatch: a first "]" is literal, "\" escapes, "[:alpha:]" and similar classes are ASCII. */
function parseClass(pattern: string, open: number): { token: CharacterClass; next: number } {
  let index = open + 1;
  const negated = pattern[index] === "!" || pattern[index] === "^";
  if (negated) index += 1;
  const ranges: number[] = [];
  const first = index;
  while (pattern[index] !== "]" || index === first) {
    const named = /^\[:([a-z]*):\]/.exec(pattern.slice(index, index + 16));
    if (named !== null) {
      const set = posixClasses.get(named[1]!);
      if (set === undefined) {
        const known = [...posixClasses.keys()].join(", ");
        throw new GlobSyntaxError(`unknown character set ${named[0]}`, index, `Known sets: ${known}.`);
      }
      ranges.push(...set);
      index += named[0].length;
      continue;
    }
    const low = characterAt(pattern, index, open);
    index = low.next;
    if (pattern[index] !== "-" || pattern[index + 1] === "]" || index + 1 >= pattern.length) {
      ranges.push(low.code, low.code);
      continue;
    }
    const high = characterAt(pattern, index + 1, open);
    index = high.next;
    // Git reads a reversed range as its first character. `endOfClass` refuses it in patterns that users write.
    ranges.push(low.code, high.code, low.code, low.code);
  }
  return { token: { negated, ranges }, next: index + 1 };
}

function characterAt(pattern: string, start: number, open: number): { code: number; next: number } {
  const index = pattern[start] === "\\" ? start + 1 : start;
  const code = pattern.codePointAt(index);
  if (code === undefined)
    throw new GlobSyntaxError("unclosed class", open, 'Close it with "]", or write "\\[" for a bracket.');
  return { code, next: index + (code > 0xffff ? 2 : 1) };
}

function shapeOf(tokens: readonly Token[]): Shape {
  if (tokens.length === 1 && tokens[0] === "*") return { kind: "anything" };
  const starFirst = tokens[0] === "*";
  const starLast = !starFirst && tokens.at(-1) === "*";
  let text = "";
  for (const token of tokens.slice(starFirst ? 1 : 0, starLast ? -1 : undefined)) {
    if (typeof token === "string" || !("code" in token)) return { kind: "general" };
    text += String.fromCodePoint(token.code);
  }
  return { kind: starFirst ? "suffix" : starLast ? "prefix" : "literal", text };
}
