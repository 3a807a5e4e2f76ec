import { dirname, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { ToolError } from "../contract/error.ts";
import { identityOf, isLost, loadSqlite, makeDatabaseFile } from "../system/sqlite-file.ts";
import { Records } from "./records.ts";

/** Opens the database of a journal, or begins it. Throws what SQLite throws; see `isDamage`. */
export function openDatabase(
  file: string,
  options: { readonly patienceMs: number },
): { readonly database: DatabaseSync; readonly identity: string | undefined } {
  const wasLost = isLostJournal(file);
  makeDatabaseFile(file);
  if (wasLost) throw new LostJournal(lostJournal);
  const identity = identityOf(file);
  const database = new (loadSqlite().DatabaseSync)(file, { timeout: options.patienceMs });
  try {
    if (versionOf(database) !== version) refuseUnlessOurs(database, file);
    writeAhead(database, options.patienceMs);
    database.exec("PRAGMA synchronous = NORMAL");
    // To bring what was added into the file waits for the disk, and all calls with it: not every thousand calls.
    database.exec(`PRAGMA wal_autocheckpoint = ${maxLogPages}`);
    if (versionOf(database) !== version) inTransaction(database, () => bringUpToDate(database));
    return { database, identity };
  } catch (error) {
    database.close();
    throw error;
  }
}

/** 16 MB of what was added; SQLite's own choice is 4. */
const maxLogPages = 4_000;

/** SQLite does not wait by itself here when two processes begin one database at the same moment. */
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

/** Whether the file is no database, is broken, or has tables that are not ours: no patience will help. */
export function isDamage(error: unknown): boolean {
  if (error instanceof WrongTables || error instanceof LostJournal) return true;
  const { errcode = 0, message } = error as Error & { errcode?: number };
  // SQLite has one code for many errors, so its message decides here.
  if (errcode === sqliteError)
    return /no such (table|column)|has no column|already exists|malformed/.test(message);
  return (errcode & 0xff) === sqliteCorrupt || errcode === sqliteNotADatabase;
}

const [sqliteError, sqliteBusy, sqliteCorrupt, sqliteNotADatabase] = [1, 5, 11, 26];

/** Whether a database is empty, or has the calls of the first journals only. */
export function isOlderJournal(database: DatabaseSync): boolean {
  return versionOf(database) < version && tablesIn(database).every((name) => name === "calls");
}

class WrongTables extends Error {}
class LostJournal extends Error {}

/** Whether the journal is gone although the contents are there that stand beside it. */
export function isLostJournal(file: string): boolean {
  return isLost(file, join(dirname(file), "blobs"));
}

export const lostJournal = "it is empty or was removed, but contents of earlier calls are there";

/** Version 1 had a table of calls and no chain, and did not say its number; version 2 had no conversations. */
const version = 3;

function refuseUnlessOurs(database: DatabaseSync, file: string): void {
  if (versionOf(database) > version) {
    throw new ToolError("unavailable", `The journal ${file} was written by a newer Toolcrib`, {
      hint: "Update Toolcrib, or set TOOLCRIB_HOME to another folder.",
    });
  }
  const foreign = tablesIn(database).filter((name) => ![...ownTables, "calls"].includes(name));
  if (foreign.length > 0) throw new WrongTables(`it has tables of another program: ${foreign.join(", ")}`);
}

function bringUpToDate(database: DatabaseSync): void {
  // Another process may have been quicker.
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
 * AUTOINCREMENT remembers how far the numbers went, also when the last records are removed. Running calls stand in a
 * table of their own, so that it takes no look at all records to know whether one may still need what is collected.
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

/** Takes the calls of the first journals over, each as one record. */
function migrateCalls(database: DatabaseSync): void {
  const records = new Records(database);
  const rows = database.prepare("SELECT * FROM calls ORDER BY sequence").all() as unknown as OldCall[];
  records.append(
    rows.map((row) => ({
      at: row.started_at,
      kind: row.outcome === null ? "begin" : "call",
      session: row.session,
      call: row.call_id,
      body: JSON.stringify({
        tool: row.tool,
        input: JSON.parse(row.input),
        ...(row.outcome === null
          ? {}
          : {
              outcome: row.outcome,
              message: row.message ?? undefined,
              outputHandle: row.output_handle ?? undefined,
              durationMs: row.duration_ms,
            }),
      }),
    })),
  );
  database.exec("DROP TABLE calls");
}

interface OldCall {
  readonly call_id: string;
  readonly session: string;
  readonly tool: string;
  readonly input: string;
  readonly started_at: number;
  readonly duration_ms: number | null;
  readonly outcome: string | null;
  readonly message: string | null;
  readonly output_handle: string | null;
}

/** Does all or nothing, while no other process writes. */
export function inTransaction<Result>(database: DatabaseSync, act: () => Result): Result {
  database.exec("BEGIN IMMEDIATE");
  try {
    const result = act();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    rollBack(database);
    throw error;
  }
}

/** A full disk has already taken it back, and what a damaged database says to this is no news. */
function rollBack(database: DatabaseSync): void {
  try {
    if (database.isTransaction) database.exec("ROLLBACK");
  } catch {
    // The error that led here says more.
  }
}

/** The database of a journal cannot be opened, read or written. `comfort` says what that means for the call. */
export function journalUnusable(file: string, cause: unknown, comfort = ""): ToolError {
  if (cause instanceof ToolError) return cause;
  return new ToolError("unavailable", `The journal ${file} cannot be used: ${(cause as Error).message}`, {
    hint: `${comfort}Free disk space, or set TOOLCRIB_HOME to a folder that can be written.`,
    cause,
  });
}
