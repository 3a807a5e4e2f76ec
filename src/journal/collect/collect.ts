import { PendingCalls } from "../../engine/journal/effects/pending-calls.ts";
import { TimeSlice } from "../../lib/async/time-slice.ts";
import { evidenceMs, supportedTime } from "../../lib/clock.ts";
import { listBlobs, removeBlob, removeLeftovers, type StoredBlob } from "../../system/blob-store.ts";
import { StoredConversations } from "../conversations.ts";
import type { Journal } from "../journal.ts";
import type { Records, Row, RunningCall } from "../records.ts";
import type { JournalBudget } from "./collector.ts";

export interface Collection {
  readonly blobs: number;
  readonly bytes: number;
  readonly records: number;
  readonly conversations: number;
  /** The running calls, if any. They may need any content, so nothing more was removed. */
  readonly waitsFor: readonly string[];
}

export interface CollectionOptions {
  readonly budget: JournalBudget;
  readonly signal?: AbortSignal;
  /** The time for which a content stays that no recorded call needs. Default: ten minutes. */
  readonly graceMs?: number;
  /** The folder of calls whose effects are being watched. No record names the contents that they need. */
  readonly scans?: string;
  /** Whether a database that cannot shrink in steps may be rewritten, which locks it for seconds. */
  readonly rebuilds?: boolean;
}

/**
 * Removes the oldest history over the budget: records by age and size, contents by age and then by size, conversations
 * by their last message. Ages are computed by `supportedTime`. Keeps new contents, and everything that
 * an open session, an open transaction or a recent checkpoint needs. `folder` contains the blobs. Several processes may
 * collect at once, and may be killed at any moment: each step is complete, and the next collection continues.
 */
export async function collect(
  journal: Journal,
  folder: string,
  options: CollectionOptions,
): Promise<Collection> {
  const { budget, signal, graceMs = usualGraceMs } = options;
  const now = Date.now();
  const timeSlice = new TimeSlice(signal);
  journal.flush();
  const oldest = supportedTime(now, latestRecord(journal, now - evidenceMs)) - budget.maxDays * dayMs;
  const conversations = forgetConversations(journal, oldest);
  const uncounted = uncountedBytes + conversationBytes(journal);
  const most = { oldest, maxBytes: budget.maxBytes / 2, uncounted };
  const records = await pruneRecords(journal, most, timeSlice);
  const rest = { records, conversations };
  const maxBytes = Math.max(0, budget.maxBytes - recordBytes(journal, uncounted));
  const limits = { oldest, maxBytes, keptBefore: now - graceMs };
  const removed: StoredBlob[] = [];
  const blobs = await list(folder, timeSlice);
  if (mayExceed(blobs, limits)) {
    const waitsFor = options.scans === undefined ? [] : new PendingCalls(options.scans).list();
    if (waitsFor.length > 0) return total(removed, { ...rest, waitsFor });
    const needs = await Needs.find(journal, oldest, timeSlice);
    // Listed again: a content may have been stored again in the meantime.
    const chosen = choose(await list(folder, timeSlice), needs, limits);
    for (let index = 0; index < chosen.length; index += batchSize) {
      const batch = chosen.slice(index, index + batchSize);
      const waitsFor = await removeBatch(batch, { journal, folder, needs, removed, timeSlice });
      if (waitsFor.length > 0) return total(removed, { ...rest, waitsFor });
      if (timeSlice.isOver) await timeSlice.next();
    }
  }
  removeLeftovers(folder, now - usualGraceMs);
  await shrinkDatabase(journal, options.rebuilds ?? false, timeSlice);
  return total(removed, { ...rest, waitsFor: [] });
}

const dayMs = 24 * 60 * 60 * 1000;

/** Returns the time of the latest record up to the time `upTo`; undefined when there is none. */
function latestRecord(journal: Journal, upTo: number): number | undefined {
  const query = "SELECT at FROM records WHERE at <= ? ORDER BY sequence DESC LIMIT 1";
  const row = journal.use(({ database }) => database.prepare(query).get(upTo));
  return typeof row?.at === "number" ? row.at : undefined;
}

/** Returns whether some content may have to go, so that the records must be read. */
function mayExceed(
  blobs: readonly StoredBlob[],
  limits: { readonly oldest: number; readonly maxBytes: number },
): boolean {
  return sum(blobs) > limits.maxBytes || blobs.some(({ keptAt }) => keptAt < limits.oldest);
}

// A batch is small enough that no writer waits for long.
const batchSize = 200;

const usualGraceMs = 10 * 60 * 1000;

async function list(folder: string, timeSlice: TimeSlice): Promise<readonly StoredBlob[]> {
  const found: StoredBlob[] = [];
  for (const blob of listBlobs(folder)) {
    found.push(blob);
    if (timeSlice.isOver) await timeSlice.next();
  }
  return found;
}

/**
 * Returns the contents to remove, oldest first. Age counts from the last record that names the content, or its last
 * use.
 */
function choose(
  blobs: readonly StoredBlob[],
  needs: Needs,
  limits: { readonly oldest: number; readonly maxBytes: number; readonly keptBefore: number },
): readonly StoredBlob[] {
  const timeOf = ({ hash, keptAt }: StoredBlob) => Math.max(keptAt, needs.namedAt(hash));
  const free = blobs
    .filter(({ hash, keptAt }) => !needs.holds(hash) && keptAt < limits.keptBefore)
    .sort((one, other) => timeOf(one) - timeOf(other));
  let bytes = sum(blobs);
  const chosen: StoredBlob[] = [];
  for (const blob of free) {
    if (timeOf(blob) >= limits.oldest && bytes <= limits.maxBytes) break;
    chosen.push(blob);
    bytes -= blob.bytes;
  }
  return chosen;
}

/**
 * Removes contents that are not needed, or returns the running calls. Records the removal first, so that a process that
 * relies on an older content checks again, even if this process is killed. Every use of a content begins with a
 * recorded call, so no content is in use if, inside a transaction, no call runs and nothing was recorded since.
 */
async function removeBatch(
  batch: readonly StoredBlob[],
  parts: { journal: Journal; folder: string; needs: Needs; removed: StoredBlob[]; timeSlice: TimeSlice },
): Promise<readonly string[]> {
  const { journal, folder, needs, removed, timeSlice } = parts;
  for (;;) {
    const waitsFor = runningIn(journal.running());
    if (waitsFor.length > 0) return waitsFor;
    const announced = journal.append("collected", { blobs: batch.length, bytes: sum(batch) });
    const isDone = journal.alone(({ records }) => {
      const isAlone = records.last().sequence === announced && runningIn(records.running()).length === 0;
      if (!isAlone) return false;
      needs.catchUp(records);
      const free = batch.filter(({ hash }) => !needs.holds(hash));
      for (const { hash } of free) removeBlob(folder, hash);
      removed.push(...free);
      return true;
    });
    if (isDone) return [];
    await timeSlice.next();
  }
}

function runningIn(calls: readonly RunningCall[]): readonly string[] {
  return calls.filter(({ isAlive }) => isAlive).map(({ callId }) => callId);
}

function total(removed: readonly StoredBlob[], rest: Omit<Collection, "blobs" | "bytes">): Collection {
  return { blobs: removed.length, bytes: sum(removed), ...rest };
}

function sum(blobs: readonly StoredBlob[]): number {
  return blobs.reduce((total, { bytes }) => total + bytes, 0);
}

/** The contents that must stay, and the age of the others. A record needs every content whose hash it names. */
class Needs {
  readonly #openSessions: ReadonlySet<string>;
  readonly #openTransactions: readonly number[];
  /** All records from this one on are needed. */
  readonly #heldFrom: number;
  readonly #held = new Set<string>();
  readonly #namedAt = new Map<string, number>();
  #seenUpTo = 0;
  #isSeen = false;

  private constructor(journal: Journal, oldest: number) {
    const sessions = journal.sessions().filter(({ state }) => state === "open");
    this.#openSessions = new Set(sessions.map(({ session }) => session));
    this.#openTransactions = openTransactions(journal);
    const checkpoints = journal.records("checkpoint").filter(({ at }) => at >= oldest);
    this.#heldFrom = Math.min(...this.#openTransactions, ...checkpoints.map(({ sequence }) => sequence));
  }

  static async find(journal: Journal, oldest: number, timeSlice: TimeSlice): Promise<Needs> {
    const needs = new Needs(journal, oldest);
    for (let isMore = true; isMore; ) {
      // Reads in pages, so that others can write in between.
      const rows = journal.use(({ records }) => naming(records, needs.#seenUpTo, pageSize));
      for (const row of rows) needs.#see(row);
      isMore = rows.length > 0;
      if (timeSlice.isOver) await timeSlice.next();
    }
    needs.#isSeen = true;
    return needs;
  }

  /** Reads the records added since the last call. */
  catchUp(records: Records): void {
    for (const row of naming(records, this.#seenUpTo)) this.#see(row);
  }

  /** Adds contents that no record names. */
  hold(hashes: Iterable<string>): void {
    for (const hash of hashes) this.#held.add(hash);
  }

  holds(hash: string): boolean {
    return this.#held.has(hash);
  }

  /** Returns the time of the last record that names a content, in milliseconds since 1970. */
  namedAt(hash: string): number {
    return this.#namedAt.get(hash) ?? 0;
  }

  #see({ sequence, at, session, body }: Row): void {
    this.#seenUpTo = sequence;
    const isOfOpen = this.#openSessions.has(session);
    // A record added during the collection belongs to a running process.
    const isHeld = isOfOpen || sequence >= this.#heldFrom || this.#isSeen;
    for (const hash of body.match(/[0-9a-f]{64}/g) ?? []) {
      this.#namedAt.set(hash, at);
      if (isHeld) this.#held.add(hash);
    }
  }
}

const pageSize = 500;

/** Returns the records that can name contents: changes, and those without a call. Most records are others. */
function naming(records: Records, after: number, limit = -1): readonly Row[] {
  return [...records.where("sequence > ? AND (kind = 'change' OR call = '')", [after], { limit })];
}

/** Returns the first records of the transactions that were neither committed nor rolled back. */
function openTransactions(journal: Journal): readonly number[] {
  const open = new Map<string, number>();
  for (const { sequence, body } of journal.records("transaction")) {
    const { id, state } = body as { readonly id: string; readonly state: string };
    if (state === "open") open.set(id, open.get(id) ?? sequence);
    else open.delete(id);
  }
  return [...open.values()];
}

/**
 * Removes the records before `oldest`, and the oldest ones while the records exceed `maxBytes`. Works in batches; each
 * adds a record with the hash of the last removed record.
 */
async function pruneRecords(
  journal: Journal,
  limits: { readonly oldest: number; readonly maxBytes: number; readonly uncounted: number },
  timeSlice: TimeSlice,
): Promise<number> {
  const { oldest, maxBytes, uncounted } = limits;
  let pruned = 0;
  let heldFrom: number | undefined;
  while (true) {
    const first = journal.use(({ records }) => records.page(0, 1)[0]);
    const isOver = recordBytes(journal, uncounted) > maxBytes;
    if (first === undefined || (first.at >= oldest && !isOver)) return pruned;
    heldFrom ??= firstHeld(journal);
    const count = pruneBatch(journal, {
      first: first.sequence,
      heldFrom,
      oldest: isOver ? undefined : oldest,
    });
    if (count === 0) return pruned;
    pruned += count;
    await timeSlice.next();
  }
}

/** Returns the first record that an open session or transaction needs. */
function firstHeld(journal: Journal): number {
  const open = journal.sessions().flatMap(({ session, state }) => (state === "open" ? [session] : []));
  const query = `SELECT min(sequence) AS first FROM records
    WHERE call = '' AND session IN (SELECT value FROM json_each(?))`;
  const row = journal.use(({ database }) => database.prepare(query).get(JSON.stringify(open)));
  return Math.min(Number(row?.first ?? Number.POSITIVE_INFINITY), ...openTransactions(journal));
}

/** Removes some of the first records in one transaction, up to the first that is held or not old. */
function pruneBatch(
  journal: Journal,
  { first, heldFrom, oldest }: { first: number; heldFrom: number; oldest: number | undefined },
): number {
  const calls = journal.use((store) => store.calls());
  return journal.alone(({ database, records }) => {
    const end = first + prunedAtOnce;
    const young = "SELECT min(sequence) AS kept FROM records WHERE sequence BETWEEN ? AND ? AND at >= ?";
    const kept = oldest === undefined ? null : database.prepare(young).get(first, end, oldest)!.kept;
    const before = Math.min(heldFrom, Number(kept ?? end), records.last().sequence);
    const last = database
      .prepare("SELECT sequence, hash FROM records WHERE sequence < ? ORDER BY sequence DESC LIMIT 1")
      .get(before);
    if (last === undefined) return 0;
    const ofPruned = "call IN (SELECT call FROM records WHERE sequence < ?)";
    database.prepare(`DELETE FROM running WHERE ${ofPruned}`).run(before);
    const { changes } = database.prepare("DELETE FROM records WHERE sequence < ?").run(before);
    calls.prune(before);
    const body = JSON.stringify({ upTo: last.sequence, hash: last.hash });
    records.append([{ at: Date.now(), kind: "pruned", session: journal.session, call: "", body }]);
    return Number(changes);
  });
}

const prunedAtOnce = 1_000;

/** Returns how much of the database counts towards the budget: its used pages except `uncounted`. */
function recordBytes(journal: Journal, uncounted: number): number {
  const { pages, free, size } = pagesOf(journal);
  return Math.max(0, (pages - free) * size - uncounted);
}

/** A small journal costs no undo contents. */
const uncountedBytes = 16 * 1024 * 1024;

/** Conversations have their own age and do not count. Otherwise a long one would leave no space for undo. */
function conversationBytes(journal: Journal): number {
  if (recordBytes(journal, uncountedBytes) === 0) return 0;
  const query = "SELECT sum(octet_length(entry)) AS bytes FROM conversations";
  return journal.use(({ database }) => Number(database.prepare(query).get()?.bytes ?? 0));
}

function pagesOf(journal: Journal): { readonly pages: number; readonly free: number; readonly size: number } {
  return journal.use(({ database }) => {
    const read = (name: string) => Number(Object.values(database.prepare(`PRAGMA ${name}`).get()!)[0]);
    return { pages: read("page_count"), free: read("freelist_count"), size: read("page_size") };
  });
}

/** Gives free pages back to the disk, in steps. Some stay, because new records need them. */
async function shrinkDatabase(journal: Journal, rebuilds: boolean, timeSlice: TimeSlice): Promise<void> {
  const isIncremental = journal.use(
    ({ database }) => database.prepare("PRAGMA auto_vacuum").get()?.auto_vacuum === 2,
  );
  const { free: before } = pagesOf(journal);
  if (before <= freePagesKept) return;
  if (!isIncremental) {
    if (rebuilds) rebuildDatabase(journal);
    return;
  }
  for (let free = before; free > freePagesKept; ) {
    journal.use(({ database }) => database.exec("PRAGMA incremental_vacuum(256)"));
    const left = pagesOf(journal).free;
    if (left >= free) return;
    free = left;
    await timeSlice.next();
  }
}

const freePagesKept = 1_000;

/** Rewrites the database, so that it is smaller and can shrink in steps from now on. */
function rebuildDatabase(journal: Journal): void {
  try {
    journal.use(({ database }) => database.exec("PRAGMA auto_vacuum = INCREMENTAL; VACUUM"));
  } catch {
    // Another process writes, or the disk is full. The file keeps its size.
  }
}

/** Removes the conversations without a message since `oldest`, except those of open sessions. Returns their number. */
export function forgetConversations(journal: Journal, oldest: number): number {
  const conversations = new StoredConversations(journal);
  const old = conversations.list().filter(({ lastAt }) => lastAt < oldest);
  if (old.length === 0) return 0;
  const open = new Set(
    journal.sessions().flatMap(({ session, state }) => (state === "open" ? [session] : [])),
  );
  return old.filter(({ session }) => !open.has(session) && conversations.remove(session)).length;
}
