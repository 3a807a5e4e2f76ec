import { Breath } from "../../lib/breath.ts";
import type { KeptBlob } from "../../system/blob-store.ts";
import { listBlobs, removeBlob, removeLeftovers } from "../../system/blob-store.ts";
import type { Journal } from "../journal.ts";
import type { RunningCall } from "../records.ts";
import { PendingScans } from "../scan/pending-scans.ts";
import type { JournalBudget } from "./budget.ts";
import { forgetConversations } from "./forget-conversations.ts";
import { Needs } from "./needs.ts";
import { pruneRecords } from "./prune-records.ts";

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
  const breath = new Breath(signal);
  const oldest = now - budget.maxDays * dayMs;
  journal.flush();
  const conversations = forgetConversations(journal, oldest);
  const needs = await Needs.find(journal, oldest, breath);
  if (options.scans !== undefined) needs.hold(await new PendingScans(options.scans).holdings());
  const chosen = choose(await list(folder, breath), needs, {
    oldest,
    maxBytes: budget.maxBytes,
    keptBefore: now - graceMs,
  });
  const removed: KeptBlob[] = [];
  for (let index = 0; index < chosen.length; index += batchSize) {
    const batch = chosen.slice(index, index + batchSize);
    const waitsFor = await removeBatch(batch, { journal, folder, needs, removed, breath });
    if (waitsFor.length > 0) return total(removed, { records: 0, conversations, waitsFor });
    if (breath.isDue) await breath.take();
  }
  removeLeftovers(folder, now - usualGraceMs);
  const records = pruneRecords(journal, { oldest, needs });
  return total(removed, { records, conversations, waitsFor: [] });
}

const dayMs = 24 * 60 * 60 * 1000;

// Few enough that nobody who wants to write waits for long.
const batchSize = 200;

const usualGraceMs = 10 * 60 * 1000;

async function list(folder: string, breath: Breath): Promise<readonly KeptBlob[]> {
  const found: KeptBlob[] = [];
  for (const blob of listBlobs(folder)) {
    found.push(blob);
    if (breath.isDue) await breath.take();
  }
  return found;
}

/** What goes, oldest first. A content is as old as the last record that names it, or as when it was last kept. */
function choose(
  blobs: readonly KeptBlob[],
  needs: Needs,
  limits: { readonly oldest: number; readonly maxBytes: number; readonly keptBefore: number },
): readonly KeptBlob[] {
  const timeOf = ({ hash, keptAt }: KeptBlob) => Math.max(keptAt, needs.namedAt(hash));
  const free = blobs
    .filter(({ hash, keptAt }) => !needs.holds(hash) && keptAt < limits.keptBefore)
    .sort((one, other) => timeOf(one) - timeOf(other));
  let bytes = sum(blobs);
  const chosen: KeptBlob[] = [];
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
  batch: readonly KeptBlob[],
  parts: { journal: Journal; folder: string; needs: Needs; removed: KeptBlob[]; breath: Breath },
): Promise<readonly string[]> {
  const { journal, folder, needs, removed, breath } = parts;
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
    await breath.take();
  }
}

function runningIn(calls: readonly RunningCall[]): readonly string[] {
  return calls.filter(({ isAlive }) => isAlive).map(({ callId }) => callId);
}

function total(removed: readonly KeptBlob[], rest: Omit<Collection, "blobs" | "bytes">): Collection {
  return { blobs: removed.length, bytes: sum(removed), ...rest };
}

function sum(blobs: readonly KeptBlob[]): number {
  return blobs.reduce((total, { bytes }) => total + bytes, 0);
}
