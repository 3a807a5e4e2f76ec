import type { DatabaseSync } from "node:sqlite";
import { TimeSlice } from "../lib/async/time-slice.ts";
import { tryParseJson } from "../lib/json/try-parse-json.ts";
import { identityOf, loadSqlite } from "../system/sqlite-file.ts";
import { isDamage, isLostJournal, isOlderJournal, journalUnusable, lostJournal } from "./database.ts";
import { chainStart, hashLink, type Link } from "./records.ts";
import { printedLine, type Stretch, VerifyingThreads } from "./verify-threads.ts";

interface JournalFault {
  readonly sequence: number;
  /** The reason as a predicate of the record: "is missing". */
  readonly reason: string;
  /** Whether the database itself is damaged. It will be replaced at its next use. */
  readonly isDamage?: true;
}

/** The result of checking the records of a journal. */
export interface JournalReport {
  readonly records: number;
  /** The number of checked records when only a sample was checked. */
  readonly sampled?: number;
  /** The number of older records that were removed by age, according to a later record. */
  readonly pruned: number;
  /** The hash of the last record. A user who notes it can prove later that no record up to it was altered. */
  readonly head: string;
  /** The first altered record; undefined when there is none. */
  readonly fault?: JournalFault;
  /** The record whose hash is the noted head; undefined when there is none. */
  readonly noted?: number;
}

export interface VerifyOptions {
  /** A head that was noted earlier. */
  readonly head?: string;
  readonly signal?: AbortSignal;
  /** Checks only a sample of a journal with more records than this: the newest ones and random stretches. */
  readonly sampleAbove?: number;
  /** Called now and then with the number of checked records. */
  readonly progress?: (checked: number) => void;
}

/** Checks the hash of every record, or of a sample, and the chain of hashes. Changes nothing. */
export async function verifyJournal(file: string, options: VerifyOptions = {}): Promise<JournalReport> {
  if (isLostJournal(file)) {
    const fault = { sequence: 1, reason: `cannot be read: ${lostJournal}`, isDamage: true } as const;
    return { records: 0, pruned: 0, head: chainStart, fault };
  }
  if (identityOf(file) === undefined) return { records: 0, pruned: 0, head: chainStart };
  const walk = new Walk(options);
  let database: DatabaseSync | undefined;
  let threads: VerifyingThreads | undefined;
  try {
    database = new (loadSqlite().DatabaseSync)(file, { readOnly: true, timeout: 5_000 });
    threads = new VerifyingThreads(file, database);
    // The transaction gives a consistent view, even while other processes write.
    database.exec("BEGIN");
    // An older journal gets its chain at its next use.
    if (!isOlderJournal(database)) await walk.along(database, threads, new TimeSlice(options.signal));
  } catch (error) {
    if (!isDamage(error)) throw journalUnusable(file, error);
    walk.fail({ sequence: walk.next, reason: `cannot be read: ${(error as Error).message}`, isDamage: true });
  } finally {
    threads?.stop();
    database?.close();
  }
  return walk.report();
}

class Walk {
  next = 1;
  #records = 0;
  #total: number | undefined;
  #pruned = 0;
  #head = chainStart;
  #fault: JournalFault | undefined;
  readonly #options: VerifyOptions;
  #noted: number | undefined;

  constructor(options: VerifyOptions) {
    this.#options = options;
  }

  async along(database: DatabaseSync, threads: VerifyingThreads, timeSlice: TimeSlice): Promise<void> {
    const { sampleAbove } = this.#options;
    const stretches = sampleAbove === undefined ? undefined : chooseSample(database, sampleAbove);
    if (stretches !== undefined) {
      await this.#walkSample(database, stretches, timeSlice);
      this.#checkEnd(database);
      return;
    }
    this.#startAfterPruned(database);
    if (threads.start(this.next, this.#head, this.#options.head)) {
      await this.#walk(database, { ...everything, last: this.next - 1 }, timeSlice);
      for await (const checked of threads.progress(this.#options.signal)) this.#options.progress?.(checked);
      const hash = database.prepare("SELECT hash FROM records WHERE sequence = ?");
      for (const { stretch, isSound } of threads.blocks()) {
        if (isSound && this.next === stretch.first) this.#skip(stretch, String(hash.get(stretch.last)?.hash));
        else await this.#walk(database, stretch, timeSlice);
      }
      this.#note(await threads.noted());
    } else await this.#walk(database, everything, timeSlice);
    this.#checkEnd(database);
    const problem = await threads.problem();
    if (problem !== undefined)
      this.fail({ sequence: this.next, reason: `cannot be trusted: ${problem}`, isDamage: true });
  }

  /** Checks each stretch from the hash that the record before it has. */
  async #walkSample(
    database: DatabaseSync,
    stretches: readonly Stretch[],
    timeSlice: TimeSlice,
  ): Promise<void> {
    this.#total = Number(database.prepare("SELECT count(*) AS count FROM records").get()!.count);
    const before = database.prepare("SELECT hash FROM records WHERE sequence = ?");
    for (const stretch of stretches) {
      const hash = before.get(stretch.first - 1)?.hash;
      if (hash === undefined) this.fail({ sequence: stretch.first - 1, reason: "is missing" });
      [this.next, this.#head] = [stretch.first, String(hash)];
      await this.#walk(database, stretch, timeSlice);
    }
  }

  /** Returns whether the text of a record has this hash. Text with replaced bytes is not exact. */
  #follows(hash: string, rest: string | null): boolean {
    return rest !== null && !rest.includes("\uFFFD") && hashText(`["${this.#head}"${rest}`) === hash;
  }

  async #walk(database: DatabaseSync, { first, last }: Stretch, timeSlice: TimeSlice): Promise<void> {
    const page = database.prepare(`
      SELECT sequence, hash, ${printedLine} FROM records WHERE sequence BETWEEN ? AND ? ORDER BY sequence LIMIT 512`);
    const exact = database.prepare(`
      SELECT sequence, at, kind, session, call, CAST(body AS BLOB) AS body FROM records WHERE sequence = ?`);
    const isExact = (sequence: number, hash: string) =>
      hashLink(this.#head, exact.get(sequence) as unknown as Link) === hash;
    page.setReturnArrays(true);
    for (let from = first; ; ) {
      const rows = page.all(from, last) as unknown as [sequence: number, hash: string, rest: string | null][];
      for (const [sequence, hash, rest] of rows)
        this.#step(sequence, hash, () => this.#follows(hash, rest) || isExact(sequence, hash));
      if (rows.length === 0) return;
      from = rows.at(-1)![0] + 1;
      if (!timeSlice.isOver) continue;
      this.#options.progress?.(this.#records);
      await timeSlice.next();
    }
  }

  /** Notes a fault. Only the first one counts, because all later records are doubtful. */
  fail(fault: JournalFault): void {
    this.#fault ??= fault;
  }

  report(): JournalReport {
    return {
      records: this.#total ?? this.#records,
      ...(this.#total !== undefined && { sampled: this.#records }),
      pruned: this.#pruned,
      head: this.#head,
      fault: this.#fault,
      noted: this.#noted,
    };
  }

  #step(sequence: number, hash: string, matches: () => boolean): void {
    this.#records += 1;
    const missing = sequence - this.next;
    if (missing > 0)
      this.fail({
        sequence: this.next,
        reason: missing === 1 ? "is missing" : `and ${missing - 1} after it are missing`,
      });
    else if (!matches()) this.fail({ sequence, reason: "does not match its hash" });
    else if (hash === this.#options.head && this.#fault === undefined) this.#noted = sequence;
    this.next = sequence + 1;
    this.#head = hash;
  }

  /** Counts records whose hashes are known to follow from the last one. */
  #skip({ first, last }: Stretch, head: string): void {
    this.#records += last - first + 1;
    this.next = last + 1;
    this.#head = head;
  }

  /** Notes the record with the noted head, if all records up to it are sound. */
  #note(sequence: number | undefined): void {
    if (sequence !== undefined && (this.#fault === undefined || sequence < this.#fault.sequence))
      this.#noted = sequence;
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
    if (this.#head === this.#options.head) this.#noted = first - 1;
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

const everything: Stretch = { first: Number.MIN_SAFE_INTEGER, last: Number.MAX_SAFE_INTEGER };

function hashText(text: string): string {
  return process.getBuiltinModule("node:crypto").hash("sha256", text, "hex");
}

/** Returns the newest records and random stretches of older ones; undefined when all can be checked. */
function chooseSample(database: DatabaseSync, most: number): readonly Stretch[] | undefined {
  const { first, last } = database
    .prepare("SELECT min(sequence) AS first, max(sequence) AS last FROM records")
    .get() as unknown as Stretch;
  if (first === null || last - first < most) return undefined;
  const newest = last - Math.floor(most * shareOfNewest) + 1;
  const stretchLength = Math.floor((most * shareOfStretches) / stretches);
  const starts = Array.from({ length: stretches }, () =>
    Math.floor(first + 1 + Math.random() * (newest - first - 1 - stretchLength)),
  ).sort((one, other) => one - other);
  const older = starts.map((start) => ({ first: start, last: start + stretchLength - 1 }));
  return [...older, { first: newest, last }];
}

const shareOfNewest = 0.4;
const shareOfStretches = 0.2;
const stretches = 20;
