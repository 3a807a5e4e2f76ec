import {
  type EntryFigures,
  figure,
  type IgnoredLimits,
  ignoredLimits,
  kindOfMode,
  type LeftOut,
  leftOutFolders,
  type Repository,
  type SharedRange,
  type Snapshot,
} from "../contract/snapshot.ts";
import { ContentsColumns, type PackedContents } from "./directory-contents.ts";
import { EntryColumns } from "./entry-columns.ts";

/** Fills the columns of a snapshot. */
export class SnapshotColumns {
  readonly targets: Map<number, string> = new Map();
  readonly leftOut: Map<number, LeftOut> = new Map();
  readonly repositories: Repository[] = [];
  readonly #takenMs = Date.now();
  readonly #entries = new EntryColumns();
  readonly #contents: ContentsColumns;
  readonly #shared: SharedRange[] = [];
  /** Positions in shared ranges whose figures were replaced. */
  readonly #replaced: number[] = [];

  /** `likely` is a snapshot with mostly the same directories. */
  constructor(likely?: Snapshot) {
    this.#contents = new ContentsColumns(likely?.contents);
  }

  /** Adds an entry, and returns its index. */
  add(path: string, entry: EntryFigures): number {
    return this.#entries.add(path, entry);
  }

  /** Replaces the figures of a shared entry. */
  replace(place: number, entry: EntryFigures): void {
    this.#replaced.push(place);
    this.#entries.replace(place, entry);
  }

  /** Adds entries of an earlier snapshot that are unchanged. */
  share(earlier: Snapshot, from: number, end: number): void {
    if (from === end) return;
    const first = this.next;
    this.#entries.share(earlier.entries, from, end);
    const last = this.#shared.at(-1);
    if (last !== undefined && last.end === first && last.earlier + first - last.first === from)
      this.#shared[this.#shared.length - 1] = { ...last, end: this.next };
    else this.#shared.push({ first, end: this.next, earlier: from });
  }

  /** Returns a function that finds the new position of an entry of the earlier snapshot, if it is shared. */
  newPlaces(): (place: number) => number | undefined {
    const ranges = this.#shared.toSorted((one, other) => one.earlier - other.earlier);
    return (place) => {
      let [low, high] = [0, ranges.length];
      while (low < high) {
        const middle = (low + high) >>> 1;
        if (ranges[middle]!.earlier <= place) low = middle + 1;
        else high = middle;
      }
      const range = ranges[low - 1];
      if (range === undefined || place - range.earlier >= range.end - range.first) return undefined;
      return range.first + place - range.earlier;
    };
  }

  /** The index that the next entry gets. */
  get next(): number {
    return this.#entries.next;
  }

  /** Marks all entries since `first` as the content of a directory. */
  setContents(path: string, place: number, first: number): void {
    this.#contents.add(path, { place, first, end: this.next });
  }

  /** Marks shared entries as the contents of a directory at `place` and of those below it, see `PackedContents.below`. */
  shareContents(
    earlier: PackedContents,
    range: { readonly start: number; readonly end: number },
    to: { readonly place: number; readonly offset: number },
  ): void {
    this.#contents.share(earlier, range, to);
  }

  /** Returns the snapshot. `earlier` is the one that entries were shared with. */
  done(earlier?: Snapshot): Snapshot {
    const ranges = withoutPlaces(this.#shared, this.#replaced);
    return {
      identity: Symbol("snapshot"),
      shared: earlier?.identity && { with: earlier.identity, ranges },
      takenMs: this.#takenMs,
      entries: this.#entries.done(),
      targets: this.targets,
      contents: this.#contents.done(),
      leftOut: this.leftOut,
      repositories: this.repositories,
    };
  }
}

/** Splits ranges, so that none contains one of the places. */
function withoutPlaces(ranges: readonly SharedRange[], places: readonly number[]): readonly SharedRange[] {
  const sorted = places.toSorted((one, other) => one - other);
  let next = 0;
  return ranges.flatMap(({ first, end, earlier }) => {
    const parts: SharedRange[] = [];
    let from = first;
    const add = (to: number) => {
      if (to > from) parts.push({ first: from, end: to, earlier: earlier + from - first });
    };
    for (; next < sorted.length && sorted[next]! < end; next += 1) {
      add(sorted[next]!);
      from = Math.max(from, sorted[next]! + 1);
    }
    add(end);
    return parts;
  });
}

/** Decides which ignored entries a snapshot covers: all but `leftOutFolders`, within `ignoredLimits`. */
export class IgnoredBudget {
  readonly #maxFileBytes: number;
  #entries: number;
  #bytes: number;

  constructor(limits: IgnoredLimits = ignoredLimits) {
    this.#maxFileBytes = limits.maxFileBytes;
    this.#entries = limits.maxEntries;
    this.#bytes = limits.maxBytes;
  }

  /** Whether to enter an ignored directory, by its name. */
  enters(name: string): boolean {
    return this.#entries > 0 && !leftOutFolders.has(name);
  }

  /** Counts the entries of an ignored directory, unless there are too many. */
  takes(entries: number): boolean {
    if (entries > this.#entries) return false;
    this.#entries -= entries;
    return true;
  }

  /** Counts the content of an ignored file, unless it is too large. */
  stores(bytes: number): boolean {
    if (bytes > this.#maxFileBytes || bytes > this.#bytes) return false;
    this.#bytes -= bytes;
    return true;
  }
}

/** Ignored files up to this size are always covered, except in ignored directories, so that most need no decision. */
export const smallFileBytes: number = 1024 * 1024;

/** Returns the directories that a snapshot has entered, and the omitted ones with the reason. */
export function directoriesOf(snapshot: Snapshot | undefined): ReadonlyMap<string, LeftOut | undefined> {
  const directories = new Map<string, LeftOut | undefined>();
  for (let place = 0; place < (snapshot?.entries.count ?? 0); place += 1) {
    const { entries, leftOut } = snapshot!;
    if (kindOfMode(entries.figureAt(place, figure.mode)) === "directory")
      directories.set(entries.pathAt(place), leftOut.get(place));
  }
  return directories;
}

/** Returns the paths that begin with `prefix`, without it. */
export function namesBelow(prefix: string, paths: readonly string[]): ReadonlySet<string> {
  return new Set(paths.filter((path) => path.startsWith(prefix)).map((path) => path.slice(prefix.length)));
}
