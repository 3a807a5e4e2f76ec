import { join } from "node:path";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { crc32 } from "node:zlib";
import { makePrivateDirectory } from "../../../system/directories.ts";
import { discardDatabase, identityOf, loadSqlite, makeDatabaseFile } from "../../../system/sqlite-file.ts";
import { getOrMake } from "../../get-or-make.ts";
import { DamagedIndex } from "./bytes.ts";
import { indexName } from "./index-file.ts";

/** The contents of a database in the folder of an index. */
export interface DatabaseLayout {
  readonly name: string;
  /** Increase this number when the stored format or its meaning changes. A database of another version is rebuilt. */
  readonly version: number;
  readonly tables: string;
}

const patienceMs = 10_000;

const indexTables = `
  CREATE TABLE files (
    number INTEGER PRIMARY KEY AUTOINCREMENT, path TEXT NOT NULL, figures TEXT NOT NULL, settled INTEGER NOT NULL,
    hash TEXT NOT NULL, language TEXT NOT NULL, traits INTEGER NOT NULL, lexical INTEGER NOT NULL,
    words INTEGER NOT NULL, checked INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE segments (
    number INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, head BLOB NOT NULL, checked INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE pages (place INTEGER PRIMARY KEY, bytes BLOB NOT NULL, checked INTEGER NOT NULL) STRICT;
  CREATE TABLE outlines (file INTEGER PRIMARY KEY, bytes BLOB NOT NULL, checked INTEGER NOT NULL) STRICT;
  CREATE TABLE maps (
    wanted TEXT UNIQUE NOT NULL, changes INTEGER NOT NULL, bytes BLOB NOT NULL, checked INTEGER NOT NULL
  ) STRICT;
`;

const indexLayout: DatabaseLayout = { name: indexName, version: 5, tables: indexTables };

/** A database that can be rebuilt, by default that of an index. It is not safe against a power failure, but every part has a checksum. */
export class IndexDatabase {
  readonly path: string;
  readonly identity: string | undefined;
  readonly problem: string | undefined;
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(directory: string, layout: DatabaseLayout = indexLayout) {
    this.path = join(directory, layout.name);
    const opened = openFile(directory, this.path, layout);
    this.#database = opened.database;
    this.problem = opened.problem;
    this.identity = opened.identity;
  }

  /** Returns whether this is still the file at its path. Another process may have discarded it. */
  get isCurrent(): boolean {
    return this.problem !== undefined || identityOf(this.path) === this.identity;
  }

  get othersWrote(): number {
    return this.#statement("PRAGMA data_version").get()![0] as unknown as number;
  }

  all<Row>(sql: string, ...values: Value[]): Row[] {
    return this.#statement(sql).all(...values) as unknown as Row[];
  }

  /** Yields one row after the other. No other statement with this `sql` may run meanwhile. */
  each<Row>(sql: string): Iterable<Row> {
    return this.#statement(sql).iterate() as unknown as Iterable<Row>;
  }

  one<Row>(sql: string, ...values: Value[]): Row | undefined {
    return this.#statement(sql).get(...values) as unknown as Row | undefined;
  }

  /** Returns the bytes that `sql` selects by their key. Throws if their checksum does not match. */
  checked(sql: string, kind: string, key: number): Uint8Array {
    const [bytes, check] = this.one<[Uint8Array, number]>(sql, key) ?? [];
    if (bytes !== undefined && checkOf(bytes, kind, key) === check) return bytes;
    throw new DamagedIndex(`${kind} ${key} is ${bytes === undefined ? "missing" : "damaged"}`);
  }

  run(sql: string, ...values: Value[]): void {
    this.#statement(sql).run(...values);
  }

  /** Returns a number that was never used, not even for a removed row. */
  nextNumber(table: "files" | "segments"): number {
    return (this.one<[number]>("SELECT seq FROM sqlite_sequence WHERE name=?", table)?.[0] ?? 0) + 1;
  }

  read<Result>(act: () => Result): Result {
    return this.#within("BEGIN", () => {
      // The first read decides which state the transaction sees, so it happens at once.
      this.one("SELECT 1 FROM sqlite_schema LIMIT 1");
      return act();
    });
  }

  change<Result>(act: () => Result): Result {
    return this.#within("BEGIN IMMEDIATE", act);
  }

  #within<Result>(begin: string, act: () => Result): Result {
    this.#database.exec(begin);
    try {
      const result = act();
      this.#database.exec("COMMIT");
      return result;
    } catch (error) {
      try {
        if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
      } catch {
        // The first error is more important.
      }
      throw error;
    }
  }

  get isOpen(): boolean {
    return this.#database.isOpen;
  }

  close(): void {
    this.#statements.clear();
    if (this.#database.isOpen) this.#database.close();
  }

  /** Deletes the file. Other processes notice that by `isCurrent`. */
  discard(): void {
    this.close();
    if (this.identity !== undefined) discardDatabase(this.path, this.identity);
  }

  #statement(sql: string): StatementSync {
    return getOrMake(this.#statements, sql, () => {
      const statement = this.#database.prepare(sql);
      statement.setReturnArrays(true);
      return statement;
    });
  }
}

type Value = number | string | Uint8Array;

/** Returns the checksum of a part, which depends on its position, so that no part can replace another. */
export function checkOf(bytes: Uint8Array, kind: string, key: number): number {
  return crc32(bytes, crc32(`${kind} ${key}`));
}

/** Returns whether an error means damage. SQLite uses one code for many errors; there the message decides. */
export function isDamage(error: unknown): boolean {
  if (error instanceof DamagedIndex) return true;
  const code = codeOf(error);
  if (code === sqlite.error)
    return /no such (table|column)|malformed|already exists/.test((error as Error).message);
  return [sqlite.corrupt, sqlite.mismatch, sqlite.format, sqlite.noDatabase].includes(code);
}

export function isUnreadable(error: unknown): boolean {
  return codeOf(error) === sqlite.inputOutput;
}

export function isBusy(error: unknown): boolean {
  return codeOf(error) === sqlite.busy;
}

const sqlite = { error: 1, busy: 5, inputOutput: 10, corrupt: 11, mismatch: 20, format: 24, noDatabase: 26 };

function codeOf(error: unknown): number {
  return ((error as { errcode?: number }).errcode ?? 0) & 0xff;
}

const maxTries = 3;

/** Opens the file, or a database in memory when the folder is not writable. */
function openFile(
  directory: string,
  path: string,
  layout: DatabaseLayout,
): Pick<IndexDatabase, "identity" | "problem"> & { readonly database: DatabaseSync } {
  const { DatabaseSync } = loadSqlite();
  const giveUpAt = performance.now() + patienceMs;
  for (let tries = 0; ; ) {
    let database: DatabaseSync | undefined;
    let identity: string | undefined;
    try {
      makePrivateDirectory(directory);
      makeDatabaseFile(path);
      identity = identityOf(path);
      database = new DatabaseSync(path, { timeout: patienceMs });
      prepare(database, layout);
      return { database, identity, problem: undefined };
    } catch (error) {
      database?.close();
      // SQLite does not wait when two processes create one database at the same moment.
      if (isBusy(error) && performance.now() < giveUpAt) {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
        continue;
      }
      if (isDamage(error) && identity !== undefined && tries++ < maxTries) {
        discardDatabase(path, identity);
        continue;
      }
      const memory = new DatabaseSync(":memory:");
      prepare(memory, layout);
      return { database: memory, identity: undefined, problem: (error as Error).message };
    }
  }
}

function prepare(database: DatabaseSync, { version, tables }: DatabaseLayout): void {
  const found = () => database.prepare("PRAGMA user_version").get()!.user_version as number;
  if (found() !== 0 && found() !== version) throw new DamagedIndex("it is of another version");
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA cache_size = -4000`);
  if (found() === version) return;
  database.exec("BEGIN IMMEDIATE");
  if (found() === 0) database.exec(`${tables}; PRAGMA user_version = ${version}`);
  database.exec("COMMIT");
}
