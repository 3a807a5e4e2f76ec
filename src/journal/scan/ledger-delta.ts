import type { SharedRange, Snapshot } from "../../contract/snapshot.ts";
import { ContentsColumns, PackedContents } from "../../environment/directory-contents.ts";
import { EntryColumns, type EntryPart, entriesFrom, partOf } from "../../environment/entry-columns.ts";
import { Holdings, type PackedHoldings } from "./holdings.ts";
import { type Ledger, positionsOutside } from "./ledger.ts";

/** The difference between a ledger and one that is stored already, for `v8.serialize`. */
export interface LedgerDelta extends Pick<Snapshot, "takenMs" | "targets" | "leftOut"> {
  /** The ranges of the stored ledger, three numbers each. */
  readonly ranges: Int32Array;
  /** All other entries. */
  readonly entries: EntryPart;
  /** Position, first and end of the contents of each directory. */
  readonly contents: Int32Array;
  /** The positions of stored contents that the stored ledger does not have. */
  readonly held: Int32Array;
  readonly holdings: PackedHoldings;
}

/** Returns the positions of stored contents that a stored ledger does not have. */
export function heldBeyond(
  { snapshot, holdings }: Ledger,
  ranges: readonly SharedRange[],
  stored: Holdings,
): readonly number[] {
  const own = [...positionsOutside(ranges, snapshot.entries.count)];
  const held = own.filter((position) => holdings.has(position));
  for (const range of ranges) for (const position of holdings.differing(stored, range)) held.push(position);
  return held;
}

/** Returns the difference between a ledger and a stored one, of which it has these ranges. `held` is from `heldBeyond`. */
export function deltaOf(
  { snapshot, holdings }: Ledger,
  ranges: readonly SharedRange[],
  held: readonly number[],
): LedgerDelta {
  const { takenMs, targets, leftOut, contents, entries } = snapshot;
  const columns = new EntryColumns();
  for (const position of positionsOutside(ranges, entries.count))
    columns.share(entries, position, position + 1);
  return {
    ...{ takenMs, targets, leftOut },
    ranges: Int32Array.from(ranges.flatMap(({ first, end, earlier }) => [first, end, earlier])),
    entries: partOf(columns.done()),
    contents: triplesOf(contents),
    held: Int32Array.from(held),
    holdings: holdings.pack(held),
  };
}

/** Returns the ledger of which `deltaOf` has returned the difference. */
export function applyDelta(
  stored: Ledger,
  delta: LedgerDelta,
  repositories: Snapshot["repositories"],
): Ledger {
  const own = entriesFrom(delta.entries);
  const ranges = Array.from({ length: delta.ranges.length / 3 }, (_, index) => {
    const [first, end, earlier] = delta.ranges.subarray(index * 3) as unknown as [number, number, number];
    return { first, end, earlier };
  });
  const count = ranges.reduce((sum, { first, end }) => sum + end - first, own.count);
  const columns = new EntryColumns();
  const holdings = new Holdings(count, stored.holdings);
  let next = 0;
  for (const range of [...ranges, { first: count, end: count, earlier: 0 }]) {
    const missing = range.first - columns.next;
    columns.share(own, next, next + missing);
    next += missing;
    columns.share(stored.snapshot.entries, range.earlier, range.earlier + range.end - range.first);
    holdings.copy(stored.holdings, range);
  }
  holdings.unpack(delta.holdings, delta.held);
  const entries = columns.done();
  const contents = contentsFrom(delta.contents, entries);
  const { takenMs, targets, leftOut } = delta;
  return { snapshot: { takenMs, targets, leftOut, entries, contents, repositories }, holdings };
}

/** Returns where the entries of a snapshot are in a stored one, by way of an earlier snapshot. All ranges are in order. */
export function throughEarlier(
  ranges: readonly SharedRange[],
  earlierRanges: readonly SharedRange[],
): readonly SharedRange[] {
  const found: SharedRange[] = [];
  for (const { first, end, earlier } of ranges) {
    const last = earlier + end - first;
    for (let index = indexOf(earlierRanges, earlier); index < earlierRanges.length; index += 1) {
      const other = earlierRanges[index]!;
      if (other.first >= last) break;
      const [from, to] = [Math.max(earlier, other.first), Math.min(last, other.end)];
      found.push({
        first: first + from - earlier,
        end: first + to - earlier,
        earlier: other.earlier + from - other.first,
      });
    }
  }
  return found;
}

/** Returns the index of the first range that ends after a position. */
function indexOf(ranges: readonly SharedRange[], position: number): number {
  let [low, high] = [0, ranges.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ranges[middle]!.end <= position) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns place, first and end of the contents of each directory. */
export function triplesOf(contents: Snapshot["contents"]): Int32Array {
  return PackedContents.from(contents).numbers;
}

/** Returns the contents of which `triplesOf` has returned the numbers. */
export function contentsFrom(numbers: Int32Array, entries: Snapshot["entries"]): PackedContents {
  const contents = new ContentsColumns(undefined);
  for (let at = 0; at < numbers.length; at += 3) {
    const [place, first, end] = [numbers[at]!, numbers[at + 1]!, numbers[at + 2]!];
    contents.add(place < 0 ? "" : entries.pathAt(place), { place, first, end });
  }
  return contents.done();
}
