/** The entries below the workspace at one moment. */
export interface Snapshot {
  /** When it was started, in milliseconds since 1970. */
  readonly takenMs: number;
  /** By path relative to the workspace, with "/" between names. A directory comes before its entries. */
  readonly entries: ReadonlyMap<string, Entry>;
  /** Skipped directories and files, by path. */
  readonly leftOut: ReadonlyMap<string, LeftOut>;
  /** Repositories with a working tree in the workspace or around it. */
  readonly repositories: readonly Repository[];
  /** The listed directories by path, "" for the workspace. Only this machine's, and only in this process. */
  readonly listed?: ReadonlyMap<string, ListedDirectory> | undefined;
}

export interface ListedDirectory {
  /** The directory just before it was listed. */
  readonly entry: Entry;
  /** The paths of its entries. */
  readonly paths: readonly string[];
}

/** An entry, with the names of Node's `Stats`. `mode` includes the entry's type; times are in milliseconds. */
export interface Entry {
  readonly mode: number;
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly ino: number;
  readonly dev: number;
  /** The target of a link. */
  readonly target?: string | undefined;
}

/**
 * Why an entry is skipped. "ignored": by ignore files, and one of `leftOutFolders` or over a limit of
 * `ignoredLimits`; "repository": git's own files;
 * "unreadable": permissions, or a name that is not valid UTF-8; "system": not a disk, such as /proc.
 */
export type LeftOut = "ignored" | "repository" | "unreadable" | "system";

/** Ignored folders with these names are never scanned: programs fill them with what they can make again. */
export const leftOutFolders: ReadonlySet<string> = new Set([
  ...["node_modules", "bower_components", ".pnpm-store", ".yarn", ".npm"],
  ...["target", "dist", ".gradle", ".m2", ".ivy2", ".cargo", ".rustup"],
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
  /** When the index was last written; undefined without one. */
  readonly indexMs?: number | undefined;
}

export interface SnapshotOptions {
  /** Absolute paths of directories to skip. */
  readonly without?: readonly string[] | undefined;
  /** An earlier snapshot whose choice of entered and skipped directories is repeated, whatever is ignored by now. */
  readonly like?: Snapshot | undefined;
  /** An earlier snapshot. Entries that are unchanged since then are the same objects. Default: `like`. */
  readonly known?: Snapshot | undefined;
  /** Fails with `too-large` above this number of entries. Default: there is no limit. */
  readonly maxEntries?: number | undefined;
  /** Default: `ignoredLimits`. */
  readonly ignored?: IgnoredLimits | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Clocks of file systems tick in steps of up to ten milliseconds, some in seconds: an entry that changed just before
 * it was read may change again and look the same.
 */
const clockStepMs = { usual: 50, wholeSeconds: 2050 };

/** Whether an entry with the same figures after `takenMs` is unchanged. */
export function isSettled({ ctimeMs }: Pick<Entry, "ctimeMs">, takenMs: number): boolean {
  const stepMs = ctimeMs % 1000 === 0 ? clockStepMs.wholeSeconds : clockStepMs.usual;
  return ctimeMs < takenMs - stepMs;
}

/** Whether two entries look the same, except for permissions. Says nothing about the content of a directory. */
export function looksSame(one: Entry, other: Entry): boolean {
  return (
    one.size === other.size &&
    one.mtimeMs === other.mtimeMs &&
    one.ctimeMs === other.ctimeMs &&
    one.ino === other.ino &&
    one.dev === other.dev
  );
}

/** Returns the entry of an earlier snapshot if its figures prove that it is unchanged since then. */
export function unchangedSince(earlier: Snapshot | undefined, path: string, now: Entry): Entry | undefined {
  const entry = earlier?.entries.get(path);
  return entry !== undefined && isUnchanged(entry, now, earlier!.takenMs) ? entry : undefined;
}

/** Whether an entry of a snapshot, taken at `takenMs`, is the same as now. */
export function isUnchanged(entry: Entry, now: Entry, takenMs: number): boolean {
  return entry.mode === now.mode && looksSame(entry, now) && isSettled(entry, takenMs);
}

export function kindOf({ mode }: Pick<Entry, "mode">): "file" | "directory" | "link" | "other" {
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
