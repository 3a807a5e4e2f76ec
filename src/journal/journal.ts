import type { Change } from "../contract/history.ts";
import { isRecord } from "../lib/json/is-record.ts";
import { thisProcess } from "../system/process-identity.ts";
import { summarize } from "./calls/call-row.ts";
import { inTransaction, journalUnusable } from "./database.ts";
import { parseBody, readCalls, readInnerCalls, toCall, toChanges } from "./read-calls.ts";
import { Openings, readSessions, refuseOpen } from "./read-sessions.ts";
import type * as record from "./record.ts";
import type { Attempt, CallRecord, Ending, JournalRecord, RecordedChange } from "./record.ts";
import { type Entry, printValue, type Redact, type Row, type RunningCall } from "./records.ts";
import { type OpenStore, Store } from "./store.ts";

export type * from "./record.ts";

export interface JournalOptions {
  readonly file: string;
  readonly session: string;
  /** The program that uses this session, and its workspace. Recorded when the session opens. */
  readonly client?: record.ClientInfo | undefined;
  readonly workspace?: string;
  /** Removes values that look like secrets from records. */
  readonly redact?: Redact;
  /** The time to wait while another process locks the database. Default: 5 s. */
  readonly patienceMs?: number;
  /** The clock. Default: Date.now. */
  readonly now?: () => number;
}

/** The history of one workspace: a chain of records in SQLite. Several processes may write the same file. */
export class Journal {
  readonly file: string;
  readonly session: string;
  readonly #redact: Redact;
  readonly #now: () => number;
  readonly #store: Store;
  readonly #workspace: string | undefined;
  #client: record.ClientInfo | undefined;
  /** The database in which this session is recorded as open. */
  #announcedIn: OpenStore | undefined;
  readonly #begun = new Set<string>();
  /** A function serializes its entry when the entry is written, so that the call does not wait. */
  #waiting: (Entry | (() => Entry))[] = [];
  #lastWarning = "";
  #timer: NodeJS.Timeout | undefined;
  #introduction: NodeJS.Timeout | undefined;

  /** Opens the database on the first write. The folder of `file` must exist by then. */
  constructor(options: JournalOptions) {
    const { file, session, client, workspace, patienceMs = 5_000, now = Date.now } = options;
    const { redact = (text: string) => text } = options;
    this.file = file;
    this.session = session;
    this.#client = client;
    this.#workspace = workspace;
    this.#redact = redact;
    this.#now = now;
    this.#store = new Store({ file, session, patienceMs, redact });
    flushAtExit(this);
  }

  /** Warnings for the user, for example that a damaged database was replaced. */
  get warnings(): readonly string[] {
    return this.#store.warnings;
  }

  get hasWritten(): boolean {
    return this.#announcedIn !== undefined || this.#waiting.length > 0;
  }

  /** Names the program that uses this session. Recorded a little later, so that its first calls need not wait. */
  introduce(client: record.ClientInfo): void {
    this.#client = client;
    if (this.#announcedIn !== undefined) this.#waiting.push(this.#announcement("opened"));
    this.#introduction ??= setTimeout(() => this.#introduce(), introductionDelayMs).unref();
  }

  /**
   * Records an attempt at once, because a call that may change something must not run unrecorded. With `mayWait`, it is
   * recorded shortly after, and before the first record of a change: only the calls that it makes can change something.
   */
  begin(attempt: Attempt, { mayWait = false }: { readonly mayWait?: boolean } = {}): void {
    if (mayWait) this.#addToBatch(this.#later("begin", attempt, {}));
    else this.#writeFirst(this.#entry("begin", attempt.callId, this.#print(attempt, {}), attempt.startedAt));
    this.#begun.add(attempt.callId);
  }

  /** Records the planned changes of a call, at once and in order. When it throws `unavailable`, change nothing. */
  change(callId: string, changes: readonly Change[]): void {
    if (changes.length > 0) this.#writeFirst(this.#entry("change", callId, JSON.stringify(changes)));
  }

  /**
   * Records the end of a call: at once if `begin` was called, otherwise shortly after in a batch. With `mayWait`, the end is
   * recorded when its caller has the result: it says nothing about changes that other records do not say.
   */
  finish(attempt: Attempt, ending: Ending, { mayWait = false }: { readonly mayWait?: boolean } = {}): void {
    const { callId } = attempt;
    if (!this.#begun.delete(callId)) {
      this.#addToBatch(this.#later("call", attempt, ending));
      return;
    }
    const endedAt = this.#now();
    this.#waiting.push(() => this.#entry("end", callId, this.#print({}, ending), endedAt));
    if (!mayWait) this.flushQuietly();
    else {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.flushQuietly(), 1).unref();
    }
  }

  /** Records anything else at once and returns its sequence number. Throws `unavailable`. */
  append(kind: string, body: unknown): number {
    return this.#writeFirst(this.#entry(kind, "", JSON.stringify(body)));
  }

  /** Returns the latest calls, newest first. */
  latest(limit: number): readonly CallRecord[] {
    return this.calls({ limit });
  }

  /** Returns the matching calls, newest first, from their records. */
  calls(filter: record.CallFilter): readonly CallRecord[] {
    return this.#read(({ records }) => readCalls(records, filter));
  }

  /** Returns the calls with the latest changes, the latest first. */
  changingCalls(limit: number): readonly string[] {
    return this.#read(({ records }) => records.changingCalls(limit));
  }

  /** Returns summaries of the matching calls: newest first, or with `after` in the order of their latest records. */
  summaries(filter: record.SummaryFilter): readonly record.CallSummary[] {
    return this.#read(({ calls }) => calls().read(filter));
  }

  /** Returns summaries of these calls, from their records. */
  summariesOf(callIds: readonly string[]): readonly record.CallSummary[] {
    return this.#read(({ records }) => {
      const openings = new Openings(records);
      return callIds.flatMap((callId) => summarize(records.ofCall(callId), openings) ?? []);
    });
  }

  /** Counts the matching calls; null when that would take long. */
  countSummaries(filter: record.SummaryFilter): number | null {
    return this.#read(({ calls }) => calls().count(filter));
  }

  /** Returns the number of the last record; 0 without records. */
  lastSequence(): number {
    return this.#read(({ records }) => records.last().sequence);
  }

  /** Returns the number of the first record; 1 without records. */
  firstSequence(): number {
    return this.#read(({ records }) => records.first());
  }

  /** Prepares some calls that no list has shown yet. Returns the number of records that are left. */
  prepareSummaries(): number {
    return this.#read(({ calls, records }) => Math.max(0, calls().fill(1) - records.first()));
  }

  /** Returns whether `summaries` needs to prepare nothing for this filter. */
  isPreparedFor(filter: record.SummaryFilter): boolean {
    return this.#read(({ calls }) => calls().isFilledFor(filter));
  }

  find(callId: string): CallRecord | undefined {
    return this.#read(({ records }) => toCall(records.ofCall(callId)));
  }

  /** Returns the calls that a script made, in order. */
  innerCalls(script: string): readonly CallRecord[] {
    return this.#read(({ records }) => readInnerCalls(records, script));
  }

  /** Returns the changes of these calls, in order. */
  changesOf(callIds: readonly string[]): readonly RecordedChange[] {
    return this.#read(({ records }) =>
      callIds
        .flatMap((callId) => records.ofCall(callId).flatMap(toChanges))
        .sort((one, other) => one.sequence - other.sequence),
    );
  }

  /** Returns the changes after a record, in order, from this many records. Default: all. */
  changesAfter(sequence: number, limit = Number.MAX_SAFE_INTEGER): readonly RecordedChange[] {
    return this.#read(({ records }) =>
      [...records.where("kind = 'change' AND sequence > ?", [sequence], { limit })].flatMap(toChanges),
    );
  }

  /** Returns the records of one kind that belong to no call, oldest first, after a sequence number. */
  records(kind: string, after = 0): readonly JournalRecord[] {
    return this.#read(({ records }) =>
      [...records.where("call = '' AND kind = ? AND sequence > ?", [kind, after])].flatMap(toRecord),
    );
  }

  /** Returns the recorded sessions, oldest first, or one of them. */
  sessions(session?: string): readonly record.SessionRecord[] {
    return this.#read(({ records }) => readSessions(records, session));
  }

  /** Returns what the session of each call had recorded about itself when the call was made. */
  openings(calls: readonly CallRecord[]): readonly record.SessionOpening[] {
    return this.#read(({ records }) => {
      const openings = new Openings(records);
      return calls.map((call) => openings.before(call));
    });
  }

  /** Counts the calls of these sessions. */
  countCalls(sessions: readonly string[]): ReadonlyMap<string, record.SessionCalls> {
    return this.#read(
      ({ calls, records }) => calls().countBySession(sessions) ?? records.countCalls(sessions),
    );
  }

  /** Returns records of every kind, oldest first. */
  page(after: number, limit: number): readonly Row[] {
    return this.#read(({ records }) => records.page(after, limit));
  }

  /** Returns the calls that have begun and not ended, oldest first. */
  running(): readonly RunningCall[] {
    return this.#read(({ records }) => records.running());
  }

  /** Runs `act` in a transaction while no other process writes. For maintenance of the journal itself. */
  alone<Result>(act: (store: OpenStore) => Result): Result {
    return this.#store.use((store) => inTransaction(store.database, () => act(store)));
  }

  /** Runs `act` in a transaction of a database in which this session is open. For data outside the chain. */
  keep<Result>(act: (store: OpenStore) => Result): Result {
    return this.#store.use((store) => {
      const result = inTransaction(store.database, () => {
        if (this.#announcedIn !== store) store.records.append([this.#announcement("opened")]);
        return act(store);
      });
      this.#announcedIn = store;
      return result;
    });
  }

  /** Records at once that this session is open in this process. Throws `unavailable` when it is already open. */
  claim(): void {
    try {
      this.#store.use((store) => {
        inTransaction(store.database, () => {
          refuseOpen(store.records, this.session);
          store.records.append([this.#announcement("opened")]);
        });
        this.#announcedIn = store;
      });
    } catch (cause) {
      throw journalUnusable(this.file, cause);
    }
  }

  use<Result>(act: (store: OpenStore) => Result): Result {
    return this.#store.use(act);
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#waiting.length > 0) this.#write([]);
  }

  /** Writes the rest and closes the database, unless the process `exits` now and the system will close it. */
  close({ exits = false }: { readonly exits?: boolean } = {}): void {
    clearTimeout(this.#introduction);
    openJournals.delete(this);
    if (openJournals.size === 0) process.off("exit", flushOpenJournals);
    if (this.hasWritten) this.#waiting.push(this.#announcement("closed"));
    this.flushQuietly();
    clearTimeout(this.#timer);
    if (exits) this.#store.leave();
    else this.#store.close();
  }

  /**
   * Flushes, and only warns on failure: a call that has ended can no longer fail, so its record waits for the next
   * write, and is tried again meanwhile.
   */
  flushQuietly(): void {
    this.#quietly(() => this.flush());
    // Until its end is recorded, a call is listed as running.
    if (this.#waiting.length > 0) this.#timer ??= setTimeout(() => this.flushQuietly(), retryMs).unref();
  }

  #quietly(write: () => void): void {
    try {
      write();
      this.#lastWarning = "";
    } catch (error) {
      const warning = `Toolcrib could not write its journal ${this.file}: ${(error as Error).message}`;
      if (warning !== this.#lastWarning) process.emitWarning(warning);
      this.#lastWarning = warning;
    }
  }

  /** Writes a record shortly after, together with others. */
  #addToBatch(entry: Entry | (() => Entry)): void {
    this.#waiting.push(entry);
    if (this.#waiting.length % batchSize === 0) this.flushQuietly();
    else this.#timer ??= setTimeout(() => this.flushQuietly(), batchDelayMs).unref();
  }

  #entry(kind: string, call: string, body: string, at: number = this.#now()): Entry {
    return { at, kind, session: this.session, call, body };
  }

  /**
   * Returns a record that is serialized when it is written, if possible: the caller may change its input from now on, so a
   * flat input is copied and a nested one is serialized at once.
   */
  #later(kind: string, attempt: Attempt, ending: Partial<Ending>): Entry | (() => Entry) {
    const { callId, startedAt, input } = attempt;
    const kept = isFlat(input) ? { ...attempt, input: { ...input } } : undefined;
    const print = () => this.#entry(kind, callId, this.#print(kept ?? attempt, ending), startedAt);
    return kept === undefined ? print() : print;
  }

  #print(attempt: Partial<Attempt>, ending: Partial<Ending>): string {
    const { tool, input, parent } = attempt;
    const { account, ...rest } = ending;
    return printValue({ tool, input, parent, ...rest, ...account }, this.#redact);
  }

  #writeFirst(entry: Entry): number {
    try {
      return this.#write([entry]);
    } catch (cause) {
      throw journalUnusable(this.file, cause, "Nothing was changed. ");
    }
  }

  /** Writes the waiting records and then `entries`, all or nothing, and returns the last sequence number. */
  #write(entries: readonly Entry[]): number {
    const sequence = this.#store.use((store) => {
      const announcement = this.#announcedIn === store ? [] : [this.#announcement("opened")];
      const { database, records } = store;
      const waiting = this.#waiting.map((entry) => (typeof entry === "function" ? entry() : entry));
      const last = inTransaction(database, () => records.append([...announcement, ...waiting, ...entries]));
      this.#announcedIn = store;
      return last;
    });
    this.#waiting = [];
    return sequence;
  }

  #announcement(kind: "opened" | "closed"): Entry {
    const opening = { client: this.#client, workspace: this.#workspace };
    return this.#entry(kind, "", JSON.stringify({ owner: thisProcess(), ...(kind === "opened" && opening) }));
  }

  #introduce(): void {
    this.#introduction = undefined;
    this.#quietly(() => {
      if (this.#announcedIn === undefined || this.#waiting.length > 0) this.#write([]);
    });
  }

  #read<Result>(act: (store: OpenStore) => Result): Result {
    try {
      this.flush();
      return this.#store.use(act);
    } catch (cause) {
      throw journalUnusable(this.file, cause);
    }
  }
}

/** Returns whether an object has no nested objects, as most inputs. */
function isFlat(input: unknown): input is Readonly<Record<string, unknown>> {
  return (
    isRecord(input) && Object.values(input).every((value) => typeof value !== "object" || value === null)
  );
}

/** Returns no record for a record whose body was altered. */
function toRecord(row: Row): readonly JournalRecord[] {
  const { sequence, at, session, kind } = row;
  const body = parseBody(row);
  return body === undefined ? [] : [{ sequence, at, session, kind, body }];
}

/** The open journals, which share one exit listener, because Node warns about many listeners. */
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
const retryMs = 5_000;
const introductionDelayMs = 500;
