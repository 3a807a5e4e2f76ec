import { diffRuns, type Run } from "../diff-runs.ts";

/** Lines that both sides have changed, each in its own way. */
export interface Collision {
  readonly base: readonly string[];
  readonly ours: readonly string[];
  readonly theirs: readonly string[];
  /** Where in `ours` it begins, counted from 1. */
  readonly line: number;
}

export type Merge =
  | { readonly clean: true; readonly lines: readonly string[] }
  | { readonly clean: false; readonly collisions: readonly Collision[] };

/**
 * Takes into `ours` what `theirs` changed in `base`. Changes that overlap or touch collide, unless they are the same:
 * it never guesses an order.
 */
export function mergeLines(
  base: readonly string[],
  ours: readonly string[],
  theirs: readonly string[],
): Merge {
  // Joined in the end: files have more lines than a call takes arguments.
  const parts: (readonly string[])[] = [];
  const collisions: Collision[] = [];
  let kept = 0;
  for (const { start, end, our, their } of regionsOf(diffRuns(base, ours), diffRuns(base, theirs))) {
    parts.push(base.slice(kept, start));
    const before = base.slice(start, end);
    const mine = ours.slice(our.start, our.end);
    const other = theirs.slice(their.start, their.end);
    if (isAlike(mine, before) || isAlike(mine, other)) parts.push(other);
    else if (isAlike(other, before)) parts.push(mine);
    else collisions.push({ base: before, ours: mine, theirs: other, line: our.start + 1 });
    kept = end;
  }
  parts.push(base.slice(kept));
  return collisions.length > 0 ? { clean: false, collisions } : { clean: true, lines: parts.flat() };
}

/** Lines of the base that one side or both have changed, and what stands there on either side. */
interface Region {
  readonly start: number;
  readonly end: number;
  readonly our: Side;
  readonly their: Side;
}

interface Side {
  readonly start: number;
  readonly end: number;
}

function regionsOf(ours: readonly Run[], theirs: readonly Run[]): readonly Region[] {
  const spans: { readonly start: number; end: number }[] = [];
  const runs = [...ours, ...theirs].sort((left, right) => left.oldStart - right.oldStart);
  for (const { oldStart, oldEnd } of runs) {
    const last = spans.at(-1);
    if (last && oldStart <= last.end) last.end = Math.max(last.end, oldEnd);
    else spans.push({ start: oldStart, end: oldEnd });
  }
  const our = sideOf(ours);
  const their = sideOf(theirs);
  return spans.map(({ start, end }) => ({ start, end, our: our(start, end), their: their(start, end) }));
}

/** Tells, for spans in the order of the base, which lines of one side stand for them. */
function sideOf(runs: readonly Run[]): (start: number, end: number) => Side {
  let next = 0;
  let growth = 0;
  return (start, end) => {
    const first = start + growth;
    for (let run = runs[next]; run && run.oldEnd <= end; run = runs[next]) {
      growth += run.newEnd - run.newStart - (run.oldEnd - run.oldStart);
      next += 1;
    }
    return { start: first, end: end + growth };
  };
}

function isAlike(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((line, index) => line === right[index]);
}
