import { ToolError } from "../../contract/error.ts";
import type { ReasoningEffort } from "../../models/model.ts";
import { realWorkspace, userDirectories } from "../../system/directories.ts";
import type { Toolcrib, ToolcribOptions } from "../../toolcrib/index.ts";
import { JournalDesk } from "../../toolcrib/journal-desk.ts";
import type { SessionOptions } from "../session.ts";
import type { ResumedConversation } from "../session-parts.ts";
import { lastEndedTurn, readEntries, restoreKept } from "./read-entries.ts";
import { answerLostCall, type StartEntry } from "./restore.ts";
import type { SessionEntry } from "./session-entry.ts";

/** A session that is to be gone on with, or that a new one begins from. */
export interface KeptSession {
  readonly session: string;
  /** The new one begins after this turn of it; undefined where it goes on itself. */
  readonly forkedAfter: number | undefined;
  readonly start: StartEntry;
  /** As they were last. */
  readonly model: string;
  readonly reasoning: ReasoningEffort | null;
}

export type WantedSession =
  | { readonly resume: string }
  | { readonly fork: NonNullable<SessionOptions["fork"]> };

/**
 * Finds out how a session was held before its room is opened. Throws `not-found`; `unavailable` where a session to be resumed is
 * open in a process that lives, is damaged, or of a newer Toolcrib.
 */
export async function findKept(options: ToolcribOptions, wanted: WantedSession): Promise<KeptSession> {
  const desk = new JournalDesk({
    state: options.stateDirectory ?? userDirectories().state,
    workspace: options.environment?.workspace ?? realWorkspace(options.workspace ?? process.cwd()),
  });
  try {
    if ("resume" in wanted) {
      desk.refuseOpen(wanted.resume);
      return look(desk, wanted.resume, undefined);
    }
    const { session, turn } = wanted.fork;
    return look(desk, session, turn ?? turnToForkAt(desk, session));
  } finally {
    desk.close();
  }
}

function look(desk: JournalDesk, session: string, turn: number | undefined): KeptSession {
  const { start, model, reasoning } = restoreKept(readEntries(desk.conversations, session, turn), session);
  return { session, forkedAfter: turn, start, model, reasoning };
}

/** The last; of a session that is at work, the last that has ended. */
function turnToForkAt(desk: JournalDesk, session: string): number {
  const entries = readEntries(desk.conversations, session);
  const { turns, isTurnOpen } = restoreKept(entries, session);
  const turn = isTurnOpen && desk.isOpen(session) ? lastEndedTurn(entries) : turns;
  if (turn > 0) return turn;
  throw new ToolError("unavailable", `No turn of the session ${session} has ended yet`, {
    hint: "Wait for its first answer, or begin a new one: toolcrib run",
  });
}

type Room = Pick<Toolcrib, "conversations" | "findCall" | "session">;

/**
 * What was said before in a session whose room is open now; for a fork, it is copied to the room's session first. A call without
 * an answer gets one that tells what is on record of it, and that is written down: whoever goes on once more finds the same.
 */
export function restoreSession(room: Room, { session, forkedAfter }: KeptSession): ResumedConversation {
  const { conversations } = room;
  const entries = [...readEntries(conversations, session, forkedAfter)];
  const { start, unanswered } = restoreKept(entries, session);
  const answers = unanswered.map((lost): SessionEntry => {
    const { callId } = lost;
    const record = callId === null ? undefined : room.findCall(callId);
    return { kind: "answer", answer: answerLostCall(lost, record), callId };
  });
  if (forkedAfter !== undefined) {
    entries[0] = { ...start, parent: { session, turn: forkedAfter } };
    conversations.append(room.session, [...entries, ...answers]);
  } else if (answers.length > 0) conversations.append(session, answers);
  return restoreKept([...entries, ...answers], session);
}
