import type { DatabaseSync } from "node:sqlite";
import { identityOf, logSizeOf, setAside } from "../system/sqlite-file.ts";
import { CallIndex } from "./calls/call-index.ts";
import { inTransaction, isDamage, openDatabase } from "./database.ts";
import type { JournalOptions } from "./journal.ts";
import { Records } from "./records.ts";

/** An open database and the identity of its file, which another process may have moved since. */
export interface OpenStore {
  readonly database: DatabaseSync;
  readonly records: Records;
  /** Made on first use: only lists need it. */
  readonly calls: () => CallIndex;
  readonly identity: string | undefined;
}

type StoreOptions = Required<Pick<JournalOptions, "file" | "session" | "patienceMs" | "redact">>;

/** Opens the database of a journal on first use. Renames a damaged one and starts a new one. */
export class Store {
  /** Warnings for the user that a damaged database was replaced. */
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

  /**
   * Leaves the database open in a process that exits now. Closing it would copy the log into the database and remove
   * the log, which waits for the disk; the next process reads the log instead. A long log is copied, because reading
   * takes longer the longer it is.
   */
  leave(): void {
    if (logSizeOf(this.#options.file) > maxLogBytes) this.close();
  }

  #opened(): OpenStore {
    const { file, patienceMs, redact } = this.#options;
    if (this.#open && this.#open.identity !== identityOf(file)) this.close();
    if (this.#open === undefined) {
      const { database, identity } = openDatabase(file, { patienceMs });
      const records = new Records(database);
      let calls: CallIndex | undefined;
      this.#open = {
        ...{ database, identity, records },
        calls: () => (calls ??= new CallIndex(database, records, redact)),
      };
    }
    return this.#open;
  }

  #replace(damage: Error): void {
    const { file, session } = this.#options;
    const identity = this.#open?.identity ?? identityOf(file);
    this.close();
    const aside = identity && setAside(file, identity);
    // Another process has already moved the database and warned about it.
    if (!aside) return;
    this.warnings.push(
      `The journal ${file} is damaged (${damage.message}). It was moved to ${aside} and a new one was started: ` +
        "earlier changes can no longer be undone.",
    );
    const { database, records } = this.#opened();
    const body = JSON.stringify({ file: aside, reason: damage.message });
    inTransaction(database, () =>
      records.append([{ at: Date.now(), kind: "set-aside", session, call: "", body }]),
    );
  }
}

/** The log of about 20 calls. */
const maxLogBytes = 512 * 1024;
