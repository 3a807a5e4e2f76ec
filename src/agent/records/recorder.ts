import type { Recorder } from "../session-parts.ts";
import type { SessionStore } from "../session-store.ts";
import type { SessionEntry } from "./session-entry.ts";

/**
 * Records a session in its store. Writes are made in order, one at a time, and at once where the store is synchronous.
 * A failed write is retried with the next one, so that no entry is missing. Calls `warn` once per series of failed
 * writes, and when earlier entries are lost.
 */
export function openRecorder(
  store: SessionStore,
  session: string,
  warn: (message: string) => void,
): Recorder {
  let waiting: readonly SessionEntry[] = [];
  let lastNumber: number | undefined;
  let isFailing = false;
  let writing: Promise<void> | undefined;
  let isStopped = false;

  const stored = (count: number, last: number) => {
    if (lastNumber !== undefined && last !== lastNumber + count) warn(lost);
    lastNumber = last;
    waiting = waiting.slice(count);
    isFailing = false;
  };
  const failed = (error: unknown) => {
    const { message } = error instanceof Error ? error : { message: String(error) };
    if (!isFailing) warn(`The session cannot be saved right now: ${message}`);
    isFailing = true;
  };
  const write = () => {
    if (writing !== undefined || waiting.length === 0 || isSilent(waiting)) return;
    const { length } = waiting;
    try {
      const last = store.append(session, waiting);
      if (typeof last === "number") return stored(length, last);
      writing = last
        .then((number) => stored(length, number))
        .catch(failed)
        .then(() => {
          writing = undefined;
          if (!isFailing) write();
        });
    } catch (error) {
      failed(error);
    }
  };
  return {
    add: (...entries) => {
      if (isStopped) return;
      waiting = [...waiting, ...entries];
      write();
    },
    flush: async () => {
      write();
      while (writing !== undefined) await writing;
    },
    stop: () => {
      isStopped = true;
    },
  };
}

/** A session without any input is not recorded. */
function isSilent(entries: readonly SessionEntry[]): boolean {
  return entries[0]?.kind === "start" && !entries.some(({ kind }) => kind === "user");
}

const lost =
  "The stored session was replaced or changed elsewhere: this session continues, but it cannot be resumed later.";
