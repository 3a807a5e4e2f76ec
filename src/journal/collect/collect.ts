import type { KeptBlob } from "../../environment/blobs/blob-folder.ts";
import { listBlobs, removeBlob, removeLeftovers } from "../../environment/blobs/tidy-blobs.ts";
import { Breath } from "../../text/breath.ts";
import type { Journal } from "../journal.ts";
import type { JournalBudget } from "./budget.ts";
import { Needs } from "./needs.ts";
import { pruneRecords } from "./prune-records.ts";

/** What a collection has removed. */
export interface Collection {
  readonly blobs: number;
  readonly bytes: number;
  readonly records: number;
  /** The calls that run: until they have ended nothing is removed, since any content may be one they rely on. */
  readonly waitsFor: readonly string[];
}

export interface CollectionOptions {
  readonly budget: JournalBudget;
  readonly signal?: AbortSignal;
  /** How long a content stays that no call on record needs; ten minutes if not said. */
  readonly graceMs?: number;
}

/**
 * Removes the oldest of the past that is over the budget: first contents of files, by age and then by size, then records
 * by age. What an open session, an open transaction or a checkpoint within the age needs stays, and so does what was
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
  const needs = await Needs.find(journal, oldest, breath);
  const chosen = choose(await list(folder, breath), needs, {
    oldest,
    maxBytes: budget.maxBytes,
    keptBefore: now - graceMs,
  });
  const removed: KeptBlob[] = [];
  for (let index = 0; index < chosen.length; index += batchSize) {
    const batch = chosen.slice(index, index + batchSize);
    const waitsFor = removeUnlessNeeded(journal, folder, { batch, needs, removed });
    if (waitsFor.length > 0) return finish(journal, { removed, records: 0, waitsFor });
    if (breath.isDue) await breath.take();
  }
  removeLeftovers(folder, now - usualGraceMs);
  return finish(journal, { removed, records: pruneRecords(journal, { oldest, needs }), waitsFor: [] });
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

/** Whoever needs a content has begun a call before: alone with the journal, nobody can begin one now. */
function removeUnlessNeeded(
  journal: Journal,
  folder: string,
  { batch, needs, removed }: { batch: readonly KeptBlob[]; needs: Needs; removed: KeptBlob[] },
): readonly string[] {
  return journal.alone(({ records }) => {
    const alive = records.running().filter(({ isAlive }) => isAlive);
    if (alive.length > 0) return alive.map(({ callId }) => callId);
    needs.catchUp(records);
    for (const blob of batch) {
      if (needs.holds(blob.hash)) continue;
      removeBlob(folder, blob.hash);
      removed.push(blob);
    }
    return [];
  });
}

function finish(
  journal: Journal,
  { removed, ...rest }: Pick<Collection, "records" | "waitsFor"> & { readonly removed: readonly KeptBlob[] },
): Collection {
  const contents = { blobs: removed.length, bytes: sum(removed) };
  if (removed.length > 0) journal.append("collected", contents);
  return { ...contents, ...rest };
}

function sum(blobs: readonly KeptBlob[]): number {
  return blobs.reduce((total, { bytes }) => total + bytes, 0);
}
