/** A part of a text, in UTF-16 units. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

export function lineStart(text: string, at: number): number {
  return text.lastIndexOf("\n", at - 1) + 1;
}

export function lineEnd(text: string, at: number): number {
  const feed = text.indexOf("\n", at);
  if (feed === -1) return text.length;
  return feed > at && text[feed - 1] === "\r" ? feed - 1 : feed;
}

export function indentationAt(text: string, at: number): string {
  return blanksOf(text.slice(lineStart(text, at), at));
}

export function blanksOf(line: string): string {
  return /^[ \t]*/.exec(line)![0];
}

export function opensLine(text: string, at: number): boolean {
  return text.slice(lineStart(text, at), at).trim() === "";
}

/** Returns the first offset from `at` on that is neither a blank nor a line end. */
export function startOfText(text: string, at: number, limit: number = text.length): number {
  let start = at;
  while (start < limit && isBlank(text.charCodeAt(start))) start++;
  return start;
}

/** Returns the offset before `at` and before all blanks and line ends there. */
export function endOfText(text: string, at: number, limit = 0): number {
  let end = at;
  while (end > limit && isBlank(text.charCodeAt(end - 1))) end--;
  return end;
}

function isBlank(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13) || code === 0xfeff;
}

/** Returns the line end of the line above `at`, else of any line, else a line feed. */
export function lineEndNear(text: string, at: number): string {
  const above = text.lastIndexOf("\n", at - 1);
  const feed = above === -1 ? text.indexOf("\n") : above;
  if (feed !== -1) return text[feed - 1] === "\r" ? "\r\n" : "\n";
  return text.includes("\r") ? "\r" : "\n";
}

export function blankLinesBelow(text: string, from: number): number {
  return Math.max(0, lineEndsIn(/^\s*/.exec(text.slice(from))![0]) - 1);
}

export function blankLinesAbove(text: string, start: number): number {
  const above = text.slice(0, start);
  const blanks = above.slice(above.trimEnd().length);
  return Math.max(0, lineEndsIn(blanks) - (blanks.length === above.length ? 0 : 1));
}

function lineEndsIn(blanks: string): number {
  return blanks.split("\n").length - 1;
}

export function lineStartsOf(text: string): Uint32Array {
  let starts = new Uint32Array(Math.max(16, text.length >> 4));
  let count = 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) {
    if (count === starts.length) starts = new Uint32Array(starts.buffer.transfer(count * 8));
    starts[count++] = at + 1;
  }
  return starts.subarray(0, count);
}

export function lineOf(starts: Uint32Array, offset: number): number {
  let low = 0;
  let high = starts.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle;
  }
  return low + 1;
}
