import type { Conversations } from "../../contract/conversations.ts";
import type { Recorder } from "../session-parts.ts";
import type { SessionEntry } from "./session-entry.ts";

export interface RecorderOptions {
  readonly conversations: Conversations;
  readonly session: string;
  /** Is told when nothing can be written any more, once until it can again, and when what was written is gone. */
  readonly warn: (message: string) => void;
}

/** Writes a session down in the journal. What cannot be written waits, and goes with what comes next: there is never a hole. */
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

/** A session in which nobody has said anything yet is not worth keeping. */
function isSilent(entries: readonly SessionEntry[]): boolean {
  return entries[0]?.kind === "start" && !entries.some(({ kind }) => kind === "user");
}

const lost =
  "What was said in this session so far is no longer kept, since its journal was replaced: it goes on, but cannot be resumed later.";
