import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { loadSqlite, makeDatabaseFile } from "../../system/sqlite-file.ts";
import { databaseUnavailable, type Query, type SqlDatabase, type SqlValue } from "./sql-database.ts";

/** Opens the SQLite file of the fleets of one machine. Several processes may use it at once. */
export function openSqliteDatabase(file: string): SqlDatabase {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  makeDatabaseFile(file);
  const { DatabaseSync } = loadSqlite();
  const connection = new DatabaseSync(file, { timeout: busyMs });
  // A commit survives the end of this process at once, and a power failure after the next checkpoint.
  connection.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
  return new SqliteDatabase(connection);
}

/** Other processes keep the lock for milliseconds. */
const busyMs = 15_000;
const maxStatements = 100;

class SqliteDatabase implements SqlDatabase {
  readonly dialect = {
    now: "(unixepoch('subsec') * 1000.0)",
    startedAt: "0",
    forUpdate: "",
    changesInWith: false,
    listIn: (parameter: string) => `(SELECT value FROM json_each(${parameter}))`,
    prepareSchema: [],
  };
  readonly #connection: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  /** The one connection runs one statement or transaction at a time. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(connection: DatabaseSync) {
    this.#connection = connection;
  }

  readonly query: Query = (sql, values) => this.#inTurn(() => this.#run(sql, values));

  transaction<Result>(act: (query: Query) => Promise<Result>): Promise<Result> {
    return this.#inTurn(async () => {
      this.#run("BEGIN IMMEDIATE");
      try {
        const result = await act(async (sql, values) => this.#run(sql, values));
        this.#run("COMMIT");
        return result;
      } catch (error) {
        if (this.#connection.isTransaction) this.#run("ROLLBACK");
        throw error;
      }
    });
  }

  async close(): Promise<void> {
    await this.#inTurn(() => {
      this.#statements.clear();
      if (this.#connection.isOpen) this.#connection.close();
    });
  }

  #run<Row>(sql: string, values: readonly SqlValue[] = []): readonly Row[] {
    try {
      const named = Object.fromEntries(values.map((value, index) => [`$${index + 1}`, value]));
      return this.#prepared(sql).all(named) as Row[];
    } catch (error) {
      throw isBusy(error) ? databaseUnavailable(error) : error;
    }
  }

  #prepared(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#connection.prepare(sql);
    // Inserts of many rows are statements of their own for every number of rows.
    if (this.#statements.size < maxStatements) this.#statements.set(sql, statement);
    return statement;
  }

  #inTurn<Result>(act: () => Result | Promise<Result>): Promise<Result> {
    const turn = this.#last.then(act);
    this.#last = turn.catch(() => {});
    return turn;
  }
}

/** SQLITE_BUSY, also with details in its higher bits. */
function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && (Number(error.errcode) & 0xff) === 5;
}
