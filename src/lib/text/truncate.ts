import type { OutputLimits } from "../../contract/tool.ts";

/** The omitted part. A partly omitted line counts as one line. */
export interface Cut {
  readonly chars: number;
  readonly lines: number;
}

/**
 * Shortens `text` to its limits, first by characters (UTF-16 units), then by lines. The notice of `describeCut`
 * replaces the omitted part on a separate line and does not count. Never cuts inside a character or a CRLF, and prefers
 * to cut between lines.
 */
export function truncateText(
  text: string,
  limits: OutputLimits,
  describeCut: (cut: Cut, removed: string) => string,
): { readonly text: string; readonly cut: Cut | undefined } {
  const { headEnd, tailStart } = keepLines(text, keepChars(text, limits), limits.maxLines);
  if (headEnd >= tailStart) return { text, cut: undefined };

  const cut = { chars: tailStart - headEnd, lines: countLines(text, headEnd, tailStart) };
  const head = text.slice(0, headEnd);
  const tail = text.slice(tailStart);
  const before = head === "" || head.endsWith("\n") ? head : `${head}\n`;
  const after = tail === "" ? "" : `\n${tail}`;
  return { text: before + describeCut(cut, text.slice(headEnd, tailStart)) + after, cut };
}

/** Shows only the beginning of lines longer than `maxChars`. Returns undefined when there are none. */
export function shortenLines(text: string, maxChars: number): string | undefined {
  if (!hasLongLine(text, maxChars)) return undefined;
  const parts: string[] = [];
  let from = 0;
  for (let start = 0; start < text.length; ) {
    const feed = text.indexOf("\n", start);
    const end = feed === -1 ? text.length : feed;
    if (end - start > maxChars) {
      const cut = start + characterStart(text.slice(start, end), maxChars);
      parts.push(`${text.slice(from, cut)}… [${end - cut} more characters in this line]`);
      from = end;
    }
    start = end + 1;
  }
  return parts.length === 0 ? undefined : parts.join("") + text.slice(from);
}

/** Looks only at the last line end within `maxChars` of each line end, so it skips most lines. */
function hasLongLine(text: string, maxChars: number): boolean {
  let start = 0;
  while (text.length - start > maxChars) {
    const feed = text.lastIndexOf("\n", start + maxChars);
    if (feed < start) return true;
    start = feed + 1;
  }
  return false;
}

/** Breaks lines longer than `maxChars` into several. */
export function wrapLines(text: string, maxChars: number): string {
  return text
    .split("\n")
    .flatMap((line) => piecesOf(line, maxChars))
    .join("\n");
}

function piecesOf(line: string, maxChars: number): readonly string[] {
  const pieces: string[] = [];
  for (let start = 0; start < line.length || start === 0; ) {
    const length =
      characterStart(line.slice(start, start + maxChars + longestCharacter), maxChars) || maxChars;
    pieces.push(line.slice(start, start + length));
    start += length;
  }
  return pieces;
}

/** Returns the last position at or before `index` where `text` can be cut without breaking a grapheme. */
export function characterStart(text: string, index: number): number {
  if (index <= 0) return 0;
  if (index >= text.length) return text.length;
  if (isPlain(text, index) && isPlain(text, index - 1)) {
    return text[index] === "\n" && text[index - 1] === "\r" ? index - 1 : index;
  }
  const start = plainBefore(text, index);
  const around = text.slice(start, index + longestCharacter);
  const within = segmenter()
    .segment(around)
    .containing(index - start);
  return within === undefined ? index : start + within.index;
}

/** The text before `headEnd` and from `tailStart` on stays. The two parts overlap or touch while nothing is cut. */
interface Kept {
  readonly headEnd: number;
  readonly tailStart: number;
}

function keepChars(text: string, { maxChars, keep }: OutputLimits): Kept {
  if (text.length <= maxChars) {
    return { headEnd: keep === "tail" ? 0 : text.length, tailStart: keep === "head" ? text.length : 0 };
  }
  const headChars = { head: maxChars, tail: 0, both: Math.ceil(maxChars / 2) }[keep];
  return { headEnd: endOfHead(text, headChars), tailStart: startOfTail(text, maxChars - headChars) };
}

function keepLines(text: string, kept: Kept, maxLines: number | undefined): Kept {
  if (maxLines === undefined) return kept;
  const headLines = countLines(text, 0, kept.headEnd);
  const tailLines = countLines(text, kept.tailStart, text.length);
  const isWhole = kept.headEnd >= kept.tailStart;
  if ((isWhole ? Math.max(headLines, tailLines) : headLines + tailLines) <= maxLines) return kept;

  // Each side gets half of the lines, and the lines that the other side does not need.
  const headShare = Math.min(headLines, Math.max(Math.ceil(maxLines / 2), maxLines - tailLines));
  return {
    headEnd: Math.min(kept.headEnd, endOfLines(text, headShare)),
    tailStart: Math.max(kept.tailStart, startOfLastLines(text, maxLines - headShare)),
  };
}

function endOfHead(text: string, chars: number): number {
  const lineEnd = text.lastIndexOf("\n", chars - 1) + 1;
  return chars > 0 && lineEnd > 0 && chars - lineEnd <= nearby(chars) ? lineEnd : characterStart(text, chars);
}

function startOfTail(text: string, chars: number): number {
  const start = text.length - chars;
  const nearest = text.slice(start - 1, start + nearby(chars)).indexOf("\n");
  if (chars > 0 && nearest >= 0) return start + nearest;
  const character = characterStart(text, start);
  return character === start ? start : characterEnd(text, character);
}

/** Returns the most characters that a cut between two lines may cost. */
function nearby(chars: number): number {
  return Math.min(500, chars >> 2);
}

function countLines(text: string, start: number, end: number): number {
  let lines = 0;
  let position = start;
  while (position < end) {
    lines += 1;
    const newline = text.indexOf("\n", position);
    if (newline < 0) break;
    position = newline + 1;
  }
  return lines;
}

function endOfLines(text: string, lines: number): number {
  let position = 0;
  for (let line = 0; line < lines; line += 1) {
    const newline = text.indexOf("\n", position);
    if (newline < 0) return text.length;
    position = newline + 1;
  }
  return position;
}

function startOfLastLines(text: string, lines: number): number {
  let position = text.length;
  for (let line = 0; line < lines && position > 0; line += 1) {
    // The newline right before `position` ends the current line.
    position = position < 2 ? 0 : text.lastIndexOf("\n", position - 2) + 1;
  }
  return position;
}

function characterEnd(text: string, start: number): number {
  const [first] = segmenter().segment(text.slice(start, start + longestCharacter));
  return pairStart(text, start + (first?.segment.length ?? 0));
}

/** The longest grapheme that is never cut, far longer than any emoji. Surrogate pairs are never cut at all. */
const longestCharacter = 64;

/** Recognizes characters below U+0300, which do not combine with their neighbours, except CR with LF. */
function isPlain(text: string, index: number): boolean {
  return text.charCodeAt(index) < 0x300;
}

function plainBefore(text: string, index: number): number {
  const earliest = Math.max(0, index - 4 * longestCharacter);
  let start = index - 1;
  while (start > earliest && !isPlain(text, start)) start -= 1;
  return pairStart(text, start);
}

function pairStart(text: string, index: number): number {
  return (text.charCodeAt(index) & 0xfc00) === 0xdc00 && (text.charCodeAt(index - 1) & 0xfc00) === 0xd800
    ? index - 1
    : index;
}

let cachedSegmenter: Intl.Segmenter | undefined;

// The segmenter is created on first use, because creating it is expensive.
function segmenter(): Intl.Segmenter {
  cachedSegmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  return cachedSegmenter;
}
