import type { EntryState } from "./history.ts";
import type { IgnoredLimits, LeftOut } from "./snapshot.ts";

/**
 * Finds what happens to the files of the workspace while a call runs. Between its two scans it knows the content of every
 * file that git or the caller has stored, so the caller stores the others first.
 */
export interface EffectWatch {
  /** Files whose content only the workspace has. */
  readonly toKeep: readonly FileToKeep[];
  /** The bytes on the disk of the current files that the caller has stored before. */
  readonly keptBytes: number;
  /** Names the contents that the caller has stored, by path. From then on, the watch survives this process. */
  keep(hashes: ReadonlyMap<string, string>): Promise<void>;
  /** Returns what is different now. */
  end(): Promise<Effects>;
  /** Forgets the watch. `hashes` are the current contents that the caller has stored since `end`, by path. */
  discard(hashes?: ReadonlyMap<string, string>): Promise<void>;
}

export interface FileToKeep {
  readonly path: string;
  readonly bytes: number;
  /** Whether the file has changed since the last call that was watched. */
  readonly isNew: boolean;
}

export interface Effects {
  /** Removed entries first, contents before their directory. */
  readonly differences: readonly Difference[];
  /** Changed paths whose content is not compared, with the reason. */
  readonly notCompared: ReadonlyMap<string, NotCompared>;
  /** Ignored folders that are not scanned: those in which something has changed, and those with too many entries to tell. */
  readonly folders: { readonly changed: readonly string[]; readonly unknown: readonly string[] };
  /** The repositories that have changed themselves. */
  readonly repositories: readonly ChangedRepository[];
}

/** "special": not a file, directory or link. */
export type NotCompared = LeftOut | "special";

/** A path that may have changed. */
export interface Difference {
  readonly path: string;
  /** The hash of a file is "" when its content is not stored, or only in git. */
  readonly before: EntryState;
  /** The hash of a file is always "": the caller reads it. */
  readonly after: EntryState;
  /** Where git has the old content. */
  readonly inGit?: { readonly repository: string; readonly oid: string } | undefined;
  /** Whether only the permissions can have changed, if times tell the truth. */
  readonly looksSame: boolean;
  /** Whether the file was beyond the budget for ignored files. */
  readonly isOverBudget: boolean;
}

export interface ChangedRepository {
  /** The working tree, relative to the workspace. */
  readonly path: string;
  readonly parts: readonly RepositoryPart[];
}

export type RepositoryPart = "HEAD" | "branches or tags" | "the index";

export interface WatchWanted {
  /** Names the watch, also for a later process. */
  readonly id: string;
  /** Absolute paths of directories to skip. */
  readonly without?: readonly string[] | undefined;
  /** With another value than the last time, the caller may have lost contents that it had stored. */
  readonly storedSince: number;
  /** Fails with `too-large` above this number of entries. */
  readonly maxEntries: number;
  /** Default: `ignoredLimits`. */
  readonly ignored?: IgnoredLimits | undefined;
  readonly signal?: AbortSignal | undefined;
}
