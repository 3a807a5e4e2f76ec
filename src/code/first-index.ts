/** Binary search: the first of `length` indexes that passes a test which all later ones pass too, else `length`. */
export function firstIndex(length: number, test: (index: number) => boolean): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (test(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
