import type { CodeSymbol } from "../../contract/code.ts";
import { contentHash } from "../../lib/bytes/content-hash.ts";
import { endOfText, lineStart, opensLine, startOfText, type TextSpan } from "../lines.ts";

/** The block without surrounding blanks and line ends that a grammar counts as part of it. */
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
 * Where the text that has the expected hash begins: at the block, at a line above its declaration, or at the declaration.
 * Undefined if none has it. The hash may be shortened. Accepts the hash of the text itself or of its whole lines, with its
 * own line ends or line feeds.
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

/** Where the text begins that equals the expected one, ignoring line ends, trailing blanks and indentation. */
export function startByText(text: string, symbol: CodeSymbol, expected: string): number | undefined {
  const wanted = unindented(expected);
  const { end } = spanOf(text, symbol);
  return startsOf(text, symbol).find((from) => unindented(text.slice(from, end)) === wanted);
}

/** A caller may have read a block with all, some or none of the comments and attributes above its declaration. */
function startsOf(text: string, symbol: CodeSymbol): readonly number[] {
  const { start } = spanOf(text, symbol);
  const { declarationStart } = symbol;
  const above = text.slice(start, Math.max(start, declarationStart));
  const later = [...above.matchAll(/\n[ \t]*(?=\S)/g)].map(
    ({ index, 0: { length } }) => start + index + length,
  );
  return [...new Set([start, ...later, declarationStart])];
}

/** The first line may have been copied without its indentation. */
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
