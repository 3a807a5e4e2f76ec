import {
  type Contents,
  type Entries,
  figure,
  figureCount,
  type LeftOut,
  type SharedRange,
  type Snapshot,
  sharedRanges,
} from "../../contract/snapshot.ts";
import { bytesOfPaths, EntryColumns, entriesFrom, joinFigures, joinPaths } from "../entry-columns.ts";
import { badMessage } from "./message.ts";
import type { SentDelta } from "./protocol.ts";
import { contentsOf, pathsOf, placeIn, reasonOf, sendRepositories } from "./snapshot-columns.ts";

// A snapshot as the difference to an earlier one that both sides have. Most commands change few of many thousand entries.

/** Returns the difference. `knows` says whether the receiver already has an index. */
export function sendDelta(
  snapshot: Snapshot,
  id: number,
  earlier: { readonly snapshot: Snapshot; readonly id: number },
  knows: Parameters<typeof sendRepositories>[1],
): SentDelta {
  const { entries, takenMs, repositories } = snapshot;
  const proved = sharedRanges(snapshot, earlier.snapshot);
  const ranges = proved.length > 0 ? proved : equalRanges(entries, earlier.snapshot.entries);
  const own = new EntryColumns();
  forEachOther(ranges, entries.count, (place) => own.add(entries.pathAt(place), figuresAt(entries, place)));
  const added = own.done();
  const expected = move(earlier.snapshot, ranges);
  return {
    ...{ id, takenMs, base: earlier.id },
    ranges: Float64Array.from(ranges.flatMap(({ first, end, earlier: from }) => [first, end, from])),
    paths: joinPaths(added),
    figures: joinFigures(added),
    targets: difference(expected.targets, snapshot.targets, Object.is),
    contents: difference(expected.contents, snapshot.contents, isSameRange).map(([path, range]) =>
      range === undefined ? [path] : [path, range.place, range.first, range.end],
    ),
    leftOut: difference(expected.leftOut, snapshot.leftOut, Object.is),
    repositories: sendRepositories(repositories, knows),
  };
}

/** Checks a difference, and applies it to the earlier snapshot. The result has at most `maxBytes`. */
export function receiveDelta(
  sent: SentDelta,
  earlier: Snapshot,
  repositories: Snapshot["repositories"],
  maxBytes: number,
): Snapshot {
  // Each path is checked.
  const added = pathsOf(sent.paths).length;
  if (sent.figures.length !== added * figureCount) throw badMessage("a snapshot has wrong figures");
  const count = sent.ranges.length / 3;
  const ranges = Array.from({ length: Math.floor(count) }, (_, index): SharedRange => {
    const [first, end, from] = sent.ranges.subarray(index * 3);
    return { first: first!, end: end!, earlier: from! };
  });
  const total = added + ranges.reduce((sum, { first, end }) => sum + end - first, 0);
  checkRanges(ranges, total, earlier.entries.count);
  const own = entriesFrom(sent);
  const columns = new EntryColumns();
  let used = 0;
  const addOwn = (until: number) => {
    const from = used;
    used += until - columns.next;
    if (used > added) throw badMessage("a snapshot has too few entries");
    columns.share(own, from, used);
  };
  for (const { first, end, earlier: from } of ranges) {
    addOwn(first);
    columns.share(earlier.entries, from, from + end - first);
  }
  addOwn(total);
  const { targets, contents, leftOut } = move(earlier, ranges);
  const placeOf = placeIn(total);
  for (const [place, target] of sent.targets)
    change(targets, placeOf(place), target === undefined ? target : `${target}`);
  for (const [place, reason] of sent.leftOut)
    change(leftOut, placeOf(place), reason === undefined ? reason : reasonOf(reason));
  for (const entry of sent.contents) {
    if (entry.length === 1) contents.delete(`${entry[0]}`);
    else contents.set(...contentsOf(entry, total));
  }
  const entries = columns.done();
  if (bytesOf(entries, targets, contents) > maxBytes) throw badMessage("a snapshot has too many entries");
  return { takenMs: sent.takenMs, entries, targets, contents, leftOut, repositories };
}

/** Many small differences can add up to more than one message may contain. */
function bytesOf(entries: Entries, targets: Snapshot["targets"], contents: Snapshot["contents"]): number {
  let sum = bytesOfPaths(entries) + entries.count * figureCount * Float64Array.BYTES_PER_ELEMENT;
  for (const target of targets.values()) sum += target.length;
  for (const path of contents.keys()) sum += path.length + contentsBytes;
  return sum;
}

/** The three numbers of a range. */
const contentsBytes = 24;

/** Each entry of the earlier snapshot is used at most once, so that a few ranges cannot become endless entries. */
function checkRanges(ranges: readonly SharedRange[], total: number, entries: number): void {
  let next = 0;
  let copied = 0;
  for (const { first, end, earlier } of ranges) {
    const isWhole = [first, end, earlier].every(Number.isSafeInteger);
    copied += end - first;
    const isInside = earlier >= 0 && earlier + end - first <= entries && end <= total;
    if (!isWhole || first < next || end <= first || !isInside || copied > entries)
      throw badMessage("a snapshot has entries that the earlier one does not have");
    next = end;
  }
}

/** Finds the entries that are the same in both, by path and figures. */
function equalRanges(entries: Entries, earlier: Entries): readonly SharedRange[] {
  const ranges: SharedRange[] = [];
  let places: Map<string, number> | undefined;
  let next = 0;
  for (let place = 0; place < entries.count; place += 1) {
    const path = entries.pathAt(place);
    const isNext = next < earlier.count && earlier.pathAt(next) === path;
    if (!isNext) places ??= new Map(Array.from(earlier.paths(), (other, index) => [other, index]));
    const found = isNext ? next : places!.get(path);
    if (found === undefined) continue;
    next = found + 1;
    if (!hasSameFigures(entries, place, earlier, found)) continue;
    const last = ranges.at(-1);
    if (last?.end === place && last.earlier + place - last.first === found)
      ranges[ranges.length - 1] = { ...last, end: place + 1 };
    else ranges.push({ first: place, end: place + 1, earlier: found });
  }
  return ranges;
}

function hasSameFigures(one: Entries, place: number, other: Entries, found: number): boolean {
  for (let column = 0; column < figureCount; column += 1)
    if (!Object.is(one.figureAt(place, column), other.figureAt(found, column))) return false;
  return true;
}

function figuresAt(entries: Entries, place: number): Parameters<EntryColumns["add"]>[1] {
  const at = (column: number) => entries.figureAt(place, column);
  return {
    ...{ mode: at(figure.mode), size: at(figure.bytes), mtimeMs: at(figure.modified) },
    ...{ ctimeMs: at(figure.changed), ino: at(figure.inode), dev: at(figure.device) },
  };
}

/** Calls `visit` for every entry outside the ranges, in their order. */
function forEachOther(ranges: readonly SharedRange[], count: number, visit: (place: number) => void): void {
  let place = 0;
  for (const { first, end } of [...ranges, { first: count, end: count }]) {
    for (; place < first; place += 1) visit(place);
    place = end;
  }
}

interface Moved {
  readonly targets: Map<number, string>;
  readonly contents: Map<string, Contents>;
  readonly leftOut: Map<number, LeftOut>;
}

/** Returns the facts of an earlier snapshot for the entries that are in these ranges, at their new places. */
function move({ targets, contents, leftOut }: Snapshot, ranges: readonly SharedRange[]): Moved {
  const newPlace = placesAfter(ranges);
  const moved: Moved = { targets: new Map(), contents: new Map(), leftOut: new Map() };
  for (const [place, target] of targets) change(moved.targets, newPlace(place), target);
  for (const [place, reason] of leftOut) change(moved.leftOut, newPlace(place), reason);
  for (const [path, { place, first, end }] of contents) {
    const at = place < 0 ? place : newPlace(place);
    const [start, last] = [newPlace(first), newPlace(end - 1)];
    if (at !== undefined && start !== undefined && last !== undefined && last - start === end - 1 - first)
      moved.contents.set(path, { place: at, first: start, end: last + 1 });
  }
  return moved;
}

function change<Value>(map: Map<number, Value>, place: number | undefined, value: Value | undefined): void {
  if (place === undefined) return;
  if (value === undefined) map.delete(place);
  else map.set(place, value);
}

/** Returns a function that finds the new place of an entry of the earlier snapshot. */
function placesAfter(ranges: readonly SharedRange[]): (place: number) => number | undefined {
  const sorted = ranges.toSorted((one, other) => one.earlier - other.earlier);
  return (place) => {
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (sorted[middle]!.earlier <= place) low = middle + 1;
      else high = middle;
    }
    const range = sorted[low - 1];
    if (range === undefined) return undefined;
    const moved = range.first + place - range.earlier;
    return moved < range.end ? moved : undefined;
  };
}

/** Returns what to set in `expected` to make it `actual`; a key alone is to be deleted. */
function difference<Key, Value>(
  expected: ReadonlyMap<Key, Value>,
  actual: Iterable<readonly [Key, Value]> & Pick<ReadonlyMap<Key, Value>, "has">,
  isSame: (one: Value, other: Value) => boolean,
): ([Key] | [Key, Value])[] {
  const changes: ([Key] | [Key, Value])[] = [];
  for (const [key, value] of actual) {
    const other = expected.get(key);
    if (other === undefined || !isSame(other, value)) changes.push([key, value]);
  }
  for (const key of expected.keys()) if (!actual.has(key)) changes.push([key]);
  return changes;
}

function isSameRange(one: Contents, other: Contents): boolean {
  return one.place === other.place && one.first === other.first && one.end === other.end;
}
