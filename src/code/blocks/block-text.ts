import type { CodeSymbol } from "../../contract/code.ts";
import { contentHash } from "../../lib/bytes/content-hash.ts";
import { endOfText, lineStart, opensLine, startOfText, type TextSpan } from "../lines.ts";

/** Returns the span of a block without surrounding blanks and line ends that a grammar counts as part of it. */
export function spanOf(text: string, symbol: Pick<CodeSymbol, "start" | "end">): TextSpan {
  const start = startOfText(text, symbol.start, symbol.end);
  return { start, end: endOfText(text, symbol.end, start) };
}

export function blockText(text: string, symbol: CodeSymbol): string {
  const { start, end } = spanOf(text, symbol);
  return text.slice(start, end);
}

export function blockHash(text: string, symbol: CodeSymbol): string {
  return contentHash(Buffer.from(blockText(text, symbol)));
}

/**
 * Returns where the text with the expected hash begins: at the block, at a line above its declaration, or at the
 * declaration. Returns undefined if no such text has it. The hash may be shortened. It may be that of the text itself
 * or of its whole lines, with the file's line ends or line feeds.
 */
export function startByHash(text: string, symbol: CodeSymbol, expected: string): number | undefined {
  const digits = expected.toLowerCase();
  const { end } = spanOf(text, symbol);
  return startsOf(text, symbol).find((start) => {
    const starts = opensLine(text, start) ? [start, lineStart(text, start)] : [start];
    const plain = starts.map((from) => text.slice(from, end));
    const readings = plain.flatMap((each) => [each, each.replaceAll("\r\n", "\n")]);
    const isExpected = (each: string) => contentHash(Buffer.from(each)).startsWith(digits);
    return [...new Set(readings.flatMap((each) => [each, `${each}\n`]))].some(isExpected);
  });
}

/** Returns where a text begins that equals the expected one, ignoring line ends, trailing blanks and indentation. */
export function startByText(text: string, symbol: CodeSymbol, expected: string): number | undefined {
  const wanted = unindented(expected);
  const { end } = spanOf(text, symbol);
  return startsOf(text, symbol).find((from) => unindented(text.slice(from, end)) === wanted);
}

/** Returns the offsets at which a caller may have begun to read a block: with all, some or no lines above it. */
function startsOf(text: string, symbol: CodeSymbol): readonly number[] {
  const { start } = spanOf(text, symbol);
  const { declarationStart } = symbol;
  const above = text.slice(start, Math.max(start, declarationStart));
  const later = [...above.matchAll(/\n[ \t]*(?=\S)/g)].map(
    ({ index, 0: { length } }) => start + index + length,
  );
  return [...new Set([start, ...later, declarationStart])];
}

/** Removes the common indentation. The first line may have been copied without its indentation, so it is trimmed. */
function unindented(block: string): string {
  const [first = "", ...others] = block
    .split(/\r\n|\n|\r/)
    .map((line) => line.trimEnd())
    .join("\n")
    .replace(/^\n+|\n+$/g, "")
    .split("\n");
  const widths = others.filter((line) => line !== "").map((line) => line.length - line.trimStart().length);
  const margin = Math.min(...widths, block.length);
  return [first.trim(), ...others.map((line) => line.slice(margin))].join("\n");
}
