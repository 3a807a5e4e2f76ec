import type { DatabaseSync, StatementSync } from "node:sqlite";
import type {
  ConversationEntry,
  ConversationInfo,
  ConversationRange,
  Conversations,
} from "../contract/conversations.ts";
import { tryParseJson } from "../lib/json/try-parse-json.ts";
import { journalUnusable } from "./database.ts";
import type { Journal } from "./journal.ts";
import type { OpenStore } from "./store.ts";

/** Conversations in the database of a journal, outside its chain, so that the user can delete them. */
export class StoredConversations implements Conversations {
  readonly #journal: Journal;
  #prepared: { readonly of: DatabaseSync; readonly statements: Statements } | undefined;

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  append(session: string, entries: readonly unknown[]): number {
    const at = Date.now();
    const texts = entries.map((entry) => JSON.stringify(entry));
    return this.#try(() =>
      this.#journal.keep((store) => {
        const { last, insert } = this.#statementsIn(store);
        let number = Number(last.get(session)?.number ?? 0);
        for (const text of texts) insert.run(session, ++number, at, text);
        return number;
      }),
    );
  }

  entries(session: string, range: ConversationRange = {}): readonly ConversationEntry[] {
    const { from = 1, to = Number.MAX_SAFE_INTEGER } = range;
    const rows = this.#use(({ read }) => read.all(session, from, to));
    return rows.map(({ number, at, entry }) => ({
      number: Number(number),
      at: Number(at),
      // An altered entry is undefined, so that it does not hide all others.
      entry: tryParseJson(String(entry)),
    }));
  }

  list(): readonly ConversationInfo[] {
    return this.#use(({ list }) => list.all()).map((row) => ({
      session: String(row.session),
      startedAt: Number(row.startedAt),
      lastAt: Number(row.lastAt),
      entries: Number(row.entries),
      bytes: Number(row.bytes),
      first: tryParseJson(String(row.first)),
    }));
  }

  remove(session: string): boolean {
    return this.#use(({ remove }, database) => {
      // Overwrites the data in the file, and in the write-ahead log unless another process is reading it.
      database.exec("PRAGMA secure_delete = ON");
      const { changes } = remove.run(session);
      database.exec("PRAGMA secure_delete = OFF; PRAGMA wal_checkpoint(TRUNCATE)");
      return changes > 0;
    });
  }

  #use<Result>(act: (statements: Statements, database: DatabaseSync) => Result): Result {
    return this.#try(() => this.#journal.use((store) => act(this.#statementsIn(store), store.database)));
  }

  #statementsIn({ database }: OpenStore): Statements {
    if (this.#prepared?.of !== database) this.#prepared = { of: database, statements: prepare(database) };
    return this.#prepared.statements;
  }

  #try<Result>(act: () => Result): Result {
    try {
      return act();
    } catch (cause) {
      throw journalUnusable(this.#journal.file, cause);
    }
  }
}

type Statements = Readonly<Record<"last" | "insert" | "read" | "list" | "remove", StatementSync>>;

function prepare(database: DatabaseSync): Statements {
  return {
    last: database.prepare("SELECT max(number) AS number FROM conversations WHERE session = ?"),
    insert: database.prepare("INSERT INTO conversations (session, number, at, entry) VALUES (?, ?, ?, ?)"),
    read: database.prepare(
      "SELECT number, at, entry FROM conversations WHERE session = ? AND number BETWEEN ? AND ? ORDER BY number",
    ),
    list: database.prepare(listing),
    remove: database.prepare("DELETE FROM conversations WHERE session = ?"),
  };
}

// `octet_length` does not read the texts.
const listing = `
  SELECT session, min(at) AS startedAt, max(at) AS lastAt, count(*) AS entries, sum(octet_length(entry)) AS bytes,
    (SELECT entry FROM conversations AS beginning WHERE beginning.session = conversations.session ORDER BY number LIMIT 1) AS first
  FROM conversations GROUP BY session ORDER BY lastAt DESC, session DESC
`;
