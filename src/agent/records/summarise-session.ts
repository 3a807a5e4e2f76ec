import type { ConversationEntry, ConversationInfo, Conversations } from "../../contract/conversations.ts";
import { tryReadEntry } from "./read-entries.ts";
import type { SessionEntry } from "./session-entry.ts";

export interface SessionSummary {
  readonly session: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly lastAt: number;
  /** Null when the beginning cannot be read. */
  readonly model: string | null;
  readonly turns: number;
  readonly task: string;
  readonly isTurnOpen: boolean;
  readonly parent: { readonly session: string; readonly turn: number } | null;
  readonly entries: number;
  readonly bytes: number;
}

/** Summarises a session from its beginning and its end only. Skips unreadable entries. */
export function summariseSession(conversations: Conversations, info: ConversationInfo): SessionSummary {
  const { session, startedAt, lastAt, entries, bytes } = info;
  const read = (kept: readonly ConversationEntry[]) =>
    kept.flatMap((one) => tryReadEntry(one, session) ?? []);
  const beginning = read(conversations.entries(session, { to: beginningCount }));
  const start = beginning.find((entry) => entry.kind === "start");
  const task = beginning.find((entry) => entry.kind === "user");
  let last: SessionEntry | undefined;
  for (let to = entries, count = 1; to > 0 && last === undefined; to -= count, count *= 4) {
    const from = Math.max(1, to - count + 1);
    last = read(conversations.entries(session, { from, to })).findLast(
      ({ kind }) => kind === "user" || kind === "turn-end",
    );
  }
  return {
    session,
    startedAt,
    lastAt,
    model: start?.model ?? null,
    turns: last?.kind === "turn-end" ? last.result.turn : last?.kind === "user" ? last.turn : 0,
    task: task?.message.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join(" ") ?? "",
    isTurnOpen: last?.kind === "user",
    parent: start?.parent ?? null,
    entries,
    bytes,
  };
}

const beginningCount = 4;
