import { ToolError } from "../../contract/error.ts";
import {
  endOfClass,
  GlobSyntaxError,
  literalTail,
  matchSegment,
  parseSegments,
  type Segment,
} from "./glob-segment.ts";

/** A file name pattern. Matching takes time linear in pattern times path, even for hostile patterns. */
export interface Glob {
  /** The base name that a pattern without wildcards matches at any depth; undefined for every other pattern. */
  readonly literalName: string | undefined;
  readonly onlyDirectories: boolean;
  /** Every match ends in one of these texts, so they can serve as a rough filter. */
  readonly tails: readonly string[];
  /** Checks quickly whether a path with this base name could match. */
  couldBeNamed(name: string): boolean;
  /** Returns whether a path matches. It is relative to the pattern's anchor, with "/" between names. */
  matches(path: string, kind: "file" | "directory"): boolean;
  /** Returns whether a path below this directory could match. A walk can skip the directory otherwise. */
  couldMatchBelow(directory: string): boolean;
}

/**
 * Parses a pattern as `rg -g` does: `*`, `?`, `[a-z]`, `[!a]`, `**`, `{a,b}`, and `\` to escape. A pattern without a
 * slash matches the base name at any depth, a leading slash anchors it, a trailing slash matches only directories.
 * Throws `invalid-input` with the position.
 */
export function parseGlob(source: string, options: { readonly ignoreCase?: boolean } = {}): Glob {
  // Models often write "./src"; the matched paths never begin like that.
  const pattern = source.startsWith("./") ? source.slice(1) : source;
  const ignoreCase = options.ignoreCase ?? false;
  try {
    return new GlobSet(expandBraces(pattern).map((text) => new PlainGlob(text, ignoreCase)));
  } catch (error) {
    if (error instanceof GlobSyntaxError) throw explain(pattern, error);
    throw error;
  }
}

/** Parses a line of an ignore file, where braces are literal. Returns undefined if git would never match the line. */
export function parseIgnoreGlob(source: string): Glob | undefined {
  try {
    return new PlainGlob(source, false);
  } catch (error) {
    if (error instanceof GlobSyntaxError) return undefined;
    throw error;
  }
}

/** Returns a pattern that matches exactly `path`. */
export function escapeGlob(path: string): string {
  return path.replace(/[\\*?[\]{}!]/g, "\\$&");
}

class GlobSet implements Glob {
  readonly literalName: string | undefined;
  readonly onlyDirectories: boolean;
  readonly tails: readonly string[];
  readonly #globs: readonly Glob[];

  constructor(globs: readonly Glob[]) {
    this.#globs = globs;
    this.literalName = globs.length === 1 ? globs[0]!.literalName : undefined;
    this.onlyDirectories = globs.every((glob) => glob.onlyDirectories);
    this.tails = globs.flatMap((glob) => glob.tails);
  }

  couldBeNamed(name: string): boolean {
    return this.#globs.some((glob) => glob.couldBeNamed(name));
  }

  matches(path: string, kind: "file" | "directory"): boolean {
    return this.#globs.some((glob) => glob.matches(path, kind));
  }

  couldMatchBelow(directory: string): boolean {
    return this.#globs.some((glob) => glob.couldMatchBelow(directory));
  }
}

class PlainGlob implements Glob {
  readonly literalName: string | undefined;
  readonly tails: readonly string[];
  readonly #segments: readonly Segment[];
  readonly onlyDirectories: boolean;
  readonly #onlyBaseName: boolean;
  readonly #ignoreCase: boolean;

  constructor(source: string, ignoreCase: boolean) {
    this.#ignoreCase = ignoreCase;
    this.onlyDirectories = source.length > 1 && source.endsWith("/");
    const inner = this.onlyDirectories ? source.slice(0, -1) : source;
    const segments = parseSegments(ignoreCase ? inner.toLowerCase() : inner);
    // A leading slash anchors the pattern and leaves an empty first segment, which is dropped.
    if (inner.startsWith("/")) segments.shift();
    while (segments[0] === "**" && segments[1] === "**") segments.shift();
    const [first, second] = segments;
    this.#onlyBaseName =
      (segments.length === 1 && !inner.includes("/")) ||
      (segments.length === 2 && first === "**" && second !== "**");
    this.#segments = this.#onlyBaseName ? segments.slice(-1) : segments;
    const last = segments.at(-1);
    this.tails = [last === undefined || last === "**" || ignoreCase ? "" : literalTail(last)];
    const only = this.#segments[0];
    this.literalName =
      this.#onlyBaseName && !ignoreCase && only !== "**" && only?.shape.kind === "literal"
        ? only.shape.text
        : undefined;
  }

  couldBeNamed(name: string): boolean {
    const last = this.#segments.at(-1);
    if (last === undefined || last === "**") return true;
    return matchSegment(last, this.#ignoreCase ? name.toLowerCase() : name);
  }

  matches(path: string, kind: "file" | "directory"): boolean {
    if (this.onlyDirectories && kind === "file") return false;
    if (!this.couldBeNamed(path.slice(path.lastIndexOf("/") + 1))) return false;
    const given = this.#ignoreCase ? path.toLowerCase() : path;
    return this.#onlyBaseName || this.#reached(given).has(this.#segments.length);
  }

  couldMatchBelow(directory: string): boolean {
    if (this.#onlyBaseName || directory === "") return true;
    const reached = this.#reached(this.#ignoreCase ? directory.toLowerCase() : directory);
    return [...reached].some((position) => position < this.#segments.length);
  }

  /** Returns all positions in the pattern that can be reached by reading the whole path. */
  #reached(path: string): Set<number> {
    let positions = this.#skipStars(new Set([0]));
    for (const name of path.split("/")) {
      const next = new Set<number>();
      for (const position of positions) {
        const segment = this.#segments[position];
        if (segment === undefined) continue;
        if (segment === "**") next.add(position).add(position + 1);
        else if (matchSegment(segment, name)) next.add(position + 1);
      }
      positions = this.#skipStars(next);
    }
    return positions;
  }

  /** Adds the positions after each "**", because it also matches zero names, except at the end of the pattern. */
  #skipStars(positions: Set<number>): Set<number> {
    for (const position of positions) {
      if (this.#segments[position] === "**" && position + 1 < this.#segments.length)
        positions.add(position + 1);
    }
    return positions;
  }
}

function explain(pattern: string, error: GlobSyntaxError): ToolError {
  const position = `  ${pattern}\n  ${" ".repeat(error.index)}^`;
  const message = `Bad glob at character ${error.index + 1}: ${error.message}\n${position}`;
  return new ToolError("invalid-input", message, { hint: error.hint });
}

const maxAlternatives = 256;

/** Expands `a.{ts,js}` to `a.ts` and `a.js`. Braces may nest; in a class or after a backslash they are literal. */
export function expandBraces(pattern: string): string[] {
  if (!/[{}[]/.test(pattern)) return [pattern];
  const { texts, next } = expandUntil(pattern, 0, "");
  if (next < pattern.length) {
    throw new GlobSyntaxError('unopened "}"', next, 'Write "\\}" for a brace.');
  }
  return texts;
}

/** Reads to the end, or inside braces to the "," or "}" that ends this alternative. */
function expandUntil(pattern: string, start: number, ends: string): { texts: string[]; next: number } {
  let texts = [""];
  let index = start;
  while (index < pattern.length) {
    const character = pattern[index]!;
    if (ends.includes(character) || character === "}") break;
    if (character === "{") {
      const group = expandGroup(pattern, index);
      texts = combine(texts, group.texts, pattern);
      index = group.next;
      continue;
    }
    const next = character === "[" ? endOfClass(pattern, index) : endOfText(pattern, index);
    texts = texts.map((text) => text + pattern.slice(index, next));
    index = next;
  }
  return { texts, next: index };
}

/** Returns the end of a run of literal text. An escaped character is a run by itself. */
function endOfText(pattern: string, start: number): number {
  plainText.lastIndex = start;
  const plain = plainText.exec(pattern)?.[0].length ?? 0;
  return Math.min(start + (plain || (pattern[start] === "\\" ? 2 : 1)), pattern.length);
}

const plainText = /[^,{}[\\]+/y;

function expandGroup(pattern: string, open: number): { texts: string[]; next: number } {
  const texts: string[] = [];
  let index = open;
  do {
    const alternative = expandUntil(pattern, index + 1, ",}");
    texts.push(...alternative.texts);
    index = alternative.next;
    if (index >= pattern.length) {
      throw new GlobSyntaxError("unclosed brace", open, 'Close it with "}", or write "\\{" for a brace.');
    }
  } while (pattern[index] === ",");
  return { texts, next: index + 1 };
}

function combine(heads: string[], tails: string[], pattern: string): string[] {
  if (heads.length * tails.length > maxAlternatives) {
    const message = `The braces in "${pattern}" expand to more than ${maxAlternatives} patterns`;
    throw new ToolError("invalid-input", message, { hint: "Use fewer braces, or several calls." });
  }
  return heads.flatMap((head) => tails.map((tail) => head + tail));
}
