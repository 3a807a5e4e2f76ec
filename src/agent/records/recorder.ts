import type { Conversations } from "../../contract/conversations.ts";
import type { Recorder } from "../session-parts.ts";
import type { SessionEntry } from "./session-entry.ts";

/**
 * Records a session in the journal. A failed write is retried with the next one, so that no entry is missing. Calls
 * `warn` once per series of failed writes, and when earlier entries are lost.
 */
export function openRecorder(
  conversations: Conversations,
  session: string,
  warn: (message: string) => void,
): Recorder {
  let waiting: SessionEntry[] = [];
  let lastNumber: number | undefined;
  let isFailing = false;
  return {
    add: (...entries) => {
      waiting.push(...entries);
      if (isSilent(waiting)) return;
      try {
        const last = conversations.append(session, waiting);
        if (lastNumber !== undefined && last !== lastNumber + waiting.length) warn(lost);
        lastNumber = last;
        waiting = [];
        isFailing = false;
      } catch (error) {
        if (!isFailing) warn(`The session cannot be saved right now: ${(error as Error).message}`);
        isFailing = true;
      }
    },
  };
}

/** A session without any input is not recorded. */
function isSilent(entries: readonly SessionEntry[]): boolean {
  return entries[0]?.kind === "start" && !entries.some(({ kind }) => kind === "user");
}

const lost = "The journal was replaced: this session continues, but it cannot be resumed later.";
