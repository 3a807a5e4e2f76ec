import type { DatabaseSync } from "node:sqlite";
import { TimeSlice } from "../lib/async/time-slice.ts";
import { identityOf, loadSqlite } from "../system/sqlite-file.ts";
import { isDamage, isLostJournal, isOlderJournal, journalUnusable, lostJournal } from "./database.ts";
import { chainStart, hashLink, type Link } from "./records.ts";

interface JournalFault {
  readonly sequence: number;
  /** "is missing", to go on after the record. */
  readonly reason: string;
  /** The database itself is broken: whoever uses it next sets it aside. */
  readonly isDamage?: true;
}

/** What a look at every record of a journal has shown. */
export interface JournalReport {
  /** How many stand there. */
  readonly records: number;
  /** How many older ones were removed by age, as a later record says. */
  readonly pruned: number;
  /** The hash of the last record. Whoever notes it can prove later that nothing up to it was altered. */
  readonly head: string;
  /** The first record that is not as it was written; missing when all are. */
  readonly fault?: JournalFault;
  /** The record whose hash is the noted head; missing when none has it, or none was noted. */
  readonly noted?: number;
}

/** Holds every record to its hash, and the hashes to each other. Changes nothing, whatever it finds. */
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
    // One and the same moment, whatever others write or prune meanwhile.
    database.exec("BEGIN");
    // An older journal has no chain yet; it gets one when it is used next.
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
    this.#lookBehindTheLast(database);
    const [{ integrity_check: soundness } = {}] = database.prepare("PRAGMA integrity_check(1)").all();
    if (soundness !== "ok")
      this.fail({ sequence: this.next, reason: `cannot be trusted: ${soundness}`, isDamage: true });
  }

  /** Only the first fault counts: everything after it is in doubt. */
  fail(fault: JournalFault): void {
    this.#fault ??= fault;
  }

  report(): JournalReport {
    return {
      records: this.#records,
      pruned: this.#pruned,
      head: this.#head,
      ...(this.#fault && { fault: this.#fault }),
      ...(this.#noted !== undefined && { noted: this.#noted }),
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
      this.fail({ sequence: row.sequence, reason: "is not as it was written" });
    else if (row.hash === this.#notedHead && this.#fault === undefined) this.#noted = row.sequence;
    this.next = row.sequence + 1;
    this.#head = row.hash;
  }

  /** Whoever removes the oldest records leaves one that says so, with the hash of the last that went. */
  #startAfterPruned(database: DatabaseSync): void {
    const first = database.prepare("SELECT min(sequence) AS sequence FROM records").get()?.sequence;
    if (typeof first !== "number" || first <= 1) return;
    const claims = database.prepare("SELECT body FROM records WHERE call = '' AND kind = 'pruned'").all();
    const claim = claims.map(({ body }) => parse(body)).find((body) => body?.upTo === first - 1);
    if (claim === undefined) return;
    this.next = first;
    this.#pruned = first - 1;
    this.#head = String(claim.hash);
    if (this.#head === this.#notedHead) this.#noted = first - 1;
  }

  #lookBehindTheLast(database: DatabaseSync): void {
    const { last, counted } = database
      .prepare("SELECT max(sequence) AS last, (SELECT seq FROM sqlite_sequence) AS counted FROM records")
      .get() as { last: number | null; counted: number | null };
    if ((counted ?? 0) > (last ?? 0))
      this.fail({ sequence: (last ?? 0) + 1, reason: "was removed, with all that followed" });
    else if (counted !== last) this.fail({ sequence: last ?? 1, reason: "was added in another way" });
  }
}

function parse(body: unknown): { readonly upTo?: unknown; readonly hash?: unknown } | undefined {
  try {
    return JSON.parse(String(body));
  } catch {
    return undefined;
  }
}
