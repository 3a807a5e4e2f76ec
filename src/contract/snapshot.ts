/**
 * What stands below the workspace at one moment, in columns: entry `i` has the path `paths[i]` and the figures
 * `figures[i * figureCount + …]`. A directory comes before what is in it. An object for each of many thousand entries
 * would take as long as looking at them.
 */
export interface Snapshot {
  /** Milliseconds since 1970, when it was begun. */
  readonly takenMs: number;
  /** Relative to the workspace, with "/" between names. */
  readonly paths: readonly string[];
  readonly figures: Float64Array;
  /** Where links lead, by the place of the link. */
  readonly targets: ReadonlyMap<number, string>;
  /** Where the entries of a directory stand, by its path; "" for the workspace. Not told of all. */
  readonly contents: ReadonlyMap<string, Contents>;
  /** Directories that were not entered, and files that do not count, by their place. */
  readonly leftOut: ReadonlyMap<number, LeftOut>;
  /** Repositories whose working tree is in the workspace, or that the workspace is a part of. */
  readonly repositories: readonly Repository[];
}

export interface Contents {
  /** Of the directory itself; -1 for the workspace. */
  readonly place: number;
  /** The first of its entries, and the one after the last. */
  readonly first: number;
  readonly end: number;
}

/** Where the figures of an entry stand. `mode` has the type of the entry, too; times are in milliseconds. */
export const figure = { mode: 0, bytes: 1, modified: 2, changed: 3, inode: 4, device: 5 } as const;

export const figureCount = 6;

/**
 * Why something is left out. "ignored": by ignore files, a directory or a large file; "repository": git's own files;
 * "unreadable": permissions, or a name that is no valid UTF-8; "system": not a disk, as /proc.
 */
export type LeftOut = "ignored" | "repository" | "unreadable" | "system";

/** A repository of git, as far as it tells what its working tree holds. */
export interface Repository {
  /** Its working tree relative to the workspace, "" for the workspace itself or a directory above. */
  readonly path: string;
  /** The workspace as seen from the working tree, when that is above: "" or names, each with "/" behind. */
  readonly prefix: string;
  /** Texts that differ when what they stand for has changed. */
  readonly state: { readonly head: string; readonly index: string; readonly refs: string };
  /** The index as it is now; undefined when there is none. */
  readIndex(): { readonly bytes: Uint8Array; readonly modifiedMs: number } | undefined;
}

export interface SnapshotOptions {
  /** Absolute paths of directories that are passed over as if they were not there. */
  readonly without?: readonly string[];
  /** An earlier one: what it has entered is entered again, and what it has left out is not, whatever is ignored by now. */
  readonly like?: Snapshot;
  /** An earlier one, to be quicker: it tells the names in directories that have not changed since. */
  readonly known?: Snapshot;
  readonly signal?: AbortSignal;
}

/**
 * The file systems' clocks go in steps of up to ten milliseconds, some in seconds: what was changed so shortly before it
 * was looked at may have been changed again since, and look the same.
 */
const clockStepMs = { usual: 50, wholeSeconds: 2050 };

/** Whether an entry that looks the same later on is the same. */
export function isSettled({ takenMs, figures }: Snapshot, place: number): boolean {
  const changedMs = figures[place * figureCount + figure.changed]!;
  const stepMs = changedMs % 1000 === 0 ? clockStepMs.wholeSeconds : clockStepMs.usual;
  return changedMs < takenMs - stepMs;
}

/** What the type bits of a mode say. */
export function kindOfMode(mode: number): "file" | "directory" | "link" | "other" {
  switch (mode & typeBits.all) {
    case typeBits.file:
      return "file";
    case typeBits.directory:
      return "directory";
    case typeBits.link:
      return "link";
    default:
      return "other";
  }
}

export const typeBits = {
  all: 0o170000,
  file: 0o100000,
  directory: 0o040000,
  link: 0o120000,
  other: 0o010000,
} as const;
