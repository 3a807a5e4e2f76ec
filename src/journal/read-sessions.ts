import { isGone } from "../environment/local/changes/process-owner.ts";
import { parseBody } from "./read-calls.ts";
import type { SessionRecord } from "./record.ts";
import { type Records, type Row, sessionAbandonedMs } from "./records.ts";

/** The sessions that wrote something, oldest first. */
export function readSessions(records: Records): readonly SessionRecord[] {
  const closed = new Set([...ofKind(records, "closed")].map(({ session }) => session));
  return [...ofKind(records, "opened")].map((row) => ({
    session: row.session,
    openedAt: row.at,
    state: closed.has(row.session) ? "closed" : isAlive(row) ? "open" : "died",
  }));
}

function ofKind(records: Records, kind: string): Generator<Row> {
  return records.where("call = '' AND kind = ?", [kind]);
}

function isAlive(row: Row): boolean {
  const { owner = "" } = parseBody(row) ?? {};
  return !isGone(String(owner), Date.now() - row.at, sessionAbandonedMs);
}
