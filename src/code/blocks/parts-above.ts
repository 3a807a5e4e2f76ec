import type { CodeSymbol } from "../../contract/code.ts";
import { blanksOf, indentationAt } from "../lines.ts";
import { spanOf } from "./block-text.ts";
import type { Snippet } from "./snippet.ts";

/** The text above a declaration that belongs to its block: comments, then attributes. Both may be missing. */
export interface PartsAbove {
  readonly start: number;
  /** The end of the comments and start of the attributes. */
  readonly attributesStart: number;
  readonly end: number;
  readonly hasComments: boolean;
  readonly hasAttributes: boolean;
}

/** Returns the comments and attributes above a declaration, up to `end`. Default: the declaration. */
export function partsAbove(text: string, symbol: CodeSymbol, end = symbol.declarationStart): PartsAbove {
  const { start } = spanOf(text, symbol);
  const above = text.slice(start, Math.max(start, end));
  const comments = leadingComments.exec(above)![0];
  return {
    start,
    attributesStart: start + comments.length,
    end: start + above.length,
    hasComments: comments.trim() !== "",
    hasAttributes: above.slice(comments.length).trim() !== "",
  };
}

/** Matches comments of any language and the blanks around them. `#[` begins an attribute, not a comment. */
const leadingComments = /^\s*(?:(?:\/\*[\s\S]*?\*\/|(?:\/\/|--|#(?!!?\[)|;|%).*)\s*)*/;

/** Adds lines of the file to a snippet before its line `at`, with the indentation of that line. */
export function withLinesOf(
  text: string,
  { start, end }: Pick<PartsAbove, "start" | "end">,
  snippet: Snippet,
  at: number,
): Snippet {
  const own = indentationAt(text, start);
  const blanks = blanksOf(snippet.lines[at] ?? "");
  const added = text
    .slice(start, end)
    .trimEnd()
    .split(/\r?\n/)
    .map((line) => blanks + (line.startsWith(own) ? line.slice(own.length) : line));
  return { ...snippet, lines: snippet.lines.toSpliced(at, 0, ...added) };
}
