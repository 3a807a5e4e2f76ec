/** What makes one text of another: `text` in place of all from `start` to `oldEnd`. In UTF-16 units. */
export interface TextChange {
  readonly start: number;
  readonly oldEnd: number;
  readonly text: string;
}

/** The smallest change, but for pairs of surrogates, which are not torn apart. */
export function changeBetween(before: string, after: string): TextChange {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  // Whole pieces first: comparing strings is far quicker than comparing their units one by one.
  for (let piece = 4096; piece >= 1; piece = Math.floor(piece / 8)) {
    while (
      start + piece <= shorter &&
      before.slice(start, start + piece) === after.slice(start, start + piece)
    )
      start += piece;
  }
  if (isHigh(before, start - 1)) start -= 1;
  let tail = 0;
  for (let piece = 4096; piece >= 1; piece = Math.floor(piece / 8)) {
    while (
      tail + piece <= shorter - start &&
      before.slice(before.length - tail - piece, before.length - tail) ===
        after.slice(after.length - tail - piece, after.length - tail)
    )
      tail += piece;
  }
  if (isLow(before, before.length - tail)) tail -= 1;
  return { start, oldEnd: before.length - tail, text: after.slice(start, after.length - tail) };
}

export function changed(before: string, { start, oldEnd, text }: TextChange): string {
  return before.slice(0, start) + text + before.slice(oldEnd);
}

function isHigh(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xd800 && unit < 0xdc00;
}

function isLow(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit < 0xe000;
}
