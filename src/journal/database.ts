import { dirname, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { ToolError } from "../contract/error.ts";
import { inPrivateDirectory } from "../system/directories.ts";
import { identityOf, isLost, loadSqlite, makeDatabaseFile } from "../system/sqlite-file.ts";
import { storageHints } from "../system/storage-hint.ts";
import { Records } from "./records.ts";

/** Opens or creates the database of a journal. Throws SQLite's errors; see `isDamage`. */
export function openDatabase(
  file: string,
  options: { readonly patienceMs: number },
): { readonly database: DatabaseSync; readonly identity: string | undefined } {
  const wasLost = isLostJournal(file);
  // The folder may have been deleted while this instance is open.
  inPrivateDirectory(dirname(file), () => makeDatabaseFile(file));
  if (wasLost) throw new LostJournal(lostJournal);
  const identity = identityOf(file);
  const database = new (loadSqlite().DatabaseSync)(file, { timeout: options.patienceMs });
  try {
    const found = versionOf(database);
    if (found !== version) refuseUnlessOurs(database, file);
    // Works only before the first table is made. The file can then shrink in steps.
    if (found === 0) database.exec("PRAGMA auto_vacuum = INCREMENTAL");
    writeAhead(database, options.patienceMs);
    // A checkpoint makes all calls wait for the disk, so it runs after 16 MB instead of SQLite's 4.
    database.exec("PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 4000");
    if (found !== version) inTransaction(database, () => bringUpToDate(database));
    return { database, identity };
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Turns on write-ahead logging. Retries, because SQLite does not wait when two processes create the database at once. */
function writeAhead(database: DatabaseSync, patienceMs: number): void {
  const giveUpAt = Date.now() + patienceMs;
  while (true) {
    try {
      database.exec("PRAGMA journal_mode = WAL");
      return;
    } catch (error) {
      const { errcode = 0 } = error as Error & { errcode?: number };
      if ((errcode & 0xff) !== sqliteBusy || Date.now() >= giveUpAt) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    }
  }
}

/**
 * Returns whether the file is not a database, is damaged, or has tables of another program, so that retrying does not
 * help.
 */
export function isDamage(error: unknown): boolean {
  if (error instanceof WrongTables || error instanceof LostJournal) return true;
  const { errcode = 0, message } = error as Error & { errcode?: number };
  // SQLite uses one code for many errors, so the message decides.
  if (errcode === sqliteError)
    return /no such (table|column)|has no column|already exists|malformed/.test(message);
  return (errcode & 0xff) === sqliteCorrupt || errcode === sqliteNotADatabase;
}

/** Returns whether a correct statement failed, so that its table was altered. */
export function isAltered(error: unknown): boolean {
  const { errcode = 0 } = error as { errcode?: number };
  return [sqliteError, sqliteConstraint, sqliteMismatch].includes(errcode & 0xff);
}

/** Returns whether the disk is full or read-only, so that the database can only be read. */
export function isUnwritable(error: unknown): boolean {
  const { errcode = 0 } = error as { errcode?: number };
  return [sqliteReadOnly, sqliteInputOutput, sqliteFull].includes(errcode & 0xff);
}

const [sqliteReadOnly, sqliteInputOutput, sqliteFull] = [8, 10, 13];
const [sqliteError, sqliteBusy, sqliteCorrupt, sqliteNotADatabase] = [1, 5, 11, 26];
const [sqliteConstraint, sqliteMismatch] = [19, 20];

/** Returns whether a database is empty, or has only the calls of version 1. */
export function isOlderJournal(database: DatabaseSync): boolean {
  return versionOf(database) < version && tablesIn(database).every((name) => name === "calls");
}

class WrongTables extends Error {}
class LostJournal extends Error {}

/** Returns whether the journal is lost: it is empty or deleted, but the contents next to it exist. */
export function isLostJournal(file: string): boolean {
  return isLost(file, join(dirname(file), "blobs"));
}

export const lostJournal = "it is empty or was deleted, but contents of earlier calls exist";

/**
 * The version of the tables. Version 1 had a table of calls, no chain and no number; version 2 had no conversations.
 * `CallIndex` makes its tables itself: all versions can use a journal that has them.
 */
const version = 3;

function refuseUnlessOurs(database: DatabaseSync, file: string): void {
  if (versionOf(database) > version) {
    throw new ToolError("unavailable", `The journal ${file} was written by a newer version of Toolcrib`, {
      hint: "Tell the user to update Toolcrib.",
      forUser: { hint: "Update Toolcrib, or set TOOLCRIB_HOME to another folder." },
    });
  }
  const foreign = tablesIn(database).filter((name) => ![...ownTables, "calls"].includes(name));
  if (foreign.length > 0) throw new WrongTables(`it has tables of another program: ${foreign.join(", ")}`);
}

function bringUpToDate(database: DatabaseSync): void {
  // Another process may have migrated it in the meantime.
  if (versionOf(database) === version) return;
  if (versionOf(database) < 2) database.exec(tablesOfJournal);
  database.exec(tableOfConversations);
  if (tablesIn(database).includes("calls")) migrateCalls(database);
  database.exec(`PRAGMA user_version = ${version}`);
}

function tablesIn(database: DatabaseSync): readonly string[] {
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  return tables.map(({ name }) => String(name)).filter((name) => !name.startsWith("sqlite_"));
}

/**
 * AUTOINCREMENT remembers the highest number even when the last records are removed. Running calls have a separate
 * table, so that a collection need not read all records to find them.
 */
const tablesOfJournal = `
  CREATE TABLE records (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    session TEXT NOT NULL,
    call TEXT NOT NULL,
    body TEXT NOT NULL,
    hash TEXT NOT NULL
  ) STRICT;
  CREATE INDEX records_of_call ON records (call, kind);
  CREATE TABLE running (
    call TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
`;

const tableOfConversations = `
  CREATE TABLE conversations (
    session TEXT NOT NULL,
    number INTEGER NOT NULL,
    at INTEGER NOT NULL,
    entry TEXT NOT NULL,
    PRIMARY KEY (session, number)
  ) STRICT;
`;

const ownTables: readonly string[] = ["records", "running", "conversations"];

function versionOf(database: DatabaseSync): number {
  return database.prepare("PRAGMA user_version").get()!.user_version as number;
}

/** Converts each call of version 1 to one record. */
function migrateCalls(database: DatabaseSync): void {
  const records = new Records(database);
  const rows = database.prepare("SELECT * FROM calls ORDER BY sequence").all();
  const entries = rows.map((row) => {
    const { tool, outcome, message, output_handle: outputHandle, duration_ms: durationMs } = row;
    const ending = outcome === null ? {} : { outcome, message, outputHandle, durationMs };
    return {
      at: Number(row.started_at),
      kind: outcome === null ? "begin" : "call",
      session: String(row.session),
      call: String(row.call_id),
      body: JSON.stringify({ tool, input: JSON.parse(String(row.input)), ...ending }),
    };
  });
  records.append(entries);
  database.exec("DROP TABLE calls");
}

/** Runs `act` in a transaction, while no other process writes. */
export function inTransaction<Result>(database: DatabaseSync, act: () => Result): Result {
  database.exec("BEGIN IMMEDIATE");
  try {
    const result = act();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    try {
      // On a full disk SQLite has already rolled back.
      if (database.isTransaction) database.exec("ROLLBACK");
    } catch {
      // The first error is the more useful one.
    }
    throw error;
  }
}

/** Returns the error of a journal that cannot be opened, read or written. Both hints begin with `consequence`. */
export function journalUnusable(file: string, cause: unknown, consequence = ""): ToolError {
  if (cause instanceof ToolError) return cause;
  const { hint, forUser } = storageHints(dirname(file), cause);
  return new ToolError("unavailable", `The journal ${file} cannot be used: ${(cause as Error).message}`, {
    hint: consequence + hint,
    forUser: { hint: consequence + forUser },
    cause,
  });
}
