/** Returns the first of `length` indexes that passes, or `length`. All indexes after it must pass too. */
export function firstIndex(length: number, test: (index: number) => boolean): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (test(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
