import type { ConversationInfo, Conversations, KeptEntry } from "../contract/conversations.ts";
import { inTransaction } from "./in-transaction.ts";
import type { Journal } from "./journal.ts";
import { journalUnusable } from "./journal-unusable.ts";
import type { OpenStore } from "./store.ts";

/** Conversations in the database of a journal, beside its chain: what a person wants gone can be removed. */
export class KeptConversations implements Conversations {
  readonly #journal: Journal;

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  append(session: string, entries: readonly unknown[]): void {
    const at = Date.now();
    this.#use(({ database }) =>
      inTransaction(database, () => {
        const { last } = database
          .prepare("SELECT max(number) AS last FROM conversations WHERE session = ?")
          .get(session)!;
        const insert = database.prepare(
          "INSERT INTO conversations (session, number, at, entry) VALUES (?, ?, ?, ?)",
        );
        let number = Number(last ?? 0);
        for (const entry of entries) insert.run(session, ++number, at, JSON.stringify(entry));
      }),
    );
  }

  entries(session: string): readonly KeptEntry[] {
    return this.#use(({ database }) =>
      database
        .prepare("SELECT number, at, entry FROM conversations WHERE session = ? ORDER BY number")
        .all(session)
        .map(({ number, at, entry }) => ({
          number: Number(number),
          at: Number(at),
          entry: JSON.parse(String(entry)),
        })),
    );
  }

  list(): readonly ConversationInfo[] {
    return this.#use(({ database }) =>
      database
        .prepare(listing)
        .all()
        .map((row) => ({
          session: String(row.session),
          startedAt: Number(row.startedAt),
          lastAt: Number(row.lastAt),
          entries: Number(row.entries),
          bytes: Number(row.bytes),
          first: JSON.parse(String(row.first)),
        })),
    );
  }

  remove(session: string): boolean {
    return this.#use(({ database }) => {
      const { changes } = database.prepare("DELETE FROM conversations WHERE session = ?").run(session);
      return Number(changes) > 0;
    });
  }

  #use<Result>(act: (store: OpenStore) => Result): Result {
    try {
      return this.#journal.use(act);
    } catch (cause) {
      throw journalUnusable(this.#journal.file, cause);
    }
  }
}

const listing = `
  SELECT session, min(at) AS startedAt, max(at) AS lastAt, count(*) AS entries, sum(length(entry)) AS bytes,
    (SELECT entry FROM conversations AS beginning WHERE beginning.session = conversations.session ORDER BY number LIMIT 1) AS first
  FROM conversations GROUP BY session ORDER BY lastAt DESC, session
`;
