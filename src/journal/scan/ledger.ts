import {
  figure,
  figureCount,
  isSettled,
  kindOfMode,
  type Repository,
  type SharedRange,
  type Snapshot,
  sharedRanges,
} from "../../contract/snapshot.ts";
import { Holdings } from "./holdings.ts";

/** A snapshot, and the stored contents of its files. */
export interface Ledger {
  readonly snapshot: Snapshot;
  /** The stored contents, by position. */
  readonly holdings: Holdings;
}

/** Returns the innermost repository that contains a path. */
export function repositoryOf(snapshot: Snapshot, path: string): Repository | undefined {
  let nearest: Repository | undefined;
  for (const repository of snapshot.repositories) {
    const contains = repository.path === "" || path.startsWith(`${repository.path}/`);
    if (contains && repository.path.length >= (nearest?.path.length ?? 0)) nearest = repository;
  }
  return nearest;
}

/** Returns whether two entries look the same except for permissions. Says nothing about the content of a directory. */
export function looksSame(one: Snapshot, position: number, other: Snapshot, otherPosition: number): boolean {
  for (let column = 1; column < figureCount; column += 1) {
    if (one.entries.figureAt(position, column) !== other.entries.figureAt(otherPosition, column))
      return false;
  }
  return true;
}

export function modeAt({ entries }: Snapshot, position: number): number {
  return entries.figureAt(position, figure.mode);
}

export function bytesAt({ entries }: Snapshot, position: number): number {
  return entries.figureAt(position, figure.bytes);
}

export function isFileAt(snapshot: Snapshot, position: number): boolean {
  return kindOfMode(modeAt(snapshot, position)) === "file";
}

/** Returns a function that finds positions by path. It is fastest in the order of the snapshot. */
export function positionsIn(snapshot: Snapshot): (path: string) => number | undefined {
  const { entries, contents } = snapshot;
  let next = 0;
  let all: Map<string, number> | undefined;
  const find = (path: string) => {
    const range = contents.get(path.slice(0, Math.max(0, path.lastIndexOf("/"))));
    if (range !== undefined) {
      for (let place = range.first; place < range.end && range.end - range.first < fewEntries; place += 1)
        if (entries.pathAt(place) === path) return place;
      if (range.end - range.first < fewEntries) return undefined;
    }
    all ??= new Map(Array.from(entries.paths(), (other, position) => [other, position]));
    return all.get(path);
  };
  return (path) => {
    if (next < entries.count && entries.pathAt(next) === path) {
      next += 1;
      return next - 1;
    }
    const found = find(path);
    if (found !== undefined) next = found + 1;
    return found;
  };
}

/** A directory of this size is searched entry by entry. */
const fewEntries = 1000;

/** Copies the stored contents of an earlier ledger for unchanged files. */
export function carryOver(snapshot: Snapshot, earlier: Ledger | undefined): Holdings {
  const holdings = new Holdings(snapshot.entries.count, earlier?.holdings);
  if (earlier === undefined) return holdings;
  const ranges = sharedRanges(snapshot, earlier.snapshot);
  for (const range of ranges) holdings.copy(earlier.holdings, range);
  const positionOf = positionsIn(earlier.snapshot);
  for (const position of positionsOutside(ranges, snapshot.entries.count)) {
    const before = positionOf(snapshot.entries.pathAt(position));
    if (before === undefined) continue;
    if (!earlier.holdings.has(before) || !isSettled(earlier.snapshot, before)) continue;
    if (looksSame(snapshot, position, earlier.snapshot, before))
      holdings.copy(earlier.holdings, { first: position, end: position + 1, earlier: before });
  }
  return holdings;
}

/** Lists the positions that are in none of the ranges. */
export function* positionsOutside(ranges: readonly SharedRange[], count: number): Generator<number> {
  let next = 0;
  for (const { first, end } of [...ranges, { first: count, end: count }]) {
    for (; next < first; next += 1) yield next;
    next = end;
  }
}
