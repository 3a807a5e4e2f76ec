import { ToolError } from "../contract/error.ts";
import { isGone } from "../system/process-identity.ts";
import { parseBody } from "./read-calls.ts";
import type { SessionRecord } from "./record.ts";
import { type Records, type Row, sessionAbandonedMs } from "./records.ts";

/** The sessions that wrote something, oldest first. One may have been opened many times, by one process after another. */
export function readSessions(records: Records): readonly SessionRecord[] {
  return fold(records.where("call = '' AND kind IN ('opened', 'closed')", []));
}

/** Throws `unavailable` where a session is open in a process that lives. */
export function refuseOpen(records: Records, session: string): void {
  const condition = "call = '' AND kind IN ('opened', 'closed') AND session = ?";
  const [found] = fold(records.where(condition, [session]));
  if (found?.state === "open") throw sessionInUse(session, found.pid);
}

export function sessionInUse(session: string, pid: number | undefined): ToolError {
  return new ToolError("unavailable", `The session ${session} is open in process ${pid}`, {
    hint: `End it there first, or begin a new one with what was said in it: toolcrib sessions fork ${session}`,
  });
}

interface Found {
  readonly openedAt: number;
  /** Who has opened it and not closed it, and when. */
  readonly owners: Map<string, number>;
  readonly lastOwner: string;
}

function fold(rows: Iterable<Row>): readonly SessionRecord[] {
  const sessions = new Map<string, Found>();
  for (const row of rows) {
    const { session, at, kind } = row;
    const owner = ownerIn(row);
    const found = sessions.get(session);
    if (kind === "closed") {
      // Earlier versions did not say who closed it: then there was only one.
      if (owner === undefined) found?.owners.clear();
      else found?.owners.delete(owner);
    } else {
      const { openedAt, owners } = found ?? { openedAt: at, owners: new Map<string, number>() };
      const lastOwner = owner ?? "";
      sessions.set(session, { openedAt, owners: owners.set(lastOwner, at), lastOwner });
    }
  }
  return [...sessions].map(([session, found]) => ({
    session,
    openedAt: found.openedAt,
    ...stateOf(found),
  }));
}

function stateOf({ owners, lastOwner }: Found): Pick<SessionRecord, "state" | "pid"> {
  const now = Date.now();
  const living = [...owners].find(([owner, at]) => !isGone(owner, now - at, sessionAbandonedMs));
  if (living === undefined) return { state: owners.has(lastOwner) ? "died" : "closed" };
  return { state: "open", pid: Number.parseInt(living[0], 10) };
}

function ownerIn(row: Row): string | undefined {
  const { owner } = parseBody(row) ?? {};
  return typeof owner === "string" ? owner : undefined;
}
