/**
 * What is kept of conversations with models, in the journal of a workspace. Kept exactly as it was, because providers check what
 * they are handed back; in the person's own folder, and removed when asked.
 */
export interface Conversations {
  /** Adds entries at once, in this order, and tells the number of the last. Throws `unavailable`: then none is kept. */
  append(session: string, entries: readonly unknown[]): number;
  /** The entries of one, oldest first; none of one that nobody knows. */
  entries(session: string, range?: EntryRange): readonly KeptEntry[];
  /** Newest first. */
  list(): readonly ConversationInfo[];
  /** Whether there was one. */
  remove(session: string): boolean;
}

/** By their numbers, both included. */
export interface EntryRange {
  readonly from?: number;
  readonly to?: number;
}

export interface KeptEntry {
  /** Counts from 1 in its session. */
  readonly number: number;
  readonly at: number;
  /** JSON; undefined where that cannot be read any more. */
  readonly entry: unknown;
}

export interface ConversationInfo {
  readonly session: string;
  readonly startedAt: number;
  readonly lastAt: number;
  readonly entries: number;
  readonly bytes: number;
  /** The first entry: how it was begun. */
  readonly first: unknown;
}
