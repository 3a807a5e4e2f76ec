import type { DatabaseSync } from "node:sqlite";
import type { Worker } from "node:worker_threads";
import { throwIfAborted } from "../lib/async/abort.ts";

/**
 * Checks a long journal in several threads. One of them first checks the tables: their pages, and that the indexes of the
 * records have every row. Meanwhile and then, each thread checks one block of records after the other.
 */
export class VerifyingThreads {
  readonly #file: string;
  readonly #database: DatabaseSync;
  #threads: readonly Worker[] = [];
  #results: readonly Promise<ThreadResult | undefined>[] = [];
  #first = 0;
  #last = -1;
  /** How many blocks were begun, and how many records are sound. */
  readonly #counts = new Int32Array(new SharedArrayBuffer(8));
  /** 1 for each sound block. */
  #sound: Uint8Array = new Uint8Array();

  constructor(file: string, database: DatabaseSync) {
    this.#file = file;
    this.#database = database;
  }

  /** Returns false when there are too few records for threads. `head` is the hash before the first one. */
  start(first: number, head: string, noted: string | undefined): boolean {
    const { last } = this.#database.prepare("SELECT max(sequence) AS last FROM records").get() as {
      last: number | null;
    };
    const count = (last ?? 0) - first + 1;
    // A wrong number of a record can be any.
    if (count < manyRecords || count > maxRecords) return false;
    [this.#first, this.#last] = [first, last!];
    this.#sound = new Uint8Array(new SharedArrayBuffer(Math.ceil(count / blockRecords)));
    const { Worker } = process.getBuiltinModule("node:worker_threads");
    const { availableParallelism } = process.getBuiltinModule("node:os");
    const about = { file: this.#file, printedLine, noted, head, first, last, blockRecords };
    const shared = { counts: this.#counts, sound: this.#sound };
    this.#threads = Array.from({ length: Math.min(availableParallelism(), maxThreads) }, (_, index) => {
      const workerData = { ...about, ...shared, checks: index === 0 ? checksOf(this.#database) : [] };
      return new Worker(checkInThread, { eval: true, execArgv: [], workerData });
    });
    this.#results = this.#threads.map(
      (thread) =>
        new Promise((resolve) => {
          thread.once("message", resolve);
          thread.once("error", () => resolve(undefined));
          thread.once("exit", () => resolve(undefined));
        }),
    );
    return true;
  }

  /** Yields the number of sound records now and then, until all threads have ended. */
  async *progress(signal: AbortSignal | undefined): AsyncGenerator<number> {
    const done = Promise.all(this.#results).then(() => true);
    const pause = () => new Promise<false>((resolve) => setTimeout(resolve, progressMs, false).unref());
    while (!(await Promise.race([done, pause()]))) {
      throwIfAborted(signal);
      yield Atomics.load(this.#counts, 1);
    }
  }

  /** Lists the blocks in order. One that is not sound may have a fault, or hashes that must be computed another way. */
  *blocks(): Generator<{ readonly stretch: Stretch; readonly isSound: boolean }> {
    for (const [index, sound] of this.#sound.entries()) {
      const first = this.#first + index * blockRecords;
      const last = Math.min(first + blockRecords - 1, this.#last);
      yield { stretch: { first, last }, isSound: sound === 1 };
    }
  }

  /** Returns the record in a sound block whose hash is the noted head. */
  async noted(): Promise<number | undefined> {
    return (await Promise.all(this.#results)).find((result) => result?.noted !== undefined)?.noted;
  }

  /** Returns what is wrong with the file; undefined when all is sound. Checks here when the thread has failed. */
  async problem(): Promise<string | undefined> {
    const found =
      (await this.#results[0])?.found ??
      checksOf(this.#database).flatMap((check) => resultsOf(this.#database, check));
    return found.find((result) => result !== "ok");
  }

  stop(): void {
    for (const thread of this.#threads) void thread.terminate();
  }
}

interface ThreadResult {
  /** The results of `checksOf`. */
  readonly found: readonly string[];
  /** The record whose hash is the noted head. */
  readonly noted: number | undefined;
}

/**
 * Returns the checks of all tables, one by one: a check of the whole file would read the records twice. Rows of tables
 * that can be made again may be wrong, but a page that cannot be read makes the whole journal unusable.
 */
function checksOf(database: DatabaseSync): readonly string[] {
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  return tables.map(({ name }) => {
    const check = lasting.has(String(name)) ? "integrity_check" : "quick_check";
    return `PRAGMA ${check}('${String(name).replaceAll("'", "''")}')`;
  });
}

/** The tables that cannot be made again. */
const lasting: ReadonlySet<string> = new Set(["records", "running", "conversations"]);

function resultsOf(database: DatabaseSync, check: string): string[] {
  return database
    .prepare(check)
    .all()
    .flatMap((row) => Object.values(row).map(String));
}

const checkInThread = `
  const { parentPort, workerData } = require("node:worker_threads");
  const { file, checks, printedLine, noted, head, first, last, blockRecords, counts, sound } = workerData;
  process.emitWarning = () => {};
  const { DatabaseSync } = require("node:sqlite");
  const { hash } = require("node:crypto");
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5000 });
  database.exec("BEGIN");
  const found = checks.flatMap((check) => database.prepare(check).all()).flatMap((row) => Object.values(row).map(String));
  const before = database.prepare("SELECT hash FROM records WHERE sequence = ?");
  const page = database.prepare(
    "SELECT sequence, hash, " + printedLine + " FROM records WHERE sequence BETWEEN ? AND ? ORDER BY sequence LIMIT 512");
  page.setReturnArrays(true);
  let at;
  for (let block; (block = Atomics.add(counts, 0, 1)) < sound.length; ) {
    const from = first + block * blockRecords;
    const to = Math.min(from + blockRecords - 1, last);
    if (!isSound(from, to)) continue;
    sound[block] = 1;
    Atomics.add(counts, 1, to - from + 1);
  }
  database.close();
  parentPort.postMessage({ found, noted: at });

  function isSound(from, to) {
    let previous = from === first ? head : before.get(from - 1)?.hash;
    let inBlock;
    for (let next = from; next <= to; ) {
      const rows = page.all(next, to);
      if (rows.length === 0) return false;
      for (const [sequence, own, rest] of rows) {
        const isExact = rest !== null && !rest.includes("\uFFFD");
        if (sequence !== next || !isExact || hash("sha256", '["' + previous + '"' + rest, "hex") !== own) return false;
        if (own === noted) inBlock = sequence;
        previous = own;
        next += 1;
      }
    }
    at = inBlock ?? at;
    return true;
  }
`;

/** More threads than this mostly wait for the disk. */
const maxThreads = 4;
const blockRecords = 4096;
const progressMs = 100;

/** Below this many records, starting a thread takes longer than it saves. */
const manyRecords = 20_000;
const maxRecords = 1_000_000_000;

/** The numbers of the first and the last of some records. */
export interface Stretch {
  readonly first: number;
  readonly last: number;
}

/**
 * The text that `hashLink` hashes, after the previous hash; null when a name has a quote. SQLite joins it
 * several times faster than JavaScript. A record that does not match, because a name needs escapes, is hashed again.
 */
export const printedLine = `iif(instr(kind || session || call, '"') > 0, NULL,
  ',' || sequence || ',' || at || ',"' || kind || '","' || session || '","' || call || '"]' || char(10) || body)`;
