/** The entries below the workspace at one moment. A directory comes before its entries. */
export interface Snapshot {
  /** When it was started, in milliseconds since 1970. */
  readonly takenMs: number;
  readonly entries: Entries;
  /** Link targets, by the index of the link. */
  readonly targets: ReadonlyMap<number, string>;
  /** The range of a directory's entries, by its path, "" for the workspace. Not for all directories. */
  readonly contents: DirectoryContents;
  /** Skipped directories and files, by index. */
  readonly leftOut: ReadonlyMap<number, LeftOut>;
  /** Repositories with a working tree in the workspace or around it. */
  readonly repositories: readonly Repository[];
  /** Names this snapshot in the `shared` of a later one. */
  readonly identity?: symbol | undefined;
  /** The entries that are proved to be the same as in an earlier snapshot, with their contents. */
  readonly shared?: { readonly with: symbol; readonly ranges: readonly SharedRange[] } | undefined;
}

/** The paths and figures of all entries, by index. */
export interface Entries {
  readonly count: number;
  /** Returns a path relative to the workspace, with "/" between names. */
  pathAt(place: number): string;
  /** Returns one of the figures: `figureAt(place, figure.mode)`. */
  figureAt(place: number, column: number): number;
  /** Lists all paths. */
  paths(): IterableIterator<string>;
}

/** The ranges of the entries of directories, by path. A `Map` is one. */
export interface DirectoryContents extends Iterable<readonly [path: string, Contents]> {
  readonly size: number;
  get(path: string): Contents | undefined;
  has(path: string): boolean;
  keys(): Iterable<string>;
}

/** The figures of an entry, named as in Node's `Stats`. */
export interface EntryFigures {
  readonly mode: number;
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly ino: number;
  readonly dev: number;
}

/** Entries `first` to before `end`, which are at `earlier` and after it in the earlier snapshot. */
export interface SharedRange {
  readonly first: number;
  readonly end: number;
  readonly earlier: number;
}

export interface Contents {
  /** Index of the directory itself; -1 for the workspace. */
  readonly place: number;
  /** The first of its entries, and the one after the last. */
  readonly first: number;
  readonly end: number;
}

/** Positions of the figures of an entry. `mode` includes the entry's type; times are in milliseconds. */
export const figure = { mode: 0, bytes: 1, modified: 2, changed: 3, inode: 4, device: 5 } as const;

export const figureCount = 6;

/**
 * Why an entry is skipped. "ignored": by ignore files, and one of `leftOutFolders` or over a limit of
 * `ignoredLimits`; "repository": git's own files;
 * "unreadable": permissions, or a name that is not valid UTF-8; "system": not a disk, such as /proc.
 */
export type LeftOut = "ignored" | "repository" | "unreadable" | "system";

/** Ignored folders with these names are never scanned: programs fill them with what they can make again. */
export const leftOutFolders: ReadonlySet<string> = new Set([
  ...["node_modules", "bower_components", ".pnpm-store", ".yarn", ".npm"],
  ...["target", ".gradle", ".m2", ".ivy2", ".cargo", ".rustup"],
  ...[".venv", "venv", ".tox", ".nox", "__pycache__", "__pypackages__", "site-packages"],
  ...[".cache", "cache", "caches", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".parcel-cache", ".turbo"],
  ...[".next", ".nuxt", ".svelte-kit", ".angular", "DerivedData", "Pods", "_build", ".terraform"],
]);

/** How much of all other ignored files and folders one snapshot covers. */
export const ignoredLimits: IgnoredLimits = {
  maxEntries: 20_000,
  maxFileBytes: 16 * 1024 * 1024,
  maxBytes: 128 * 1024 * 1024,
};

export interface IgnoredLimits {
  readonly maxEntries: number;
  readonly maxFileBytes: number;
  readonly maxBytes: number;
}

/** A git repository. */
export interface Repository {
  /** Its working tree relative to the workspace; "" for the workspace itself or a directory above it. */
  readonly path: string;
  /** The workspace relative to the working tree, when that is above: "" or names that each end with "/". */
  readonly prefix: string;
  /** Fingerprints: they differ when the state differs. */
  readonly state: { readonly head: string; readonly index: string; readonly refs: string };
  /** The current index; undefined when there is none. */
  readIndex(): { readonly bytes: Uint8Array; readonly modifiedMs: number } | undefined;
}

export interface SnapshotOptions {
  /** Absolute paths of directories to skip. */
  readonly without?: readonly string[];
  /** An earlier snapshot whose choice of entered and skipped directories is repeated, whatever is ignored by now. */
  readonly like?: Snapshot;
  /** An earlier snapshot to speed this one up: it knows the names in unchanged directories. */
  readonly known?: Snapshot;
  /** Scans everything, also what a watch has proved to be unchanged. Default: false. */
  readonly again?: boolean | undefined;
  /**
   * Does not look for files that a program has mapped or opened for writing: the time for that grows with the number of
   * processes. A watch reports ordinary writes at once, and writes to mapped memory when the file is closed. Not for
   * undo, which must see every write. Default: false.
   */
  readonly ignoreFilesInUse?: boolean | undefined;
  /** Default: `ignoredLimits`. */
  readonly ignored?: IgnoredLimits;
  readonly signal?: AbortSignal;
}

/**
 * Clocks of file systems tick in steps of up to ten milliseconds, some in seconds: an entry that changed just before
 * it was read may change again and look the same.
 */
const clockStepMs = { usual: 50, wholeSeconds: 2050 };

/** Whether an entry with the same figures later is unchanged. */
export function isSettled({ takenMs, entries }: Snapshot, place: number): boolean {
  const changedMs = entries.figureAt(place, figure.changed);
  const stepMs = changedMs % 1000 === 0 ? clockStepMs.wholeSeconds : clockStepMs.usual;
  return changedMs < takenMs - stepMs;
}

/** Returns the ranges that a snapshot shares with an earlier one. */
export function sharedRanges(snapshot: Snapshot, earlier: Snapshot | undefined): readonly SharedRange[] {
  const { shared } = snapshot;
  return shared !== undefined && shared.with === earlier?.identity ? shared.ranges : [];
}

export function kindOfMode(mode: number): "file" | "directory" | "link" | "other" {
  const type = mode & typeBits.all;
  if (type === typeBits.directory) return "directory";
  if (type === typeBits.link) return "link";
  return type === typeBits.file ? "file" : "other";
}

export const typeBits = {
  all: 0o170000,
  file: 0o100000,
  directory: 0o040000,
  link: 0o120000,
  other: 0o010000,
} as const;
