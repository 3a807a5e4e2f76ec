import type { SessionEntry } from "../session-entry.ts";

/**
 * The entries up to the end of a turn, those after it left out; all of them for the last turn. Undefined when there is no such
 * turn. Pure.
 */
export function entriesUpTo(
  entries: readonly SessionEntry[],
  turn: number,
): readonly SessionEntry[] | undefined {
  const begins = (number: number) =>
    entries.findIndex((entry) => entry.kind === "user" && entry.turn >= number);
  if (begins(turn) < 0 || !Number.isInteger(turn) || turn < 1) return undefined;
  const next = begins(turn + 1);
  if (next < 0) return entries;
  const end = entries.findIndex((entry) => entry.kind === "turn-end" && entry.result.turn === turn);
  return entries.slice(0, end >= 0 && end < next ? end + 1 : next);
}

/** The last turn that has ended; 0 when none has. */
export function lastEndedTurn(entries: readonly SessionEntry[]): number {
  const last = entries.findLast((entry) => entry.kind === "turn-end");
  return last?.result.turn ?? 0;
}
