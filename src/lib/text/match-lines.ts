/** A line that a pattern matches. Offsets are in the text; `end` is before the newline. */
export interface LineMatch {
  /** Counted from 1. */
  readonly line: number;
  readonly start: number;
  readonly end: number;
  /** The position in the line where the match begins or continues. */
  readonly at: number;
}

/** Yields the lines that a "g" expression matches, in order, each once. With `multiline` a match may span several. */
export function* matchLines(
  text: string,
  expression: RegExp,
  options: { readonly multiline: boolean },
): Generator<LineMatch> {
  let line = 1;
  let lineStart = 0;
  let position = 0;
  while (lineStart < text.length) {
    expression.lastIndex = position;
    const found = expression.exec(text);
    if (found === null) return;
    if (splitsPair(text, found.index)) {
      position = found.index + 1;
      continue;
    }
    const last = Math.max(found.index, found.index + found[0].length - 1);
    while (lineStart < text.length && lineStart <= last) {
      const newline = text.indexOf("\n", lineStart);
      const end = newline < 0 ? text.length : newline;
      if (end >= found.index) {
        yield { line, start: lineStart, end, at: Math.max(0, found.index - lineStart) };
      }
      line += 1;
      lineStart = end + 1;
    }
    position = options.multiline ? positionAfter(text, found) : lineStart;
  }
}

/** Recognizes a position inside a surrogate pair, where V8 also finds empty matches. */
function splitsPair(text: string, index: number): boolean {
  return (text.charCodeAt(index) & 0xfc00) === 0xdc00 && (text.charCodeAt(index - 1) & 0xfc00) === 0xd800;
}

/** Returns the position after a match; after an empty one, the position after the next whole character. */
function positionAfter(text: string, found: RegExpExecArray): number {
  if (found[0].length > 0) return found.index + found[0].length;
  return found.index + ((text.codePointAt(found.index) ?? 0) > 0xffff ? 2 : 1);
}
