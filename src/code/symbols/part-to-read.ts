import type { CodeSymbol } from "../../contract/code.ts";
import type { Stretch } from "./gather-pieces.ts";
import type { Change } from "./outline-after.ts";

/** A part of the old text, with the symbols in it: those that have to be read again. */
export interface Part extends Stretch {
  /** The first of them, and the first after them. */
  readonly first: number;
  readonly last: number;
  /** What they lie in. */
  readonly holder: number | undefined;
}

export interface PartOptions {
  /** The old one. */
  readonly text: string;
  /** Whether a symbol can have its doc comment inside. */
  readonly docInside: boolean;
}

/**
 * The innermost symbol that has a body around the change stays as it is. Of those in it the ones that are changed are read
 * again, and one more on each side: a comment may now belong to it.
 */
export function partToRead(
  old: readonly CodeSymbol[],
  changed: Change,
  { text, docInside }: PartOptions,
): Part {
  const holder = holderOf(old, changed, { text, docInside });
  const holding = holder === undefined ? undefined : old[holder];
  const next = holder === undefined ? old.length : nextOutside(old, holder);
  const siblings: number[] = [];
  for (let index = (holder ?? -1) + 1; index < next; index++) {
    if (old[index]?.parent === holder) siblings.push(index);
  }
  const startOf = (sibling: number): number => old[siblings[sibling] ?? -1]?.start ?? text.length;
  const endOf = (sibling: number): number => old[siblings[sibling] ?? -1]?.end ?? 0;
  let from = 0;
  while (from < siblings.length && endOf(from) < changed.start) from++;
  let to = from;
  while (to < siblings.length && startOf(to) <= changed.oldEnd) to++;
  from = Math.max(0, from - 1);
  to = Math.min(siblings.length, to + 1);
  // Names of one declaration may share their text.
  while (from > 0 && endOf(from - 1) > startOf(from)) from--;
  while (to < siblings.length && startOf(to) < endOf(to - 1)) to++;
  return {
    start: from > 0 ? endOf(from - 1) : (holding?.declarationStart ?? 0),
    end: to < siblings.length ? startOf(to) : (holding?.inside?.end ?? text.length),
    first: siblings[from] ?? next,
    last: siblings[to] ?? next,
    holder,
  };
}

function holderOf(
  old: readonly CodeSymbol[],
  { start, oldEnd }: Change,
  { text, docInside }: PartOptions,
): number | undefined {
  let holder: number | undefined;
  for (const [index, { parent, inside, start: begins, declarationStart, name }] of old.entries()) {
    if (begins > start) break;
    if (parent !== holder || !inside || inside.start >= start || inside.end <= oldEnd) continue;
    // The name may come after what is inside: `typedef struct { … } Name`.
    if (!text.slice(declarationStart, inside.start).includes(name)) continue;
    const child = old[index + 1];
    // What comes first inside may be the doc comment.
    if (docInside && !(child?.parent === index && child.start < start)) continue;
    holder = index;
  }
  return holder;
}

/** The first symbol after one that does not lie in it. */
function nextOutside(old: readonly CodeSymbol[], holder: number): number {
  let index = holder + 1;
  while (index < old.length && liesIn(old, index, holder)) index++;
  return index;
}

function liesIn(old: readonly CodeSymbol[], index: number, holder: number): boolean {
  let at: number | undefined = index;
  while (at !== undefined && at > holder) at = old[at]?.parent;
  return at === holder;
}
