/** Where the lines of a text begin, the first at 0. */
export function lineStartsOf(text: string): Uint32Array {
  let starts = new Uint32Array(Math.max(16, text.length >> 4));
  let count = 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) {
    if (count === starts.length) {
      const larger = new Uint32Array(count * 2);
      larger.set(starts);
      starts = larger;
    }
    starts[count++] = at + 1;
  }
  return starts.subarray(0, count);
}

/** The line an offset stands in, counted from 1. */
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
