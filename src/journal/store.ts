import type { DatabaseSync } from "node:sqlite";
import { identityOf, setAside } from "../system/sqlite-file.ts";
import { inTransaction, isDamage, openDatabase } from "./database.ts";
import { Records } from "./records.ts";

/** A database that is open, and which file it is: another process may have set it aside since. */
export interface OpenStore {
  readonly database: DatabaseSync;
  readonly records: Records;
  readonly identity: string | undefined;
}

export interface StoreOptions {
  readonly file: string;
  readonly session: string;
  /** How long another process may hold the database. */
  readonly patienceMs: number;
}

/** Opens the database of a journal when it is needed. A damaged one is set aside, and a new one begun. */
export class Store {
  /** What a person has to know: that the database was damaged, and what became of it. */
  readonly warnings: string[] = [];
  readonly #options: StoreOptions;
  #open: OpenStore | undefined;

  constructor(options: StoreOptions) {
    this.#options = options;
  }

  use<Result>(act: (store: OpenStore) => Result): Result {
    try {
      return act(this.#opened());
    } catch (error) {
      if (!isDamage(error)) throw error;
      this.#replace(error as Error);
      return act(this.#opened());
    }
  }

  close(): void {
    this.#open?.database.close();
    this.#open = undefined;
  }

  #opened(): OpenStore {
    const { file, patienceMs } = this.#options;
    if (this.#open && this.#open.identity !== identityOf(file)) this.close();
    if (this.#open === undefined) {
      const { database, identity } = openDatabase(file, { patienceMs });
      this.#open = { database, identity, records: new Records(database) };
    }
    return this.#open;
  }

  #replace(damage: Error): void {
    const { file, session } = this.#options;
    const identity = this.#open?.identity ?? identityOf(file);
    this.close();
    const aside = identity && setAside(file, identity);
    // Another process was quicker, and has said so.
    if (!aside) return;
    this.warnings.push(
      `The journal ${file} is damaged (${damage.message}). It was set aside as ${aside} and a new one begun: ` +
        "what was done before this can no longer be undone.",
    );
    const { database, records } = this.#opened();
    const body = JSON.stringify({ file: aside, reason: damage.message });
    inTransaction(database, () =>
      records.append([{ at: Date.now(), kind: "set-aside", session, call: "", body }]),
    );
  }
}
