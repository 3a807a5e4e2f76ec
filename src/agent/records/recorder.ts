import type { Conversations } from "../../contract/conversations.ts";
import type { Recorder } from "../session-parts.ts";
import type { SessionEntry } from "./session-entry.ts";

export interface RecorderOptions {
  readonly conversations: Conversations;
  readonly session: string;
  /** Called once per series of failed writes, and when earlier entries are lost. */
  readonly warn: (message: string) => void;
}

/** Records a session in the journal. A failed write is retried with the next one, so that no entry is missing. */
export function openRecorder({ conversations, session, warn }: RecorderOptions): Recorder {
  let waiting: SessionEntry[] = [];
  let kept: number | undefined;
  let isFailing = false;
  return {
    add: (...entries) => {
      waiting.push(...entries);
      if (isSilent(waiting)) return;
      try {
        const last = conversations.append(session, waiting);
        if (kept !== undefined && last !== kept + waiting.length) warn(lost);
        kept = last;
        waiting = [];
        isFailing = false;
      } catch (error) {
        if (!isFailing)
          warn(`What is said in this session is not kept just now: ${(error as Error).message}`);
        isFailing = true;
      }
    },
  };
}

/** A session without any input is not recorded. */
function isSilent(entries: readonly SessionEntry[]): boolean {
  return entries[0]?.kind === "start" && !entries.some(({ kind }) => kind === "user");
}

const lost =
  "What was said in this session so far is no longer kept, since its journal was replaced: it goes on, but cannot be resumed later.";
