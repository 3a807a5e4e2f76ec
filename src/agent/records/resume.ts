import { ToolError } from "../../contract/error.ts";
import { realWorkspace, userDirectories } from "../../system/directories.ts";
import type { Toolcrib } from "../../toolcrib/index.ts";
import { WorkspaceJournal } from "../../toolcrib/workspace-journal.ts";
import type { SessionOptions } from "../session.ts";
import type { ResumedConversation } from "../session-parts.ts";
import { lastEndedTurn, readEntries, restoreEntries } from "./read-entries.ts";
import { answerLostCall, type Restored } from "./restore.ts";
import type { SessionEntry } from "./session-entry.ts";

export interface RecordedSession extends Pick<Restored, "start" | "model" | "reasoning" | "isPlanning"> {
  readonly session: string;
  /** The last turn that a fork copies; undefined for a session to resume. */
  readonly forkedAfter: number | undefined;
}

/**
 * Reads how a session was set up, before its instance is opened. Throws `not-found`, and `unavailable` when a session
 * to resume is open in another process, damaged, or written by a newer Toolcrib.
 */
export function findRecorded(options: SessionOptions): RecordedSession | undefined {
  const { resume, fork } = options;
  const journal = new WorkspaceJournal({
    state: options.stateDirectory ?? userDirectories().state,
    workspace: options.environment?.workspace ?? realWorkspace(options.workspace ?? process.cwd()),
  });
  try {
    if (fork) return readRecorded(journal, fork.session, fork.turn ?? turnToForkAt(journal, fork.session));
    if (resume === undefined) return undefined;
    journal.refuseOpen(resume);
    return readRecorded(journal, resume, undefined);
  } finally {
    journal.close();
  }
}

function readRecorded(journal: WorkspaceJournal, session: string, turn: number | undefined): RecordedSession {
  const entries = readEntries(journal.conversations, session, turn);
  const { start, model, reasoning, isPlanning } = restoreEntries(entries, session);
  return { session, forkedAfter: turn, start, model, reasoning, isPlanning };
}

/** Returns the last turn, or the last ended one while the session runs. */
function turnToForkAt(journal: WorkspaceJournal, session: string): number {
  const entries = readEntries(journal.conversations, session);
  const { turns, isTurnOpen } = restoreEntries(entries, session);
  const turn = isTurnOpen && journal.isOpen(session) ? lastEndedTurn(entries) : turns;
  if (turn > 0) return turn;
  throw new ToolError("unavailable", `No turn of session ${session} has ended yet`, {
    hint: "Wait for its first answer.",
  });
}

type Instance = Pick<Toolcrib, "conversations" | "findCall" | "session">;

/**
 * Restores the conversation of an open session; for a fork, copies it to the new session first. Calls without an answer
 * get one from the journal. These answers are recorded, so that a later resume finds the same.
 */
export function restoreSession(
  crib: Instance,
  { session, forkedAfter }: RecordedSession,
): ResumedConversation {
  const { conversations } = crib;
  const entries = [...readEntries(conversations, session, forkedAfter)];
  const { start, unanswered } = restoreEntries(entries, session);
  const answers = unanswered.map((lost): SessionEntry => {
    const { callId } = lost;
    const record = callId === null ? undefined : crib.findCall(callId);
    return { kind: "answer", answer: answerLostCall(lost, record), callId };
  });
  if (forkedAfter !== undefined) {
    entries[0] = { ...start, parent: { session, turn: forkedAfter } };
    conversations.append(crib.session, [...entries, ...answers]);
  } else if (answers.length > 0) conversations.append(session, answers);
  return restoreEntries([...entries, ...answers], session);
}
