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
 * Whether a block has the expected hash, which may be shortened. Accepts the hash of the text itself or of its whole
 * lines, with or without its doc comment, with its own line ends or line feeds.
 */
export function hasHash(text: string, symbol: CodeSymbol, expected: string): boolean {
  const digits = expected.toLowerCase();
  return readingsOf(text, symbol).some((each) => contentHash(Buffer.from(each)).startsWith(digits));
}

function readingsOf(text: string, symbol: CodeSymbol): readonly string[] {
  const { start, end } = spanOf(text, symbol);
  const starts = [start, symbol.declarationStart].flatMap((from) =>
    opensLine(text, from) ? [from, lineStart(text, from)] : [from],
  );
  const plain = starts
    .map((from) => text.slice(from, end))
    .flatMap((each) => [each, each.replaceAll("\r\n", "\n")]);
  return [...new Set(plain.flatMap((each) => [each, `${each}\n`]))];
}

/** Whether a block is the expected text, ignoring line ends, trailing blanks and indentation. */
export function isBlock(text: string, symbol: CodeSymbol, expected: string): boolean {
  const wanted = unindented(expected);
  const { end } = spanOf(text, symbol);
  return [symbol.start, symbol.declarationStart].some((from) => unindented(text.slice(from, end)) === wanted);
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
