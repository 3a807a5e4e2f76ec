/**
 * Returns the first of `length` indexes that passes the test, or `length`, by binary search. All later indexes must
 * pass too.
 */
export function firstIndex(length: number, test: (index: number) => boolean): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (test(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
