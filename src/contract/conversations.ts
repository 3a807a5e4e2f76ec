/** The recorded conversations with models. They are stored exactly, because providers verify what they get back. */
export interface Conversations {
  /** Adds entries in this order. Returns the number of the last one. Throws `unavailable` when none could be stored. */
  append(session: string, entries: readonly unknown[]): number;
  /** Returns the entries of a session, oldest first; none for an unknown session. */
  entries(session: string, range?: ConversationRange): readonly ConversationEntry[];
  /** Lists the conversations, newest first. */
  list(): readonly ConversationInfo[];
  /** Returns whether the session existed. */
  remove(session: string): boolean;
}

/** Entry numbers, both inclusive. */
export interface ConversationRange {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

export interface ConversationEntry {
  /** Counts from 1 in its session. */
  readonly number: number;
  readonly at: number;
  /** Parsed JSON; undefined when damaged. */
  readonly entry: unknown;
}

export interface ConversationInfo {
  readonly session: string;
  readonly startedAt: number;
  readonly lastAt: number;
  readonly entries: number;
  readonly bytes: number;
  /** The first entry. */
  readonly first: unknown;
}
