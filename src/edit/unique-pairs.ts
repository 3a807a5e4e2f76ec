/** Places of the same item on both sides. */
export type Pair = readonly [old: number, recent: number];

/** Items that stand once on either side, as many as come in the same order. */
export function uniquePairs(before: readonly string[], after: readonly string[]): readonly Pair[] {
  const places = uniquePlaces(after);
  const pairs: Pair[] = [];
  for (const [item, old] of uniquePlaces(before)) {
    const recent = places.get(item);
    if (recent !== undefined) pairs.push([old, recent]);
  }
  return longestRise(pairs);
}

function uniquePlaces(items: readonly string[]): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  const repeated = new Set<string>();
  for (const [index, item] of items.entries()) {
    if (places.has(item)) repeated.add(item);
    places.set(item, index);
  }
  for (const item of repeated) places.delete(item);
  return places;
}

/** The longest selection whose second numbers rise too. */
function longestRise(pairs: readonly Pair[]): readonly Pair[] {
  /** For every length, the selection of that length with the lowest end; each points to the one before. */
  const ends: { readonly pair: Pair; readonly previous: number }[] = [];
  const lowest: number[] = [];
  for (const pair of pairs) {
    let low = 0;
    let high = lowest.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (ends[lowest[middle]!]!.pair[1] < pair[1]) low = middle + 1;
      else high = middle;
    }
    ends.push({ pair, previous: low === 0 ? -1 : lowest[low - 1]! });
    lowest[low] = ends.length - 1;
  }
  const rise: Pair[] = [];
  for (let at = lowest.at(-1) ?? -1; at !== -1; at = ends[at]!.previous) rise.push(ends[at]!.pair);
  return rise.reverse();
}
