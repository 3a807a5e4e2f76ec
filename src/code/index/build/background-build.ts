import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { ToolError } from "../../../contract/error.ts";
import { throwIfAborted } from "../../../lib/async/abort.ts";
import { loadSqlite, makeDatabaseFile } from "../../../system/sqlite-file.ts";
import type { IndexView, Refreshing } from "../indexer.ts";
import { isBusy, isDamage } from "../storage/index-database.ts";
import type { IndexStore } from "../storage/index-store.ts";
import { hasManySegments, mergeSmallSegments } from "../storage/merge-segments.ts";
import { type Batch, Batches } from "./batches.ts";
import type { BuildWorker } from "./build-service.ts";
import { commitLexical, commitWords, noWords } from "./commit.ts";
import type { WorkspaceState } from "./workspace-state.ts";

/** Up to this many files are read without the lock, because that is cheaper than waiting for another process. */
const fewFiles = 100;
const manyFiles = 2000;
const pollMs = 100;
const retryMs = 30_000;

interface BuildOptions {
  readonly workers: readonly BuildWorker[];
  readonly directory: string;
  readonly signal: AbortSignal;
  readonly discard: () => void;
  /** Called when all files are indexed, before the build ends. */
  readonly done: (view: IndexView) => void;
  /** Waits while queries are answered. */
  readonly quiet: () => Promise<void>;
}

export class BackgroundBuild {
  readonly #workers: readonly BuildWorker[];
  readonly #lock: BuildLock;
  readonly #signal: AbortSignal;
  readonly #batches: Batches;
  readonly #discard: () => void;
  readonly #done: (view: IndexView) => void;
  readonly #quiet: () => Promise<void>;
  #found: IndexView | undefined;
  #running: Promise<void> | undefined;
  #isMerging = false;
  /** Resolves when all known files are indexed. Segments may still be merged then. */
  #caughtUp = Promise.withResolvers<void>();
  /** How many files were indexed since the last merge. */
  #indexed = 0;
  #failed: { readonly message: string; readonly atMs: number } | undefined;

  constructor({ workers, directory, signal, discard, done, quiet }: BuildOptions) {
    this.#discard = discard;
    this.#done = done;
    this.#quiet = quiet;
    this.#workers = workers;
    this.#batches = new Batches(workers.length);
    this.#lock = new BuildLock(directory);
    this.#signal = signal;
  }

  get problem(): string | undefined {
    return this.#failed?.message ?? this.#found?.store.problem;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** Returns the result of the last scan, with later updates. */
  get found(): IndexView | undefined {
    return this.#found;
  }

  fail(error: Error): void {
    this.#failed = { message: `The index cannot be written: ${error.message}`, atMs: Date.now() };
  }

  /**
   * Starts a worker early, because starting takes as long as a scan of all files. The others start with their first files: a
   * small workspace does not need them.
   */
  wake(): void {
    this.#workers[0]?.words({ files: [] }, this.#signal).catch(() => {});
  }

  begin(store: IndexStore, state: WorkspaceState): void {
    this.#found = { store, state };
    if (this.#failed && Date.now() < this.#failed.atMs + retryMs) return;
    this.#failed = undefined;
    if (this.#running || (this.#missing === 0 && !hasManySegments(store))) return;
    this.#running = this.#run()
      .catch((error: Error) => {
        // An index that was discarded is rebuilt after the next scan.
        if (this.#signal.aborted || this.#found!.store !== store || !store.isOpen) return;
        if (isDamage(error)) this.#discard();
        else this.fail(error);
      })
      .finally(() => {
        this.#lock.release();
        this.#running = undefined;
        // If the index was discarded during the build, the build starts again.
        if (!this.#signal.aborted && this.#found!.store !== store)
          this.begin(this.#found!.store, this.#found!.state);
      });
  }

  /** Waits until all files are indexed or it is time to answer from what is there. */
  async settled({ signal, giveUpAt, patient = false, progress }: Waiting): Promise<void> {
    const mostPatientUntil = performance.now() + mostPatientMs;
    let reportAt = performance.now() + reportMs;
    while (this.#running !== undefined && !(this.#isMerging && !this.#hasMore())) {
      throwIfAborted(signal);
      const until = patient && this.#hasTooLittle ? Math.max(giveUpAt, mostPatientUntil) : giveUpAt;
      if (performance.now() >= until) return;
      const turn = Math.min(until - performance.now(), patient ? lookMs : reportMs);
      const timer = sleep(turn, undefined, { ref: false });
      await Promise.race([this.#running, this.#caughtUp.promise, timer]);
      if (this.#running === undefined || performance.now() < reportAt) continue;
      progress(this.#progress());
      reportAt = performance.now() + reportMs;
    }
  }

  async stop(): Promise<void> {
    await this.#running;
  }

  get isWhole(): boolean {
    return this.#missing === 0;
  }

  get #hasTooLittle(): boolean {
    const { state, store } = this.#found!;
    // Files with words may have changed since, all of them.
    return state.files.size <= patientFiles || !store.segments.hasWords || this.#finished === 0;
  }

  get #missing(): number {
    const state = this.#found?.state;
    return state === undefined ? 0 : state.outdated.size + state.wordless.size;
  }

  get #finished(): number {
    return this.#found!.state.files.size - this.#missing;
  }

  #progress(): string {
    return `Indexing: ${group(this.#finished)} of ${group(this.#found!.state.files.size)} files`;
  }

  async #run(): Promise<void> {
    do {
      while (this.#missing > fewFiles && !this.#lock.take()) {
        await sleep(pollMs, undefined, { signal: this.#signal, ref: false });
        const { store, state } = this.#found!;
        store.sync();
        state.catchUp(store);
      }
      await this.#indexFiles();
      await this.#merge();
      // A scan may have found more files in the meantime.
    } while (this.#hasMore());
    this.#done(this.#found!);
  }

  async #merge(): Promise<void> {
    this.#isMerging = true;
    this.#reportCaughtUp();
    // Their processes hold much memory by now, and merging needs some.
    if (this.#indexed > manyFiles) for (const worker of this.#workers) worker.retire();
    this.#indexed = 0;
    try {
      await mergeSmallSegments(this.#found!.store, {
        signal: this.#signal,
        mayMerge: () => this.#lock.take(),
        pause: async () => {
          await this.#quiet();
          if (!this.#hasMore()) return;
          await this.#indexFiles();
          this.#reportCaughtUp();
        },
      });
    } finally {
      this.#isMerging = false;
    }
  }

  #reportCaughtUp(): void {
    this.#caughtUp.resolve();
    this.#caughtUp = Promise.withResolvers();
  }

  async #indexFiles(): Promise<void> {
    await Promise.all(this.#workers.map((_, number) => this.#work(number)));
  }

  #hasMore(): boolean {
    return this.#batches.hasMore(this.#found!.state, this.#found!.store);
  }

  async #work(number: number): Promise<void> {
    for (;;) {
      throwIfAborted(this.#signal);
      const { store, state } = this.#found!;
      const batch = this.#batches.next(state, store, number);
      if (batch === undefined) return;
      try {
        await this.#do(batch, this.#workers[number]!, store);
      } catch (error) {
        if (this.#signal.aborted || !(error instanceof ToolError)) throw error;
        this.#blame(batch, store);
      } finally {
        this.#batches.done(batch);
        this.#indexed += batch.files.length;
      }
    }
  }

  async #do(batch: Batch, worker: BuildWorker, store: IndexStore): Promise<void> {
    if (batch.kind === "words") {
      const answer = await worker.words({ files: batch.files }, this.#signal);
      const broken = batch.files.find((_, index) => answer.files[index] === "broken");
      if (broken !== undefined) this.#blame({ kind: "words", files: [broken] }, store);
      return this.#record(store, (state) => commitWords(store, state, batch.files, answer));
    }
    const files = batch.files.map(({ path, knownHash }) => ({ path, knownHash }));
    const answer = await worker.lexical({ files }, this.#signal);
    this.#record(store, (state) => commitLexical(store, state, batch.files, answer));
  }

  /** Skips the commit if the index has been discarded. */
  #record(store: IndexStore, commit: (state: WorkspaceState) => void): void {
    if (this.#found!.store === store) commit(this.#found!.state);
  }

  #blame(batch: Batch, store: IndexStore): void {
    if (!this.#batches.blame(batch) || batch.kind === "lexical") return;
    const { path, hash } = batch.files[0]!;
    store.change(() => {
      const record = store.records.get(path);
      if (record?.hash === hash && record.words === 0)
        store.update(Object.assign(record, { words: noWords }));
    });
  }
}

const reportMs = 250;
const lookMs = 50;
/** All files of a workspace up to this size are worth the longer wait. */
const patientFiles = 500;
const mostPatientMs = 16_000;

interface Waiting extends Omit<Refreshing, "patienceMs"> {
  readonly giveUpAt: number;
}

function group(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, " ");
}

/** Lets one process at a time do something with an index. The lock, on an empty database, ends with its process. */
export class BuildLock {
  readonly #path: string;
  #held: DatabaseSync | undefined;

  constructor(directory: string, name: "building.db" | "background.db" | "embedding.db" = "building.db") {
    this.#path = join(directory, name);
  }

  /** Returns whether this process may proceed. If no process can take the lock, every process may. */
  take(): boolean {
    if (this.#held !== undefined) return true;
    let database: DatabaseSync | undefined;
    try {
      makeDatabaseFile(this.#path);
      database = new (loadSqlite().DatabaseSync)(this.#path, { timeout: 0 });
      database.exec("BEGIN EXCLUSIVE");
      this.#held = database;
      return true;
    } catch (error) {
      database?.close();
      return !isBusy(error);
    }
  }

  release(): void {
    this.#held?.close();
    this.#held = undefined;
  }
}
