import type { CodeSymbol } from "../../contract/code.ts";

/** Leaves out the innermost symbols, a level at a time, until no more are left than wanted; at the end the last ones. */
export function atMost(wanted: number, symbols: readonly CodeSymbol[]): CodeSymbol[] {
  if (symbols.length <= wanted) return [...symbols];
  const levels: number[] = [];
  const counts: number[] = [];
  for (const { parent } of symbols) {
    const level = parent === undefined ? 0 : (levels[parent] ?? 0) + 1;
    levels.push(level);
    counts[level] = (counts[level] ?? 0) + 1;
  }
  const deepest = deepestThatFits(wanted, counts);
  const kept: CodeSymbol[] = [];
  const places = new Map<number, number>();
  for (const [index, symbol] of symbols.entries()) {
    if ((levels[index] ?? 0) > deepest || kept.length === wanted) continue;
    places.set(index, kept.length);
    kept.push({ ...symbol, parent: symbol.parent === undefined ? undefined : places.get(symbol.parent) });
  }
  return kept;
}

function deepestThatFits(wanted: number, counts: readonly number[]): number {
  let total = counts[0] ?? 0;
  let level = 0;
  while (level + 1 < counts.length && total + (counts[level + 1] ?? 0) <= wanted) {
    level++;
    total += counts[level] ?? 0;
  }
  return level;
}
