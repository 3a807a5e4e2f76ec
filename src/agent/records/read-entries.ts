import type { Conversations } from "../../contract/conversations.ts";
import { reworded, ToolError } from "../../contract/error.ts";
import { printableLine } from "../../lib/printable.ts";
import type { SessionEntry } from "../session-entry.ts";
import { entriesUpTo, lastEndedTurn } from "./entries-up-to.ts";
import { readEntry } from "./read-entry.ts";
import { type Restored, restore } from "./restore.ts";

/**
 * The entries of a session, or those up to the end of one of its turns: then nothing after that is looked at. Throws `not-found`,
 * and `unavailable` for what is damaged or of a newer Toolcrib.
 */
export function readEntries(
  conversations: Conversations,
  session: string,
  turn?: number,
): readonly SessionEntry[] {
  const entries: SessionEntry[] = [];
  for (const kept of conversations.entries(session)) {
    try {
      entries.push(readEntry(kept, session));
    } catch (error) {
      const ended = lastEndedTurn(entries);
      if (turn !== undefined && ended >= turn) break;
      throw ended === 0 ? error : reworded(error as ToolError, { hint: forkAfter(session, ended) });
    }
    const entry = entries.at(-1);
    if (turn !== undefined && entry?.kind === "user" && entry.turn > turn) break;
  }
  if (entries.length === 0) throw unknownSession(session);
  const meant = turn === undefined ? entries : entriesUpTo(entries, turn);
  if (meant !== undefined) return meant;
  const { turns } = restoreKept(entries, session);
  throw new ToolError("not-found", `The session ${session} has no turn ${turn}`, {
    hint: turns === 0 ? "Nothing was asked in it yet." : `It has ${turns}: --turn 1 to ${turns}.`,
  });
}

function forkAfter(session: string, turn: number): string {
  return `Begin a new one with what was said before: toolcrib sessions fork ${session} --turn ${turn}`;
}

/** Throws `unavailable` where the beginning is not kept any more. */
export function restoreKept(entries: readonly SessionEntry[], session: string): Restored {
  const restored = restore(entries);
  if (restored !== undefined) return restored;
  throw new ToolError("unavailable", `The beginning of the session ${session} is not kept any more`, {
    hint: `Its journal was replaced in the middle. See what is left: toolcrib sessions show ${session}`,
  });
}

function unknownSession(session: string): ToolError {
  return new ToolError("not-found", `Nothing is kept here of a session ${printableLine(session)}`, {
    hint: "See which there are: toolcrib sessions list. Each belongs to the workspace that it was held in.",
  });
}
