import { Breath } from "../lib/breath.ts";
import { BlobFolder, listBlobs } from "../system/blob-store.ts";
import { damagedBeside, sizeOf } from "../system/sqlite-file.ts";
import { type CheckedContents, checkContents } from "./check-contents.ts";
import { coverageOf } from "./coverage.ts";
import type { CallRecord, Journal, SessionRecord } from "./journal.ts";
import { KeptConversations } from "./kept-conversations.ts";

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
  const breath = new Breath();
  for (const { bytes } of listBlobs(folder)) {
    contents.count += 1;
    contents.bytes += bytes;
    if (breath.isDue) await breath.take();
  }
  return {
    file,
    bytes: sizeOf(file),
    contents,
    conversations: countConversations(journal),
    checked: await checkContents(journal, blobs, breath),
    oldestUndoable: await findOldestUndoable(journal, blobs, breath),
    openSessions: journal.sessions().filter(({ state }) => state === "open"),
    interrupted: journal
      .running()
      .flatMap(({ callId, isAlive }) => (isAlive ? [] : (journal.find(callId) ?? []))),
    setAside: damagedBeside(file).map((damaged) => ({ file: damaged, bytes: sizeOf(damaged) })),
  };
}

function countConversations(journal: Journal): JournalSurvey["conversations"] {
  const kept = new KeptConversations(journal).list();
  return { count: kept.length, bytes: kept.reduce((sum, { bytes }) => sum + bytes, 0) };
}

async function findOldestUndoable(
  journal: Journal,
  blobs: BlobFolder,
  breath: Breath,
): Promise<CallRecord | undefined> {
  for (const { callId } of journal.calls({ changing: true }).toReversed()) {
    if (coverageOf(journal.changesOf([callId]), blobs) === "whole") return journal.find(callId);
    if (breath.isDue) await breath.take();
  }
  return undefined;
}
