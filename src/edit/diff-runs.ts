/** Old items `oldStart` to `oldEnd` are replaced by new items `newStart` to `newEnd`; either side may be empty. */
export interface Run {
  readonly oldStart: number;
  readonly oldEnd: number;
  readonly newStart: number;
  readonly newEnd: number;
}

/** Returns the runs in which two lists differ, with the fewest changes (Myers). */
export function diffRuns(before: readonly string[], after: readonly string[]): readonly Run[] {
  let start = 0;
  const shorter = Math.min(before.length, after.length);
  while (start < shorter && before[start] === after[start]) start += 1;
  let tail = 0;
  while (tail < shorter - start && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const oldEnd = before.length - tail;
  const newEnd = after.length - tail;
  if (start === oldEnd && start === newEnd) return [];
  const whole = { oldStart: start, oldEnd, newStart: start, newEnd };
  if (start === oldEnd || start === newEnd) return [whole];
  const removed = before.slice(start, oldEnd);
  const added = after.slice(start, newEnd);
  if (!shareAny(removed, added)) return [whole];
  const trace = shortestPath(removed, added);
  return trace ? runsAlong(trace, whole) : runsBetween(uniquePairs(removed, added), whole);
}

function shareAny(left: readonly string[], right: readonly string[]): boolean {
  if (left.length * right.length < 64) return left.some((item) => right.includes(item));
  const items = new Set(left);
  return right.some((item) => items.has(item));
}

/** Lists with more differences are compared only by the items that are unique on both sides. */
const maxDifferences = 600;

function runsBetween(pairs: readonly Pair[], whole: Run): readonly Run[] {
  const runs: Run[] = [];
  let oldStart = whole.oldStart;
  let newStart = whole.newStart;
  for (const [old, recent] of [
    ...pairs,
    [whole.oldEnd - whole.oldStart, whole.newEnd - whole.newStart],
  ] as const) {
    const oldEnd = whole.oldStart + old;
    const newEnd = whole.newStart + recent;
    if (oldStart < oldEnd || newStart < newEnd) runs.push({ oldStart, oldEnd, newStart, newEnd });
    oldStart = oldEnd + 1;
    newStart = newEnd + 1;
  }
  return runs;
}

/** The farthest old item reached on each diagonal, for every number of differences. */
type Trace = readonly (readonly number[])[];

function shortestPath(before: readonly string[], after: readonly string[]): Trace | undefined {
  const limit = Math.min(maxDifferences, before.length + after.length);
  const trace: number[][] = [];
  let reached = new Array<number>(2 * limit + 3).fill(0);
  for (let differences = 0; differences <= limit; differences += 1) {
    const next = reached.slice();
    for (let diagonal = -differences; diagonal <= differences; diagonal += 2) {
      let old = stepFrom(reached, diagonal, differences, limit);
      while (old < before.length && old - diagonal < after.length && before[old] === after[old - diagonal])
        old += 1;
      next[diagonal + limit + 1] = old;
      if (old >= before.length && old - diagonal >= after.length) {
        trace.push(next);
        return trace;
      }
    }
    trace.push(next);
    reached = next;
  }
  return undefined;
}

function stepFrom(reached: readonly number[], diagonal: number, differences: number, limit: number): number {
  if (differences === 0) return 0;
  const left = reached[diagonal + limit]!;
  const right = reached[diagonal + limit + 2]!;
  const takesNew = diagonal === -differences || (diagonal !== differences && left < right);
  return takesNew ? right : left + 1;
}

function runsAlong(trace: Trace, whole: Run): readonly Run[] {
  const limit = (trace[0]!.length - 3) / 2;
  const runs: Run[] = [];
  let old = whole.oldEnd - whole.oldStart;
  let recent = whole.newEnd - whole.newStart;
  for (let differences = trace.length - 1; differences > 0; differences -= 1) {
    const reached = trace[differences - 1]!;
    const diagonal = old - recent;
    const left = reached[diagonal + limit]!;
    const right = reached[diagonal + limit + 2]!;
    const takesNew = diagonal === -differences || (diagonal !== differences && left < right);
    const oldBefore = takesNew ? right : left;
    const newBefore = oldBefore - (takesNew ? diagonal + 1 : diagonal - 1);
    addStep(runs, {
      oldStart: whole.oldStart + oldBefore,
      oldEnd: whole.oldStart + oldBefore + (takesNew ? 0 : 1),
      newStart: whole.newStart + newBefore,
      newEnd: whole.newStart + newBefore + (takesNew ? 1 : 0),
    });
    old = oldBefore;
    recent = newBefore;
  }
  return runs.reverse();
}

/** Adds a step, from the last to the first, and joins adjacent steps into one run. */
function addStep(runs: Run[], step: Run): void {
  const later = runs.at(-1);
  if (later && later.oldStart === step.oldEnd && later.newStart === step.newEnd) {
    runs[runs.length - 1] = { ...step, oldEnd: later.oldEnd, newEnd: later.newEnd };
  } else runs.push(step);
}

/** Indexes of the same item on both sides. */
type Pair = readonly [old: number, recent: number];

/** Returns the longest list, in the order of both sides, of items that are unique on both sides. */
function uniquePairs(before: readonly string[], after: readonly string[]): readonly Pair[] {
  const indexes = uniqueIndexes(after);
  const pairs: Pair[] = [];
  for (const [item, old] of uniqueIndexes(before)) {
    const recent = indexes.get(item);
    if (recent !== undefined) pairs.push([old, recent]);
  }
  return longestRise(pairs);
}

function uniqueIndexes(items: readonly string[]): ReadonlyMap<string, number> {
  const indexes = new Map<string, number>();
  const repeated = new Set<string>();
  for (const [index, item] of items.entries()) {
    if (indexes.has(item)) repeated.add(item);
    indexes.set(item, index);
  }
  for (const item of repeated) indexes.delete(item);
  return indexes;
}

/** Returns the longest selection of pairs in which the second numbers rise like the first. */
function longestRise(pairs: readonly Pair[]): readonly Pair[] {
  /** The last pairs of selections, each with the index of the pair before it. */
  const ends: { readonly pair: Pair; readonly previous: number }[] = [];
  /** For every length, the index of the lowest end of a selection of that length. */
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
