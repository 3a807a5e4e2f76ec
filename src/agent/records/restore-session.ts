import type { Toolcrib } from "../../toolcrib/index.ts";
import type { Past } from "../parts.ts";
import type { SessionEntry } from "../session-entry.ts";
import { answerLostCall } from "./answer-lost-call.ts";
import type { KeptSession } from "./find-kept.ts";
import { readEntries, restoreKept } from "./read-entries.ts";

type Room = Pick<Toolcrib, "conversations" | "findCall" | "session">;

/**
 * What was said before in a session whose room is open now; for a fork, it is copied to the room's session first. A call without
 * an answer gets one that tells what is on record of it, and that is written down: whoever goes on once more finds the same.
 */
export function restoreSession(room: Room, { session, forkedAfter }: KeptSession): Past {
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
