import type { DatabaseSync } from "node:sqlite";
import { TimeSlice } from "../lib/async/time-slice.ts";
import { tryParseJson } from "../lib/json/try-parse-json.ts";
import { identityOf, loadSqlite } from "../system/sqlite-file.ts";
import { isDamage, isLostJournal, isOlderJournal, journalUnusable, lostJournal } from "./database.ts";
import { chainStart, hashLink, type Link } from "./records.ts";

interface JournalFault {
  readonly sequence: number;
  /** The reason as a predicate of the record: "is missing". */
  readonly reason: string;
  /** Whether the database itself is damaged. It will be replaced at its next use. */
  readonly isDamage?: true;
}

/** The result of checking every record of a journal. */
export interface JournalReport {
  readonly records: number;
  /** The number of older records that were removed by age, according to a later record. */
  readonly pruned: number;
  /** The hash of the last record. A user who notes it can prove later that no record up to it was altered. */
  readonly head: string;
  /** The first altered record; undefined when there is none. */
  readonly fault?: JournalFault;
  /** The record whose hash is the noted head; undefined when there is none. */
  readonly noted?: number;
}

/** Checks the hash of every record and the chain of hashes. Changes nothing. */
export async function verifyJournal(
  file: string,
  options: { readonly head?: string; readonly signal?: AbortSignal } = {},
): Promise<JournalReport> {
  if (isLostJournal(file)) {
    const fault = { sequence: 1, reason: `cannot be read: ${lostJournal}`, isDamage: true } as const;
    return { records: 0, pruned: 0, head: chainStart, fault };
  }
  if (identityOf(file) === undefined) return { records: 0, pruned: 0, head: chainStart };
  const walk = new Walk(options.head);
  let database: DatabaseSync | undefined;
  try {
    database = new (loadSqlite().DatabaseSync)(file, { readOnly: true, timeout: 5_000 });
    // The transaction gives a consistent view, even while other processes write.
    database.exec("BEGIN");
    // An older journal gets its chain at its next use.
    if (!isOlderJournal(database)) await walk.along(database, new TimeSlice(options.signal));
  } catch (error) {
    if (!isDamage(error)) throw journalUnusable(file, error);
    walk.fail({ sequence: walk.next, reason: `cannot be read: ${(error as Error).message}`, isDamage: true });
  } finally {
    database?.close();
  }
  return walk.report();
}

class Walk {
  next = 1;
  #records = 0;
  #pruned = 0;
  #head = chainStart;
  #fault: JournalFault | undefined;
  readonly #notedHead: string | undefined;
  #noted: number | undefined;

  constructor(notedHead: string | undefined) {
    this.#notedHead = notedHead;
  }

  async along(database: DatabaseSync, timeSlice: TimeSlice): Promise<void> {
    this.#startAfterPruned(database);
    const page = database.prepare(`
      SELECT sequence, at, kind, session, call, CAST(body AS BLOB) AS body, hash
      FROM records WHERE sequence >= ? ORDER BY sequence LIMIT 256`);
    for (let first = Number.MIN_SAFE_INTEGER; ; ) {
      const rows = page.all(first) as unknown as (Link & { readonly hash: string })[];
      for (const row of rows) this.#step(row);
      if (rows.length === 0) break;
      first = rows.at(-1)!.sequence + 1;
      if (timeSlice.isOver) await timeSlice.next();
    }
    this.#checkEnd(database);
    const [{ integrity_check: soundness } = {}] = database.prepare("PRAGMA integrity_check(1)").all();
    if (soundness !== "ok")
      this.fail({ sequence: this.next, reason: `cannot be trusted: ${soundness}`, isDamage: true });
  }

  /** Notes a fault. Only the first one counts, because all later records are doubtful. */
  fail(fault: JournalFault): void {
    this.#fault ??= fault;
  }

  report(): JournalReport {
    return {
      records: this.#records,
      pruned: this.#pruned,
      head: this.#head,
      fault: this.#fault,
      noted: this.#noted,
    };
  }

  #step(row: Link & { readonly hash: string }): void {
    this.#records += 1;
    const missing = row.sequence - this.next;
    if (missing > 0)
      this.fail({
        sequence: this.next,
        reason: missing === 1 ? "is missing" : `and ${missing - 1} after it are missing`,
      });
    else if (hashLink(this.#head, row) !== row.hash)
      this.fail({ sequence: row.sequence, reason: "does not match its hash" });
    else if (row.hash === this.#notedHead && this.#fault === undefined) this.#noted = row.sequence;
    this.next = row.sequence + 1;
    this.#head = row.hash;
  }

  /** Starts after pruned records. Pruning leaves a record with the hash of the last removed record. */
  #startAfterPruned(database: DatabaseSync): void {
    const first = database.prepare("SELECT min(sequence) AS sequence FROM records").get()?.sequence;
    if (typeof first !== "number" || first <= 1) return;
    const claims = database.prepare("SELECT body FROM records WHERE call = '' AND kind = 'pruned'").all();
    const claim = claims
      .map(({ body }) => tryParseJson(String(body)) as { upTo?: unknown; hash?: unknown } | undefined)
      .find((body) => body?.upTo === first - 1);
    if (claim === undefined) return;
    this.next = first;
    this.#pruned = first - 1;
    this.#head = String(claim.hash);
    if (this.#head === this.#notedHead) this.#noted = first - 1;
  }

  #checkEnd(database: DatabaseSync): void {
    const { last, counted } = database
      .prepare("SELECT max(sequence) AS last, (SELECT seq FROM sqlite_sequence) AS counted FROM records")
      .get() as { last: number | null; counted: number | null };
    if ((counted ?? 0) > (last ?? 0))
      this.fail({ sequence: (last ?? 0) + 1, reason: "was removed, with all later records" });
    else if (counted !== last) this.fail({ sequence: last ?? 1, reason: "was not written by Toolcrib" });
  }
}
