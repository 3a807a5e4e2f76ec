/**
 * What is kept of conversations with models, in the journal of a workspace. Kept exactly as it was, because providers check what
 * they are handed back; in the person's own folder, and removed when asked.
 */
export interface Conversations {
  /** Adds entries at once, in this order. Throws `unavailable`: then it is not kept. */
  append(session: string, entries: readonly unknown[]): void;
  /** All entries of one, oldest first; none of one that nobody knows. */
  entries(session: string): readonly KeptEntry[];
  /** Newest first. */
  list(): readonly ConversationInfo[];
  /** Whether there was one. */
  remove(session: string): boolean;
}

export interface KeptEntry {
  /** Counts from 1 in its session. */
  readonly number: number;
  readonly at: number;
  /** JSON. */
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
