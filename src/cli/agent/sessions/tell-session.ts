import { type SessionSummary, summariseSession } from "../../../agent/records/summarise-session.ts";
import type { WorkspaceJournal } from "../../../toolcrib/workspace-journal.ts";

/** A session as a person looks at it. */
export interface ToldSession extends Omit<SessionSummary, "isTurnOpen"> {
  /** "interrupted": its process is gone, and its last turn has not ended. */
  readonly state: "open" | "ended" | "interrupted";
  /** The number of the process that has it open. */
  readonly pid: number | null;
}

/** Newest first. */
export function tellSessions(desk: WorkspaceJournal, limit: number): readonly ToldSession[] {
  const open = new Map(
    desk.sessions().flatMap(({ session, state, pid }) => (state === "open" ? [[session, pid]] : [])),
  );
  return desk.conversations
    .list()
    .slice(0, limit)
    .map((info) => {
      const { isTurnOpen, ...summary } = summariseSession(desk.conversations, info);
      const state = open.has(info.session) ? "open" : isTurnOpen ? "interrupted" : "ended";
      return { ...summary, state, pid: open.get(info.session) ?? null };
    });
}

export function tellState({ state, pid }: ToldSession): string {
  return state === "open" ? `open in process ${pid}` : state;
}
