import { TimeSlice } from "../lib/async/time-slice.ts";
import { contentHash } from "../lib/bytes/content-hash.ts";
import { BlobFolder, listBlobs } from "../system/blob-store.ts";
import { damagedBeside, sizeOf } from "../system/sqlite-file.ts";
import { StoredConversations } from "./conversations.ts";
import { coverageOf, neededContent } from "./coverage.ts";
import type { CallRecord, Journal, RecordedChange, SessionRecord } from "./journal.ts";

/** How a journal is doing. */
export interface JournalSurvey {
  readonly file: string;
  /** Of the database. */
  readonly bytes: number;
  readonly contents: { readonly count: number; readonly bytes: number };
  readonly conversations: { readonly count: number; readonly bytes: number };
  /** Those that the latest calls need, as far as they were looked at. */
  readonly checked: CheckedContents;
  /** The earliest call that can be undone whole. */
  readonly oldestUndoable: CallRecord | undefined;
  readonly openSessions: readonly SessionRecord[];
  /** Calls whose process died before they ended. */
  readonly interrupted: readonly CallRecord[];
  /** Databases that were found damaged. */
  readonly setAside: readonly { readonly file: string; readonly bytes: number }[];
}

/** Looks at everything that is kept, and changes nothing. */
export async function surveyJournal(
  journal: Journal,
  { file, folder }: { readonly file: string; readonly folder: string },
): Promise<JournalSurvey> {
  const blobs = new BlobFolder(folder);
  const contents = { count: 0, bytes: 0 };
  const timeSlice = new TimeSlice();
  for (const { bytes } of listBlobs(folder)) {
    contents.count += 1;
    contents.bytes += bytes;
    if (timeSlice.isOver) await timeSlice.next();
  }
  return {
    file,
    bytes: sizeOf(file),
    contents,
    conversations: countConversations(journal),
    checked: await checkContents(journal, blobs, timeSlice),
    oldestUndoable: await findOldestUndoable(journal, blobs, timeSlice),
    openSessions: journal.sessions().filter(({ state }) => state === "open"),
    interrupted: journal
      .running()
      .flatMap(({ callId, isAlive }) => (isAlive ? [] : (journal.find(callId) ?? []))),
    setAside: damagedBeside(file).map((damaged) => ({ file: damaged, bytes: sizeOf(damaged) })),
  };
}

function countConversations(journal: Journal): JournalSurvey["conversations"] {
  const kept = new StoredConversations(journal).list();
  return { count: kept.length, bytes: kept.reduce((sum, { bytes }) => sum + bytes, 0) };
}

async function findOldestUndoable(
  journal: Journal,
  blobs: BlobFolder,
  timeSlice: TimeSlice,
): Promise<CallRecord | undefined> {
  for (const { callId } of journal.calls({ changing: true }).toReversed()) {
    if (coverageOf(journal.changesOf([callId]), blobs) === "whole") return journal.find(callId);
    if (timeSlice.isOver) await timeSlice.next();
  }
  return undefined;
}

interface CheckedContents {
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
async function checkContents(
  journal: Journal,
  blobs: BlobFolder,
  timeSlice: TimeSlice,
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
    if (timeSlice.isOver) await timeSlice.next();
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
