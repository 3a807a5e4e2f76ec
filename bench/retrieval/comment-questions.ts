import type { CodeSymbol } from "../../src/contract/code.ts";
import { escapeRegex } from "../../src/lib/text/escape-regex.ts";

/** A function whose comment is the question that it answers. */
export interface Commented {
  readonly text: string;
  readonly symbol: CodeSymbol;
  /** The comment that is removed from the text. */
  readonly comment: { readonly start: number; readonly end: number };
}

/** Finds the functions of a text that are well documented, and neither trivial nor long. */
export function commentedFunctions(text: string, symbols: readonly CodeSymbol[]): Commented[] {
  return symbols.flatMap((symbol) => {
    const { kind, line, lastLine, doc } = symbol;
    if (kind !== "function" && kind !== "method") return [];
    const question = doc === undefined ? "" : asQuestion(doc, symbol.name);
    const words = question.match(/[A-Za-z]{2,}/g) ?? [];
    const comment = docCommentAbove(text, symbol) ?? commentInside(text, symbol);
    const lines = lastLine - line + 1;
    if (words.length < 5 || words.length > 40 || lines < 5 || lines > 150 || !comment) return [];
    // Comments for programs are not sentences.
    if (/\\fn|::|[{}]/.test(question)) return [];
    return [{ text: question, symbol, comment }];
  });
}

/** Returns the text without those comments. Line numbers stay the same. */
export function withoutComments(text: string, comments: readonly Commented["comment"][]): string {
  let result = "";
  let at = 0;
  for (const { start, end } of comments.toSorted((one, other) => one.start - other.start)) {
    result += text.slice(at, start) + text.slice(start, end).replaceAll(/[^\n]+/g, "");
    at = end;
  }
  return result + text.slice(at);
}

/** Removes comment marks, and the name with which comments begin in some languages. */
function asQuestion(doc: string, name: string): string {
  const last = name.split(/::|[.:#]/).at(-1)!;
  return doc
    .replace(new RegExp(`^\\W*${escapeRegex(last)}\\b\\s*(?:\\(\\))?\\s*[:-]?`), "")
    .replaceAll(/\{@\w+\s+([^}]*)\}|<[^<>]*>/g, "$1")
    .replaceAll(/\s+/g, " ")
    .trim();
}

/**
 * Doc comments for readers of the function: `/**`, `///`, or in Go a comment that begins with its name. Other
 * comments are notes.
 */
function docCommentAbove(
  text: string,
  { name, start, declarationStart }: CodeSymbol,
): Commented["comment"] | undefined {
  const above = text.slice(start, declarationStart);
  const match = /\/\*\*[\s\S]*?\*\/|(?:(?:^|\n)[ \t]*\/\/\/.*)+/.exec(above) ?? goComment(name).exec(above);
  if (!match) return undefined;
  return { start: start + match.index, end: start + match.index + match[0].length };
}

function goComment(name: string): RegExp {
  return new RegExp(`^//[ \\t]*${escapeRegex(name)}\\b.*(?:\\n[ \\t]*//.*)*`);
}

/** Python's doc comments are strings. */
function commentInside(text: string, { inside, end }: CodeSymbol): Commented["comment"] | undefined {
  if (!inside) return undefined;
  const match = /^\s*[rRuU]?("""|''')[\s\S]*?\1/.exec(text.slice(inside.start, end));
  return match ? { start: inside.start, end: inside.start + match[0].length } : undefined;
}
