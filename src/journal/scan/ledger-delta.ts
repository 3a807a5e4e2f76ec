import { type Contents, figureCount, type SharedRange, type Snapshot } from "../../contract/snapshot.ts";
import { type Holding, type Ledger, positionsOutside } from "./ledger.ts";

/** The difference between a ledger and one that is stored already, for `v8.serialize`. */
export interface LedgerDelta extends Pick<Snapshot, "takenMs" | "targets" | "leftOut"> {
  /** The ranges of the stored ledger, three numbers each. */
  readonly ranges: Int32Array;
  /** All other entries. */
  readonly paths: string;
  readonly figures: Float64Array;
  /** Position, first and end of the contents of each directory. */
  readonly contents: Int32Array;
  /** The positions of stored contents that the stored ledger does not have. */
  readonly held: Int32Array;
  readonly holdings: string;
}

/** Returns the difference between a ledger and a stored one, of which it has these ranges. */
export function deltaOf(
  { snapshot, holdings }: Ledger,
  ranges: readonly SharedRange[],
  stored: readonly (Holding | undefined)[],
): LedgerDelta {
  const own = [...positionsOutside(ranges, snapshot)];
  const figures = new Float64Array(own.length * figureCount);
  for (const [index, position] of own.entries()) {
    const start = position * figureCount;
    figures.set(snapshot.figures.subarray(start, start + figureCount), index * figureCount);
  }
  const held = own.filter((position) => holdings[position] !== undefined);
  for (const { first, end, earlier } of ranges)
    for (let position = first; position < end; position += 1)
      if (holdings[position] !== stored[earlier + position - first]) held.push(position);
  const { takenMs, targets, leftOut, contents, paths } = snapshot;
  return {
    ...{ takenMs, targets, leftOut, figures },
    ranges: Int32Array.from(ranges.flatMap(({ first, end, earlier }) => [first, end, earlier])),
    paths: own.map((position) => paths[position]!).join("\0"),
    contents: Int32Array.from(
      Array.from(contents.values(), ({ place, first, end }) => [place, first, end]).flat(),
    ),
    held: Int32Array.from(held),
    holdings: held.map((position) => holdings[position] ?? "").join(","),
  };
}

/** Returns the ledger of which `deltaOf` has returned the difference. */
export function applyDelta(
  stored: Ledger,
  delta: LedgerDelta,
  repositories: Snapshot["repositories"],
): Ledger {
  const own = delta.paths === "" ? [] : delta.paths.split("\0");
  const ranges = triplesOf(delta.ranges).map(([first, end, earlier]) => ({ first, end, earlier }));
  const count = ranges.reduce((sum, { first, end }) => sum + end - first, own.length);
  const paths = new Array<string>(count);
  const holdings = new Array<Holding | undefined>(count).fill(undefined);
  const figures = new Float64Array(count * figureCount);
  for (const { first, end, earlier } of ranges) {
    for (let position = first; position < end; position += 1) {
      paths[position] = stored.snapshot.paths[earlier + position - first]!;
      holdings[position] = stored.holdings[earlier + position - first];
    }
    const from = stored.snapshot.figures.subarray(
      earlier * figureCount,
      (earlier + end - first) * figureCount,
    );
    figures.set(from, first * figureCount);
  }
  let next = 0;
  for (const position of positionsOutside(ranges, { paths })) {
    paths[position] = own[next]!;
    figures.set(delta.figures.subarray(next * figureCount, (next + 1) * figureCount), position * figureCount);
    next += 1;
  }
  const held = delta.holdings.split(",");
  for (const [index, position] of delta.held.entries()) holdings[position] = held[index] || undefined;
  const contents = new Map<string, Contents>();
  for (const [place, first, end] of triplesOf(delta.contents))
    contents.set(place < 0 ? "" : paths[place]!, { place, first, end });
  const { takenMs, targets, leftOut } = delta;
  return { snapshot: { takenMs, targets, leftOut, paths, figures, contents, repositories }, holdings };
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

function triplesOf(numbers: Int32Array): readonly (readonly [number, number, number])[] {
  return Array.from(
    { length: numbers.length / 3 },
    (_, index) => [numbers[index * 3]!, numbers[index * 3 + 1]!, numbers[index * 3 + 2]!] as const,
  );
}
