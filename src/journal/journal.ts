import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { ErrorCode } from "../contract/error.ts";
import { ToolError } from "../contract/error.ts";

/** A call as it begins. */
export interface Attempt {
  readonly callId: string;
  /** Canonical name. */
  readonly tool: string;
  readonly input: unknown;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
}

/** How it ended. */
export interface Ending {
  readonly outcome: "ok" | ErrorCode;
  readonly message: string | undefined;
  readonly outputHandle: string | undefined;
  readonly durationMs: number;
}

/** One line of the record. Without `outcome` the call still runs, or its process died. */
export interface CallRecord {
  readonly callId: string;
  readonly session: string;
  readonly tool: string;
  readonly input: unknown;
  readonly startedAt: number;
  readonly durationMs: number | null;
  readonly outcome: "ok" | ErrorCode | null;
  readonly message: string | null;
  readonly outputHandle: string | null;
}

/** What happened in one workspace, kept in SQLite. Several processes may write the same file. */
export class Journal {
  readonly #file: string;
  readonly #session: string;
  #store: Store | undefined;
  #finished: Row[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** Opens the database only when there is something to write. The folder of `file` must exist by then. */
  constructor(options: { file: string; session: string }) {
    this.#file = options.file;
    this.#session = options.session;
    flushAtExit(this);
  }

  /** Records an attempt at once: a call that may change something must not run unrecorded. */
  begin(attempt: Attempt): void {
    try {
      this.#open().begin.run(
        attempt.callId,
        this.#session,
        attempt.tool,
        printInput(attempt.input),
        attempt.startedAt,
      );
    } catch (cause) {
      throw unusable(this.#file, cause, "Nothing was changed. ");
    }
  }

  /** Records an ending, together with others within a moment; `begin` need not have come before. */
  finish(attempt: Attempt, ending: Ending): void {
    this.#finished.push([
      attempt.callId,
      this.#session,
      attempt.tool,
      printInput(attempt.input),
      attempt.startedAt,
      ending.durationMs,
      ending.outcome,
      ending.message ?? null,
      ending.outputHandle ?? null,
    ]);
    if (this.#finished.length % batchSize === 0) this.flushQuietly();
    else this.#timer ??= setTimeout(() => this.flushQuietly(), batchDelayMs).unref();
  }

  /** The latest calls, newest first. */
  latest(limit: number): readonly CallRecord[] {
    try {
      this.flush();
      const rows = this.#open().latest.all(limit) as unknown as (Omit<CallRecord, "input"> & {
        input: string;
      })[];
      return rows.map((row) => ({ ...row, input: JSON.parse(row.input) }));
    } catch (cause) {
      throw unusable(this.#file, cause);
    }
  }

  /** Writes what is waiting. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const finished = this.#finished;
    if (finished.length === 0) return;
    const { database, finish } = this.#open();
    database.exec("BEGIN IMMEDIATE");
    try {
      for (const row of finished) finish.run(...row);
      database.exec("COMMIT");
    } catch (error) {
      database.exec("ROLLBACK");
      throw error;
    }
    this.#finished = this.#finished.slice(finished.length);
  }

  close(): void {
    openJournals.delete(this);
    if (openJournals.size === 0) process.off("exit", flushOpenJournals);
    this.flushQuietly();
    this.#store?.database.close();
    this.#store = undefined;
  }

  /** A call that has ended cannot be failed any more: its record waits for the next time, and a warning is given. */
  flushQuietly(): void {
    try {
      this.flush();
    } catch (error) {
      process.emitWarning(`Toolcrib could not write its journal ${this.#file}: ${(error as Error).message}`);
    }
  }

  #open(): Store {
    this.#store ??= openStore(this.#file);
    return this.#store;
  }
}

type Row = readonly (string | number | null)[];

function unusable(file: string, cause: unknown, comfort = ""): ToolError {
  return new ToolError("unavailable", `The journal ${file} cannot be used: ${(cause as Error).message}`, {
    hint: `${comfort}Move the file away if it is damaged, free disk space, or set TOOLCRIB_HOME to a folder that can be written.`,
    cause,
  });
}

/** One listener for all: Node warns of many. */
const openJournals = new Set<Journal>();

function flushAtExit(journal: Journal): void {
  if (openJournals.size === 0) process.once("exit", flushOpenJournals);
  openJournals.add(journal);
}

function flushOpenJournals(): void {
  for (const journal of openJournals) journal.flushQuietly();
}

const batchSize = 256;
const batchDelayMs = 50;

interface Store {
  readonly database: DatabaseSync;
  readonly begin: StatementSync;
  readonly finish: StatementSync;
  readonly latest: StatementSync;
}

function openStore(file: string): Store {
  const database = new (loadSqlite().DatabaseSync)(file, { timeout: 2_000 });
  database.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    CREATE TABLE IF NOT EXISTS calls (
      sequence INTEGER PRIMARY KEY,
      call_id TEXT NOT NULL UNIQUE,
      session TEXT NOT NULL,
      tool TEXT NOT NULL,
      input TEXT NOT NULL,
      started_at INTEGER NOT NULL,
      duration_ms REAL,
      outcome TEXT,
      message TEXT,
      output_handle TEXT
    ) STRICT;
  `);
  return {
    database,
    begin: database.prepare(
      "INSERT INTO calls (call_id, session, tool, input, started_at) VALUES (?, ?, ?, ?, ?)",
    ),
    finish: database.prepare(`
      INSERT INTO calls (call_id, session, tool, input, started_at, duration_ms, outcome, message, output_handle)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (call_id) DO UPDATE SET
        duration_ms = excluded.duration_ms, outcome = excluded.outcome,
        message = excluded.message, output_handle = excluded.output_handle`),
    latest: database.prepare(`
      SELECT call_id AS callId, session, tool, input, started_at AS startedAt, duration_ms AS durationMs,
             outcome, message, output_handle AS outputHandle
      FROM calls ORDER BY sequence DESC LIMIT ?`),
  };
}

/** Node 22 warns that SQLite is experimental; that is no news for the people who run an agent. */
function loadSqlite(): typeof import("node:sqlite") {
  const emitWarning = process.emitWarning;
  process.emitWarning = () => {};
  try {
    return process.getBuiltinModule("node:sqlite");
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** Long texts are kept by their beginning: the journal tells what happened, it is no second copy of every file. */
function printInput(input: unknown): string {
  try {
    return JSON.stringify(input, shorten) ?? "null";
  } catch (error) {
    return JSON.stringify(`[cannot be printed: ${(error as Error).message}]`);
  }
}

function shorten(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value !== "string" || value.length <= maxTextChars) return value;
  return `${value.slice(0, maxTextChars)}… (${value.length} characters)`;
}

const maxTextChars = 4_000;
