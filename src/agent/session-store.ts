import type { ConversationEntry, ConversationInfo, ConversationRange } from "../contract/conversations.ts";

/**
 * Stores the conversations of sessions. Every method may return its value or a promise of it. A session writes from one
 * program at a time, one `append` after the other. The default is the journal of the workspace, a SQLite database.
 */
export interface SessionStore {
  /**
   * Adds entries in this order, all or none. Returns the number of the last one: the entries of a session count from 1.
   * Entries are JSON, and are returned unchanged, because providers verify them. After an error, the session tries the
   * same entries again.
   */
  append(session: string, entries: readonly unknown[]): Awaitable<number>;
  /** Returns the entries of a session in this range, oldest first; none for an unknown session. */
  entries(session: string, range?: ConversationRange): Awaitable<readonly ConversationEntry[]>;
  /** Lists the sessions, the last used first. */
  list(): Awaitable<readonly ConversationInfo[]>;
  /** Returns whether the session existed. */
  remove(session: string): Awaitable<boolean>;
}

type Awaitable<Value> = Value | Promise<Value>;

/** A session store in memory, which ends with the process. */
export class MemorySessionStore implements SessionStore {
  /** Sessions in the order of their last use. */
  readonly #sessions = new Map<string, readonly { readonly at: number; readonly text: string }[]>();

  append(session: string, entries: readonly unknown[]): number {
    const at = Date.now();
    const before = this.#sessions.get(session) ?? [];
    const all = [...before, ...entries.map((entry) => ({ at, text: JSON.stringify(entry) }))];
    this.#sessions.delete(session);
    if (all.length > 0) this.#sessions.set(session, all);
    return all.length;
  }

  entries(
    session: string,
    { from = 1, to = Number.POSITIVE_INFINITY }: ConversationRange = {},
  ): readonly ConversationEntry[] {
    const all = this.#sessions.get(session) ?? [];
    const numbered = all.map(({ at, text }, index) => ({ number: index + 1, at, text }));
    return numbered
      .filter(({ number }) => number >= from && number <= to)
      .map(({ number, at, text }) => ({ number, at, entry: JSON.parse(text) }));
  }

  list(): readonly ConversationInfo[] {
    return [...this.#sessions].reverse().map(([session, entries]) => ({
      session,
      startedAt: entries[0]!.at,
      lastAt: entries.at(-1)!.at,
      entries: entries.length,
      bytes: entries.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0),
      first: JSON.parse(entries[0]!.text),
    }));
  }

  remove(session: string): boolean {
    return this.#sessions.delete(session);
  }
}
