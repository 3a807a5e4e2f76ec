/** A part of a text. */
export interface Word {
  readonly start: number;
  readonly end: number;
}

/** How much of a text is searched at once, which takes a few milliseconds at most. */
export const stepLength: number = 32 * 1024;

/** The length of the shortest key that is recognised by its shape. */
const shortestKey = 20;

/**
 * Finds the words in text[from, from + stepLength) that are as long as a key, each with the words that dots join to it.
 * The next step starts after them. Compares groups of four characters, and skips every third group.
 */
export function findLongWords(text: string, from: number): readonly Word[] {
  if (text.length - from < shortestKey) return none;
  const isWhole = from === 0 && text.length <= bytes.length;
  const length = bytes.write(isWhole ? text : text.slice(from, from + bytes.length), "latin1");
  const lastGroup = (length >> 2) - 1;
  let found: Word[] | undefined;
  let end = 0;
  // A key covers four whole groups in a row, and so one of these pairs.
  for (let group = 0; group < lastGroup; group += 3) {
    if ((wordBytesOf(groups[group]!) & wordBytesOf(groups[group + 1]!)) !== everyByte) continue;
    const at = from + 4 * group;
    if (at < end || !isInFour(group, lastGroup) || !isInLongWord(text, at)) continue;
    found ??= [];
    end = endOfDottedWord(text, at);
    found.push({ start: startOfDottedWord(text, at), end });
  }
  return found ?? none;
}

const none: readonly Word[] = [];

/** The characters of a step, and as many of the next one as show that a word at the border is long. */
const bytes = Buffer.allocUnsafeSlow(stepLength + shortestKey);
const groups = new Int32Array(bytes.buffer);

/**
 * Marks the bytes of a group that may belong to a word: from `-` on, which is the least of its characters. A character
 * outside Latin-1 is cut to its low byte, so it may be marked, too.
 */
function wordBytesOf(group: number): number {
  return (((group & 0x7f7f7f7f) + 0x53535353) | group) & everyByte;
}

const everyByte = 0x80808080 | 0;

/** Returns whether a pair of marked groups belongs to four marked groups in a row. */
function isInFour(pair: number, lastGroup: number): boolean {
  const isMarked = (group: number) =>
    group >= 0 && group <= lastGroup && wordBytesOf(groups[group]!) === everyByte;
  if (isMarked(pair + 2)) return isMarked(pair + 3) || isMarked(pair - 1);
  return isMarked(pair - 1) && isMarked(pair - 2);
}

function isInLongWord(text: string, at: number): boolean {
  let end = at;
  while (end - at < shortestKey && isWord(text.charCodeAt(end))) end += 1;
  let start = at;
  while (end - start < shortestKey && isWord(text.charCodeAt(start - 1))) start -= 1;
  return end > at && end - start === shortestKey;
}

function startOfDottedWord(text: string, at: number): number {
  let start = at;
  while (start > 0 && isWordOrDot(text.charCodeAt(start - 1))) start -= 1;
  return start;
}

function endOfDottedWord(text: string, at: number): number {
  let end = at;
  while (end < text.length && isWordOrDot(text.charCodeAt(end))) end += 1;
  return end;
}

/** Letters, digits, `_` and `-`. */
const wordCodes = new Uint8Array(128).fill(1, 0x30, 0x3a).fill(1, 0x41, 0x5b).fill(1, 0x61, 0x7b);
wordCodes[0x5f] = 1;
wordCodes[0x2d] = 1;

function isWord(code: number): boolean {
  return code < 128 && wordCodes[code] === 1;
}

function isWordOrDot(code: number): boolean {
  return code === 0x2e || isWord(code);
}
