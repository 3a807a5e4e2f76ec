import type { ConversationEntry } from "../../contract/conversations.ts";
import { ToolError } from "../../contract/error.ts";
import { printableLine } from "../../lib/text/printable.ts";
import { userDirectories } from "../../system/directories.ts";
import { workspaceId } from "../../toolcrib/elsewhere.ts";
import type { Toolcrib } from "../../toolcrib/index.ts";
import { WorkspaceJournal } from "../../toolcrib/workspace-journal.ts";
import type { SessionOptions } from "../session.ts";
import type { ResumedConversation } from "../session-parts.ts";
import type { SessionStore } from "../session-store.ts";
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
export async function findRecorded(options: SessionOptions): Promise<RecordedSession | undefined> {
  const { resume, fork, store } = options;
  if (store !== undefined) {
    const session = fork?.session ?? resume ?? "";
    if ((await store.entries(session, { to: 1 })).length > 0) return findIn(store, options, () => false);
    throw new ToolError("not-found", `The session store has no session ${printableLine(session)}`);
  }
  const journal = new WorkspaceJournal({
    state: options.stateDirectory ?? userDirectories().state,
    workspace: workspaceId(options),
  });
  try {
    if (resume !== undefined) journal.refuseOpen(resume);
    return await findIn(journal.conversations, options, (session) => journal.isOpen(session));
  } finally {
    journal.close();
  }
}

async function findIn(
  store: SessionStore,
  { resume, fork }: Pick<SessionOptions, "resume" | "fork">,
  isOpen: (session: string) => boolean,
): Promise<RecordedSession | undefined> {
  const session = fork?.session ?? resume;
  if (session === undefined) return undefined;
  const stored = await store.entries(session);
  const turn = fork && (fork.turn ?? turnToForkAt(stored, session, isOpen));
  const { start, model, reasoning, isPlanning } = restoreEntries(readEntries(stored, session, turn), session);
  return { session, forkedAfter: turn, start, model, reasoning, isPlanning };
}

/** Returns the last turn, or the last ended one while the session runs. */
function turnToForkAt(
  stored: readonly ConversationEntry[],
  session: string,
  isOpen: (session: string) => boolean,
): number {
  const entries = readEntries(stored, session);
  const { turns, isTurnOpen } = restoreEntries(entries, session);
  const turn = isTurnOpen && isOpen(session) ? lastEndedTurn(entries) : turns;
  if (turn > 0) return turn;
  throw new ToolError("unavailable", `No turn of session ${session} has ended yet`, {
    hint: "Wait for its first answer.",
  });
}

type Instance = Pick<Toolcrib, "findCall" | "session">;

/**
 * Restores the conversation of an open session; for a fork, copies it to the new session first. Calls without an answer
 * get one from the journal. These answers are recorded, so that a later resume finds the same.
 */
export async function restoreSession(
  crib: Instance,
  { session, forkedAfter }: RecordedSession,
  store: SessionStore,
): Promise<ResumedConversation> {
  const entries = [...readEntries(await store.entries(session), session, forkedAfter)];
  const { start, unanswered } = restoreEntries(entries, session);
  const answers = unanswered.map((lost): SessionEntry => {
    const { callId } = lost;
    const record = callId === null ? undefined : crib.findCall(callId);
    return { kind: "answer", answer: answerLostCall(lost, record), callId };
  });
  if (forkedAfter !== undefined) {
    entries[0] = { ...start, parent: { session, turn: forkedAfter } };
    await store.append(crib.session, [...entries, ...answers]);
  } else if (answers.length > 0) await store.append(session, answers);
  return restoreEntries([...entries, ...answers], session);
}
