import type { Breath } from "../lib/breath.ts";
import { contentHash } from "../lib/content-hash.ts";
import type { BlobFolder } from "../system/blob-store.ts";
import { neededContent } from "./coverage.ts";
import type { Journal, RecordedChange } from "./journal.ts";

export interface CheckedContents {
  /** How many were looked at. */
  readonly count: number;
  readonly missing: readonly LostContent[];
  readonly damaged: readonly LostContent[];
}

/** Where a content is needed that is not what it was. */
interface LostContent {
  readonly path: string;
  readonly callId: string;
}

/** Holds the contents that the latest calls need to their hashes, within limits. What was collected is not missed. */
export async function checkContents(
  journal: Journal,
  blobs: BlobFolder,
  breath: Breath,
): Promise<CheckedContents> {
  const collected = journal.records("collected").at(-1)?.sequence ?? 0;
  const seen = new Set<string>();
  const missing: LostContent[] = [];
  const damaged: LostContent[] = [];
  let room = maxBytes;
  for (const change of latestChanges(journal)) {
    const hash = neededContent(change);
    if (hash === undefined || seen.has(hash)) continue;
    const { path, callId, before, sequence } = change;
    if (seen.size >= maxContents) break;
    if (blobs.has(hash)) {
      room -= before.kind === "file" ? before.bytes : 0;
      if (room < 0) break;
      const content = await blobs.read(hash);
      if (content !== undefined && contentHash(content) !== hash) damaged.push({ path, callId });
    } else if (sequence > collected) missing.push({ path, callId });
    seen.add(hash);
    if (breath.isDue) await breath.take();
  }
  return { count: seen.size, missing, damaged };
}

const maxCalls = 100;
const maxContents = 1000;
const maxBytes = 64 * 1024 * 1024;

/** Newest call first. */
function latestChanges(journal: Journal): readonly RecordedChange[] {
  const calls = journal.calls({ changing: true, limit: maxCalls });
  return calls.flatMap(({ callId }) => journal.changesOf([callId]));
}
