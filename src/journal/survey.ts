import { TimeSlice } from "../lib/async/time-slice.ts";
import { contentHash } from "../lib/bytes/content-hash.ts";
import { BlobFolder, listBlobs } from "../system/blob-store.ts";
import { damagedDatabases, sizeOf } from "../system/sqlite-file.ts";
import { StoredConversations } from "./conversations.ts";
import { coverageOf, neededContent } from "./coverage.ts";
import type { CallRecord, Journal, SessionRecord } from "./journal.ts";

/** The state of a journal, for example for `toolcrib doctor`. */
export interface JournalSurvey {
  readonly file: string;
  readonly bytes: number;
  readonly contents: { readonly count: number; readonly bytes: number };
  readonly conversations: { readonly count: number; readonly bytes: number };
  /** The contents that the latest calls need, within limits. */
  readonly checked: CheckedContents;
  /** The oldest call that can be undone completely. */
  readonly oldestUndoable: CallRecord | undefined;
  readonly openSessions: readonly SessionRecord[];
  /** Calls whose process died before they ended. */
  readonly interrupted: readonly CallRecord[];
  /** Databases that were renamed because they were damaged. */
  readonly setAside: readonly { readonly file: string; readonly bytes: number }[];
}

/** Inspects everything that is stored. Changes nothing. */
export async function surveyJournal(
  journal: Journal,
  { file, folder }: { readonly file: string; readonly folder: string },
): Promise<JournalSurvey> {
  const blobs = new BlobFolder(folder);
  const stored = new Set<string>();
  const timeSlice = new TimeSlice();
  let bytesStored = 0;
  for (const { hash, bytes } of listBlobs(folder)) {
    stored.add(hash);
    bytesStored += bytes;
    if (timeSlice.isOver) await timeSlice.next();
  }
  const conversations = new StoredConversations(journal).list();
  return {
    file,
    bytes: sizeOf(file),
    contents: { count: stored.size, bytes: bytesStored },
    conversations: {
      count: conversations.length,
      bytes: conversations.reduce((sum, { bytes }) => sum + bytes, 0),
    },
    checked: await checkContents(journal, blobs, timeSlice),
    oldestUndoable: await findOldestUndoable(journal, stored, timeSlice),
    openSessions: journal.sessions().filter(({ state }) => state === "open"),
    interrupted: journal
      .running()
      .flatMap(({ callId, isAlive }) => (isAlive ? [] : (journal.find(callId) ?? []))),
    setAside: damagedDatabases(file).map((damaged) => ({ file: damaged, bytes: sizeOf(damaged) })),
  };
}

async function findOldestUndoable(
  journal: Journal,
  stored: ReadonlySet<string>,
  timeSlice: TimeSlice,
): Promise<CallRecord | undefined> {
  for (let after = 0; ; ) {
    const changes = journal.changesAfter(after, pageSize);
    for (const change of changes)
      if (coverageOf([change], stored) === "whole") {
        const { callId } = change;
        if (coverageOf(journal.changesOf([callId]), stored) === "whole") return journal.find(callId);
      }
    if (changes.length === 0) return undefined;
    after = changes.at(-1)!.sequence;
    if (timeSlice.isOver) await timeSlice.next();
  }
}

const pageSize = 500;

interface CheckedContents {
  readonly count: number;
  readonly missing: readonly LostContent[];
  readonly damaged: readonly LostContent[];
}

/** A call that needs a missing or damaged content. */
interface LostContent {
  readonly path: string;
  readonly callId: string;
}

/** Compares the contents that the latest calls need with their hashes, within limits. Ignores collected contents. */
async function checkContents(
  journal: Journal,
  blobs: BlobFolder,
  timeSlice: TimeSlice,
): Promise<CheckedContents> {
  const collected = journal.records("collected").at(-1)?.sequence ?? 0;
  const seen = new Set<string>();
  const missing: LostContent[] = [];
  const damaged: LostContent[] = [];
  let bytesLeft = maxBytes;
  const calls = journal.changingCalls(maxCalls);
  for (const change of calls.flatMap((callId) => journal.changesOf([callId]))) {
    const hash = neededContent(change);
    if (hash === undefined || seen.has(hash)) continue;
    const { path, callId, before, sequence } = change;
    if (seen.size >= maxContents) break;
    if (blobs.has(hash)) {
      bytesLeft -= before.kind === "file" ? before.bytes : 0;
      if (bytesLeft < 0) break;
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
