import type { CodeSymbol } from "../../contract/code.ts";

/** The distance by which a symbol moves when the text above it changes. */
export interface Movement {
  readonly offset: number;
  readonly lines: number;
}

export function movedSymbol(
  symbol: CodeSymbol,
  parent: number | undefined,
  { offset, lines }: Movement,
): CodeSymbol {
  const { inside } = symbol;
  return {
    ...symbol,
    parent,
    start: symbol.start + offset,
    end: symbol.end + offset,
    firstLine: symbol.firstLine + lines,
    lastLine: symbol.lastLine + lines,
    declarationStart: symbol.declarationStart + offset,
    line: symbol.line + lines,
    inside: inside && { start: inside.start + offset, end: inside.end + offset },
  };
}
