import type { DatabaseSync, StatementSync } from "node:sqlite";
import { inTransaction, isAltered, isUnwritable } from "../database.ts";
import { Openings } from "../read-sessions.ts";
import type { CallSummary, SessionCalls, SummaryFilter } from "../record.ts";
import type { Records, Redact, Row } from "../records.ts";
import { blockSize, toQuery } from "./call-query.ts";
import { type CallRow, rowColumns, toCallRow, toSummary } from "./call-row.ts";

/** The numbers of the first and the last of some records. */
interface Range {
  readonly first: number;
  readonly last: number;
}

/**
 * One row per call, for lists and searches. Readers derive the rows from the records, newest first and as far as they
 * need them, so that calls need not wait for it. Undo and verification never read the table, and it is made again when
 * it is missing or was altered.
 */
export class CallIndex {
  readonly #database: DatabaseSync;
  readonly #records: Records;
  readonly #redact: Redact;
  #write: StatementSync;
  #ranges: StatementSync;
  #isInMemory = false;

  constructor(database: DatabaseSync, records: Records, redact: Redact) {
    this.#database = database;
    this.#records = records;
    this.#redact = redact;
    try {
      if (!isIntact(database)) inTransaction(database, () => this.#make());
    } catch (error) {
      if (!isUnwritable(error)) throw error;
      this.#makeInMemory();
    }
    this.#write = database.prepare(insertion);
    this.#ranges = database.prepare(rangesFilled);
  }

  /** Returns the matching calls: newest first, or with `after` in the order of their latest records. */
  read(filter: SummaryFilter): readonly CallSummary[] {
    const { after, limit = Number.MAX_SAFE_INTEGER } = filter;
    const { source, conditions, order, values } = this.#queryOf(filter);
    const query = `SELECT ${listed} FROM ${source} WHERE sequence >= ? AND ${conditions} ORDER BY ${order} LIMIT ?`;
    return this.#repaired(() => {
      const statement = this.#database.prepare(query);
      // The rows that exist are often enough, unless those of the newest calls are missing.
      const isLastFilled = this.fill(0) <= this.#records.last().sequence;
      for (let windows = isLastFilled ? 0 : 1; ; windows = Math.max(1, windows * 4)) {
        const from = this.fill(windows);
        const isEnough = from <= (after === undefined ? 0 : after + 1);
        const found = statement.all(after === undefined ? from : 0, ...values, limit);
        if (isEnough || (after === undefined && found.length >= limit)) return found.map(toSummary);
      }
    });
  }

  /** Returns whether `read` needs no more rows for this filter. */
  isFilledFor(filter: SummaryFilter): boolean {
    const { limit = Number.MAX_SAFE_INTEGER } = filter;
    const { source, conditions, values } = this.#queryOf(filter);
    return this.#repaired(() => {
      const from = this.fill(0);
      if (from === 0) return true;
      const query = `SELECT count(*) AS calls FROM
        (SELECT 1 FROM ${source} WHERE sequence >= ? AND ${conditions} LIMIT ?)`;
      return Number(this.#database.prepare(query).get(from, ...values, limit)!.calls) >= limit;
    });
  }

  /** Counts the matching calls; null when many rows are missing. */
  count(filter: SummaryFilter): number | null {
    const { source, conditions, values } = this.#queryOf(filter);
    return this.#repaired(() => {
      if (this.fill(fewWindows) > 0) return null;
      const query = `SELECT count(*) AS calls FROM ${source} WHERE ${conditions}`;
      return Number(this.#database.prepare(query).get(...values)!.calls);
    });
  }

  /** Counts the calls of these sessions; undefined when many rows are missing. */
  countBySession(sessions: readonly string[]): ReadonlyMap<string, SessionCalls> | undefined {
    return this.#repaired(() => {
      if (this.fill(fewWindows) > 0) return undefined;
      const query = `SELECT session, count(*) AS calls, max(at) AS lastAt FROM summaries
        WHERE session IN (SELECT value FROM json_each(?)) GROUP BY session`;
      const rows = this.#database.prepare(query).all(JSON.stringify(sessions));
      return new Map(
        rows.map(({ session, calls, lastAt }) => [
          String(session),
          { calls: Number(calls), lastAt: Number(lastAt) },
        ]),
      );
    });
  }

  /** The paths of the rows are redacted, so the wanted one is, too. */
  #queryOf(filter: SummaryFilter): ReturnType<typeof toQuery> {
    return toQuery(filter.path ? { ...filter, path: this.#redact(filter.path, "path") } : filter);
  }

  /** Removes the rows of pruned records. Call it in the transaction that removes them. */
  prune(before: number): void {
    try {
      this.#database.prepare("DELETE FROM summaries WHERE sequence < ?").run(before);
      this.#database
        .prepare("DELETE FROM summaries_blocks WHERE block < ?")
        .run(Math.floor(before / blockSize));
    } catch (error) {
      if (!isAltered(error)) throw error;
      this.#make();
    }
  }

  /** Adds missing rows, newest first. Returns the record from which none is missing; 0 when none is. */
  fill(windows: number): number {
    for (let left = windows; ; left--) {
      const missing = this.#missing();
      if (missing === undefined) return 0;
      if (left === 0) return missing.last + 1;
      const start = (Math.floor(missing.last / blockSize) - blocksPerWindow + 1) * blockSize;
      this.#fillWindow({ first: Math.max(missing.first, start), last: missing.last });
    }
  }

  /** Other processes wait only while the rows are inserted. */
  #fillWindow({ first, last }: Range): void {
    const openings = new Openings(this.#records);
    const rows = this.#callsIn({ first, last })
      .map((ofCall) => toCallRow(ofCall, openings, this.#redact))
      .filter((row) => row !== undefined);
    this.#atOnce(() => {
      // Rows in the order of the table fill its pages; in the opposite order they leave them half empty.
      for (const row of rows.toReversed()) this.#write.run(...row);
      this.#refreshBlocks(rows);
      this.#database.exec(removal);
      const ranges = merge([...this.#filled(), { first, last }]);
      this.#database.exec("DELETE FROM summaries_filled");
      const insert = this.#database.prepare("INSERT INTO summaries_filled VALUES (?, ?)");
      for (const range of ranges) insert.run(range.first, range.last);
    });
  }

  #refreshBlocks(rows: readonly CallRow[]): void {
    const refresh = this.#database.prepare(blockInsertion);
    for (const block of new Set(rows.map(([sequence]) => Math.floor(Number(sequence) / blockSize))))
      refresh.run(block);
  }

  /** Returns all records of the calls that have some in a range, newest first. */
  #callsIn({ first, last }: Range): readonly (readonly Row[])[] {
    const calls = new Map<string, Row[]>();
    for (const row of this.#records.page(first - 1, last - first + 1)) {
      if (row.call === "" || row.sequence > last) continue;
      const ofCall = calls.get(row.call);
      if (ofCall === undefined) calls.set(row.call, [row]);
      else ofCall.push(row);
    }
    const isWhole = (rows: readonly Row[]) =>
      rows[0]!.kind === "call" || (rows[0]!.kind === "begin" && rows.at(-1)!.kind === "end");
    const found = [...calls].map(([call, rows]) => (isWhole(rows) ? rows : this.#records.ofCall(call)));
    return found.filter((rows) => rows.length > 0).reverse();
  }

  /** Returns the latest records without rows; undefined when there are none. */
  #missing(): Range | undefined {
    const { sequence: end } = this.#records.last();
    const start = this.#records.first();
    const [latest, earlier] = this.#filled();
    const hasEnd = latest !== undefined && latest.last >= end;
    const last = hasEnd ? latest.first - 1 : end;
    const first = Math.max(start, ((hasEnd ? earlier : latest)?.last ?? 0) + 1);
    return first > last ? undefined : { first, last };
  }

  /** Returns the ranges of records whose calls have rows, the latest first. Ignores ranges that cannot be. */
  #filled(): readonly Range[] {
    const { sequence: end } = this.#records.last();
    const ranges = this.#ranges.all() as unknown as Range[];
    return ranges.filter(({ first, last }) => first <= last && last <= end);
  }

  /** Call it in a transaction. */
  #make(): void {
    // Another process may have made it in the meantime.
    if (isIntact(this.#database)) return;
    const parts = this.#database.prepare(`SELECT type, name FROM sqlite_schema WHERE ${isPart}`).all();
    for (const { type, name } of parts)
      this.#database.exec(`DROP ${type} IF EXISTS "${String(name).replaceAll('"', '""')}"`);
    for (const sql of tables) this.#database.exec(sql);
  }

  /** On a full or read-only disk, temporary tables take the place of the others for this process. */
  #makeInMemory(): void {
    this.#isInMemory = true;
    this.#database.exec("PRAGMA temp_store = MEMORY");
    for (const sql of tables) this.#database.exec(sql.replace("CREATE TABLE", "CREATE TEMP TABLE"));
    this.#write = this.#database.prepare(insertion);
    this.#ranges = this.#database.prepare(rangesFilled);
  }

  #atOnce(act: () => void): void {
    if (this.#isInMemory) act();
    else inTransaction(this.#database, act);
  }

  #repaired<Result>(act: () => Result): Result {
    try {
      return act();
    } catch (error) {
      if (isUnwritable(error) && !this.#isInMemory) this.#makeInMemory();
      else if (isAltered(error)) inTransaction(this.#database, () => this.#make());
      else throw error;
      return act();
    }
  }
}

/** So many records that a writer does not notice the wait: about 400 calls. */
const blocksPerWindow = 3;

/** So few that they are always filled: about 0.1 s. */
const fewWindows = 8;

/**
 * `latest` is the latest record of the call. `summaries_blocks` has the texts and paths of each `blockSize` records, so
 * that a search reads only the rows of blocks that contain the text. `summaries_filled` has the ranges of records whose
 * calls have rows.
 */
const tables = [
  `CREATE TABLE summaries (
    sequence INTEGER PRIMARY KEY,
    call TEXT NOT NULL,
    session TEXT NOT NULL,
    tool TEXT NOT NULL,
    title TEXT NOT NULL,
    parent TEXT,
    kind TEXT,
    name TEXT,
    version TEXT,
    target TEXT NOT NULL,
    at INTEGER NOT NULL,
    latest INTEGER NOT NULL,
    duration REAL,
    outcome TEXT,
    message TEXT,
    verdict TEXT,
    created INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    removed INTEGER NOT NULL,
    changing INTEGER NOT NULL,
    paths TEXT NOT NULL,
    text TEXT NOT NULL
  ) STRICT`,
  "CREATE INDEX summaries_by_session ON summaries (session)",
  "CREATE INDEX summaries_by_tool ON summaries (tool)",
  "CREATE INDEX summaries_by_latest ON summaries (latest)",
  "CREATE INDEX summaries_failed ON summaries (sequence) WHERE outcome IS NOT 'ok' OR message IS NOT NULL",
  "CREATE TABLE summaries_blocks (block INTEGER PRIMARY KEY, text TEXT NOT NULL, paths TEXT NOT NULL) STRICT",
  "CREATE TABLE summaries_filled (first INTEGER NOT NULL, last INTEGER NOT NULL) STRICT",
];

const isPart = "name LIKE 'summaries%' OR tbl_name LIKE 'summaries%'";

/** Returns whether the tables exist exactly as they were made, without triggers or other parts. */
function isIntact(database: DatabaseSync): boolean {
  const parts = database.prepare(`SELECT sql FROM sqlite_schema WHERE ${isPart}`).all();
  return parts.length === tables.length && parts.every(({ sql }) => tables.includes(String(sql)));
}

const rangesFilled = "SELECT first, last FROM summaries_filled ORDER BY last DESC";

const listed = rowColumns.filter((column) => column !== "paths" && column !== "text").join(", ");

/** Of two rows for a call, the one that was derived from more records stays. */
const insertion = `
  INSERT INTO summaries (${rowColumns.join(", ")}) VALUES (${rowColumns.map(() => "?").join(", ")})
  ON CONFLICT (sequence) DO UPDATE SET ${rowColumns.map((column) => `${column} = excluded.${column}`).join(", ")}
  WHERE excluded.latest >= summaries.latest`;

const blockInsertion = `
  INSERT OR REPLACE INTO summaries_blocks
  SELECT ?1, group_concat(text, char(10)), group_concat(paths, '') FROM summaries
  WHERE sequence BETWEEN ?1 * ${blockSize} AND ?1 * ${blockSize} + ${blockSize - 1}`;

/** Removes the rows of records that were removed. */
const removal = `
  DELETE FROM summaries WHERE sequence < (SELECT min(sequence) FROM records);
  DELETE FROM summaries_blocks WHERE block < (SELECT min(sequence) FROM records) / ${blockSize};
  DELETE FROM summaries WHERE sequence > (SELECT max(sequence) FROM records)`;

/** Joins ranges that overlap or follow each other. */
function merge(ranges: readonly Range[]): readonly Range[] {
  const merged: Range[] = [];
  for (const range of ranges.toSorted((one, other) => one.first - other.first)) {
    const before = merged.at(-1);
    if (before === undefined || range.first > before.last + 1) merged.push(range);
    else merged.splice(-1, 1, { first: before.first, last: Math.max(before.last, range.last) });
  }
  return merged;
}
