import { ToolError } from "../contract/error.ts";
import { isRecord } from "../lib/json/is-record.ts";
import { ownerHasEnded } from "../system/process-identity.ts";
import { parseBody } from "./read-calls.ts";
import type { CallRecord, ClientInfo, SessionOpening, SessionRecord } from "./record.ts";
import { type Records, type Row, sessionAbandonedMs } from "./records.ts";

/**
 * Returns the recorded sessions, oldest first, or one of them. Several processes may have opened a session one after the
 * other.
 */
export function readSessions(records: Records, session?: string): readonly SessionRecord[] {
  const condition = "call = '' AND kind IN ('opened', 'closed')";
  if (session === undefined) return fold(records.where(condition, []));
  return fold(records.where(`${condition} AND session = ?`, [session]));
}

/** Throws `unavailable` when a session is open in a running process. */
export function refuseOpen(records: Records, session: string): void {
  const [found] = readSessions(records, session);
  if (found?.state === "open") throw sessionInUse(session, found.pid);
}

export function sessionInUse(session: string, pid: number | undefined): ToolError {
  return new ToolError("unavailable", `The session ${session} is open in process ${pid}`, {
    hint: `Close it there first, or continue in a copy: toolcrib sessions fork ${session}`,
  });
}

/** Finds what a session had recorded about itself at a record. Remembers it for the other calls of the session. */
export class Openings {
  readonly #records: Records;
  readonly #known = new Map<string, { from: number; upTo: number; opening: SessionOpening }>();

  constructor(records: Records) {
    this.#records = records;
  }

  before({ session, sequence }: Pick<CallRecord, "session" | "sequence">): SessionOpening {
    const known = this.#known.get(session);
    if (known !== undefined && known.from < sequence && sequence <= known.upTo) return known.opening;
    const condition = "call = '' AND kind = 'opened' AND session = ? AND sequence < ?";
    const [row] = this.#records.where(condition, [session, sequence], { order: "DESC", limit: 1 });
    const opening = openingIn(row);
    this.#known.set(session, { from: row?.sequence ?? 0, upTo: sequence, opening });
    return opening;
  }
}

function openingIn(row: Row | undefined): SessionOpening {
  const { client, workspace } = (row && parseBody(row)) ?? {};
  return {
    client: isClient(client) ? client : null,
    workspace: typeof workspace === "string" ? workspace : null,
  };
}

function isClient(value: unknown): value is ClientInfo {
  return isRecord(value) && "kind" in value && Object.values(value).every((part) => typeof part === "string");
}

interface Found {
  readonly openedAt: number;
  readonly opening: SessionOpening;
  /** The processes that have the session open, and since when. */
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
      // Earlier versions did not record the process, and allowed only one.
      if (owner === undefined) found?.owners.clear();
      else found?.owners.delete(owner);
    } else {
      const { openedAt, owners } = found ?? { openedAt: at, owners: new Map<string, number>() };
      const lastOwner = owner ?? "";
      const opening = openingIn(row);
      sessions.set(session, { openedAt, opening, owners: owners.set(lastOwner, at), lastOwner });
    }
  }
  return [...sessions].map(([session, found]) => {
    const { openedAt, opening } = found;
    return { session, openedAt, ...opening, ...stateOf(found) };
  });
}

function stateOf({ owners, lastOwner }: Found): Pick<SessionRecord, "state" | "pid" | "owner"> {
  const now = Date.now();
  const living = [...owners].find(([owner, at]) => !ownerHasEnded(owner, now - at, sessionAbandonedMs));
  if (living === undefined) return { state: owners.has(lastOwner) ? "died" : "closed" };
  const [owner] = living;
  return { state: "open", pid: Number.parseInt(owner, 10), owner };
}

function ownerIn(row: Row): string | undefined {
  const { owner } = parseBody(row) ?? {};
  return typeof owner === "string" ? owner : undefined;
}
