/** A part of a text. */
export interface Word {
  readonly start: number;
  readonly end: number;
}

/** The length of the shortest key that is recognised by its shape. */
const shortestKey = 20;

/**
 * Returns the words that are as long as a key, each with what the signs in keys and addresses join to it. Most characters
 * of ordinary text are skipped: the last one of twenty shows whether they can be one word.
 */
export function longWords(text: string): readonly Word[] {
  const found: Word[] = [];
  let start = 0;
  while (start + shortestKey <= text.length) {
    let at = start + shortestKey - 1;
    while (at >= start && isAny(text, at, inWords)) at -= 1;
    if (at >= start) {
      start = at + 1;
      continue;
    }
    const least = found.at(-1)?.end ?? 0;
    let end = start + shortestKey;
    while (start > least && isAny(text, start - 1, joining)) start -= 1;
    while (end < text.length && isAny(text, end, joining)) end += 1;
    found.push({ start, end });
    start = end;
  }
  return found;
}

function isAny(text: string, at: number, codes: Uint8Array): boolean {
  const code = text.charCodeAt(at);
  return code < 128 && codes[code] === 1;
}

/** Letters, digits, `_` and `-`. */
const inWords = codesOf("-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz");
const joining = codesOf("+./:=@~-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz");

function codesOf(letters: string): Uint8Array {
  const codes = new Uint8Array(128);
  for (const letter of letters) codes[letter.charCodeAt(0)] = 1;
  return codes;
}
