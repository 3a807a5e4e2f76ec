import { TimeSlice } from "../../lib/async/time-slice.ts";
import { listBlobs, removeBlob, removeLeftovers, type StoredBlob } from "../../system/blob-store.ts";
import { StoredConversations } from "../conversations.ts";
import type { Journal } from "../journal.ts";
import type { Records, Row, RunningCall } from "../records.ts";
import { PendingScans } from "../scan/pending-scans.ts";
import type { JournalBudget } from "./collector.ts";

/** What a collection has removed. */
export interface Collection {
  readonly blobs: number;
  readonly bytes: number;
  readonly records: number;
  readonly conversations: number;
  /** The calls that run: until they have ended nothing is removed, since any content may be one they rely on. */
  readonly waitsFor: readonly string[];
}

export interface CollectionOptions {
  readonly budget: JournalBudget;
  readonly signal?: AbortSignal;
  /** How long a content stays that no call on record needs; ten minutes if not said. */
  readonly graceMs?: number;
  /** Where scans are that a process was killed in: until they are completed no record names what they need. */
  readonly scans?: string;
}

/**
 * Removes the oldest of the past that is over the budget: first contents of files, by age and then by size, then records
 * by age, and conversations by when something was last said in them. What an open session, an open transaction or a checkpoint within the age needs stays, and so does what was
 * only just kept. `folder` is that of the blobs. Any process may do this at any moment, also two at once, and be killed on the way.
 */
export async function collect(
  journal: Journal,
  folder: string,
  options: CollectionOptions,
): Promise<Collection> {
  const { budget, signal, graceMs = usualGraceMs } = options;
  const now = Date.now();
  const timeSlice = new TimeSlice(signal);
  const oldest = now - budget.maxDays * dayMs;
  journal.flush();
  const conversations = forgetConversations(journal, oldest);
  const needs = await Needs.find(journal, oldest, timeSlice);
  if (options.scans !== undefined) needs.hold(await new PendingScans(options.scans).holdings());
  const chosen = choose(await list(folder, timeSlice), needs, {
    oldest,
    maxBytes: budget.maxBytes,
    keptBefore: now - graceMs,
  });
  const removed: StoredBlob[] = [];
  for (let index = 0; index < chosen.length; index += batchSize) {
    const batch = chosen.slice(index, index + batchSize);
    const waitsFor = await removeBatch(batch, { journal, folder, needs, removed, timeSlice });
    if (waitsFor.length > 0) return total(removed, { records: 0, conversations, waitsFor });
    if (timeSlice.isOver) await timeSlice.next();
  }
  removeLeftovers(folder, now - usualGraceMs);
  const records = pruneRecords(journal, { oldest, needs });
  return total(removed, { records, conversations, waitsFor: [] });
}

const dayMs = 24 * 60 * 60 * 1000;

// Few enough that nobody who wants to write waits for long.
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

/** What goes, oldest first. A content is as old as the last record that names it, or as when it was last kept. */
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
 * Removes contents that nobody needs, or tells which calls run. First a record says that it will be done, so that
 * whoever relies on a content from before looks again, also if we are killed on the way. Whoever needs a content has
 * begun a call before, and whoever has looked since that record has written another: alone with the journal, with no
 * call running and no record since, nobody does.
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

/** What must not be collected, and how old the rest is. A record needs every content whose hash it names. */
class Needs {
  readonly #openSessions: ReadonlySet<string>;
  readonly #openTransactions: readonly number[];
  /** From here on everything is needed. */
  readonly #heldFrom: number;
  readonly #held = new Set<string>();
  readonly #namedAt = new Map<string, number>();
  #firstOfOpenSession = Number.POSITIVE_INFINITY;
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
      // A page at a time: others may write between.
      const rows = journal.page(needs.#seenUpTo, pageSize);
      for (const row of rows) needs.#see(row);
      isMore = rows.length > 0;
      if (timeSlice.isOver) await timeSlice.next();
    }
    needs.#isSeen = true;
    return needs;
  }

  /** Looks at what was recorded since. */
  catchUp(records: Records): void {
    for (const row of records.page(this.#seenUpTo, Number.MAX_SAFE_INTEGER)) this.#see(row);
  }

  /** Adds what no record names. */
  hold(hashes: Iterable<string>): void {
    for (const hash of hashes) this.#held.add(hash);
  }

  holds(hash: string): boolean {
    return this.#held.has(hash);
  }

  /** When a record last named it, in milliseconds since 1970. */
  namedAt(hash: string): number {
    return this.#namedAt.get(hash) ?? 0;
  }

  /** The first record that an open session or transaction needs. */
  get firstRecord(): number {
    return Math.min(this.#firstOfOpenSession, ...this.#openTransactions);
  }

  #see({ sequence, at, session, body }: Row): void {
    this.#seenUpTo = sequence;
    const isOfOpen = this.#openSessions.has(session);
    if (isOfOpen) this.#firstOfOpenSession = Math.min(this.#firstOfOpenSession, sequence);
    // What is recorded while we look belongs to somebody who is at work, or was just now.
    const isHeld = isOfOpen || sequence >= this.#heldFrom || this.#isSeen;
    for (const hash of body.match(/[0-9a-f]{64}/g) ?? []) {
      this.#namedAt.set(hash, at);
      if (isHeld) this.#held.add(hash);
    }
  }
}

const pageSize = 500;

/** Where the transactions began that were neither committed nor rolled back. */
function openTransactions(journal: Journal): readonly number[] {
  const open = new Map<string, number>();
  for (const { sequence, body } of journal.records("transaction")) {
    const { id, state } = body as { readonly id: string; readonly state: string };
    if (state === "open") open.set(id, open.get(id) ?? sequence);
    else open.delete(id);
  }
  return [...open.values()];
}

/** Removes the records from before `oldest`, and leaves one that says so with the hash of the last of them. */
function pruneRecords(
  journal: Journal,
  { oldest, needs }: { readonly oldest: number; readonly needs: Needs },
): number {
  const [first] = journal.page(0, 1);
  if (first === undefined || first.at >= oldest) return 0;
  return journal.alone(({ database, records }) => {
    const { kept } = database.prepare("SELECT min(sequence) AS kept FROM records WHERE at >= ?").get(oldest)!;
    const before = Math.min(needs.firstRecord, Number(kept ?? records.last().sequence));
    const last = database
      .prepare("SELECT sequence, hash FROM records WHERE sequence < ? ORDER BY sequence DESC LIMIT 1")
      .get(before);
    if (last === undefined) return 0;
    const ofPruned = "call IN (SELECT call FROM records WHERE sequence < ?)";
    database.prepare(`DELETE FROM running WHERE ${ofPruned}`).run(before);
    const { changes } = database.prepare("DELETE FROM records WHERE sequence < ?").run(before);
    const body = JSON.stringify({ upTo: last.sequence, hash: last.hash });
    records.append([{ at: Date.now(), kind: "pruned", session: journal.session, call: "", body }]);
    return Number(changes);
  });
}

/** Removes the conversations in which nothing was said since `oldest`, but for those of sessions that are open; how many. */
export function forgetConversations(journal: Journal, oldest: number): number {
  const conversations = new StoredConversations(journal);
  const old = conversations.list().filter(({ lastAt }) => lastAt < oldest);
  if (old.length === 0) return 0;
  const open = new Set(
    journal.sessions().flatMap(({ session, state }) => (state === "open" ? [session] : [])),
  );
  return old.filter(({ session }) => !open.has(session) && conversations.remove(session)).length;
}
