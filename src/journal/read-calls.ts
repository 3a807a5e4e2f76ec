import { ToolError } from "../contract/error.ts";
import type { Change, EntryState } from "../contract/history.ts";
import { tryParseJson } from "../lib/json/try-parse-json.ts";
import { ownerHasEnded } from "../system/process-identity.ts";
import type { CallFilter, CallRecord, FileCounts, RecordedChange, SessionRecord } from "./record.ts";
import { type Records, type Row, sessionAbandonedMs } from "./records.ts";

/** Returns the matching calls, newest first. */
export function readCalls(records: Records, filter: CallFilter): readonly CallRecord[] {
  const { condition, values } = toCondition(filter);
  const calls: CallRecord[] = [];
  for (const { call } of records.where(condition, values, "DESC")) {
    if (calls.length === filter.limit) break;
    const record = toCall(records.ofCall(call));
    if (record !== undefined && fits(record, filter)) calls.push(record);
  }
  return calls;
}

/** Builds one call from its records, oldest first; undefined without a beginning. */
export function toCall(rows: readonly Row[]): CallRecord | undefined {
  const first = rows.find(({ kind }) => kind === "begin" || kind === "call");
  if (first === undefined) return undefined;
  const end = rows.find(({ kind }) => kind === "end");
  return {
    ...unknown,
    ...parseBody(first),
    ...(end === undefined ? {} : parseBody(end)),
    callId: first.call,
    sequence: first.sequence,
    session: first.session,
    startedAt: first.at,
    files: countFiles(rows.flatMap(toChanges)),
  };
}

const unknown = {
  tool: "(unreadable)",
  input: null,
  durationMs: null,
  outcome: null,
  message: null,
  outputHandle: null,
  decision: null,
  accesses: [],
  sandbox: null,
  notCovered: [],
};

/** Returns the changes in one record; none for any other kind of record. */
export function toChanges(row: Row): readonly RecordedChange[] {
  if (row.kind !== "change") return [];
  const changes = parseBody(row) as unknown as readonly Change[] | undefined;
  return (changes ?? []).map((change) => ({ ...change, callId: row.call, sequence: row.sequence }));
}

/** Returns undefined for an altered record, so that it does not hide all others. */
export function parseBody({ body }: Row): Readonly<Record<string, unknown>> | undefined {
  return tryParseJson(body) as Readonly<Record<string, unknown>> | undefined;
}

/** Compares the first and last state of each file, so a file that was created and removed again does not count. */
function countFiles(changes: readonly Change[]): FileCounts {
  const ends = new Map<string, { readonly before: EntryState; after: EntryState }>();
  for (const { path, before, after } of changes) {
    const known = ends.get(path);
    if (known === undefined) ends.set(path, { before, after });
    else known.after = after;
  }
  const counts = { created: 0, changed: 0, removed: 0 };
  for (const { before, after } of ends.values()) {
    const [was, is] = [isFile(before), isFile(after)];
    if (was && is) counts.changed += 1;
    else if (is) counts.created += 1;
    else if (was) counts.removed += 1;
  }
  return counts;
}

/** Returns whether an entry counts. Folders do not, because they are created and removed with their files. */
function isFile({ kind }: EntryState): boolean {
  return kind === "file" || kind === "link";
}

function toCondition(filter: CallFilter): { condition: string; values: (string | number)[] } {
  const parts: readonly (readonly [string, string | number | undefined])[] = [
    ["session = ?", filter.session],
    ["at >= ?", filter.since],
    ["sequence > ?", filter.after],
    ["sequence <= ?", filter.upTo],
  ];
  const given = parts.filter((part) => part[1] !== undefined) as [string, string | number][];
  const changing = filter.changing ? [hasChanges] : [];
  return {
    condition: ["kind IN ('begin', 'call')", ...changing, ...given.map(([text]) => text)].join(" AND "),
    values: given.map(([, value]) => value),
  };
}

const hasChanges =
  "EXISTS (SELECT 1 FROM records AS change WHERE change.call = records.call AND change.kind = 'change')";

function fits(record: CallRecord, { tool, failed }: CallFilter): boolean {
  const hasFailed = record.outcome !== "ok" || record.message !== null;
  return (tool === undefined || record.tool === tool) && (!failed || hasFailed);
}

/** Returns the recorded sessions, oldest first. Several processes may have opened a session one after the other. */
export function readSessions(records: Records): readonly SessionRecord[] {
  return fold(records.where("call = '' AND kind IN ('opened', 'closed')", []));
}

/** Throws `unavailable` when a session is open in a running process. */
export function refuseOpen(records: Records, session: string): void {
  const condition = "call = '' AND kind IN ('opened', 'closed') AND session = ?";
  const [found] = fold(records.where(condition, [session]));
  if (found?.state === "open") throw sessionInUse(session, found.pid);
}

export function sessionInUse(session: string, pid: number | undefined): ToolError {
  return new ToolError("unavailable", `The session ${session} is open in process ${pid}`, {
    hint: `Close it there first, or continue in a copy: toolcrib sessions fork ${session}`,
  });
}

interface Found {
  readonly openedAt: number;
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
      sessions.set(session, { openedAt, owners: owners.set(lastOwner, at), lastOwner });
    }
  }
  return [...sessions].map(([session, found]) => ({ session, openedAt: found.openedAt, ...stateOf(found) }));
}

function stateOf({ owners, lastOwner }: Found): Pick<SessionRecord, "state" | "pid"> {
  const now = Date.now();
  const living = [...owners].find(([owner, at]) => !ownerHasEnded(owner, now - at, sessionAbandonedMs));
  if (living === undefined) return { state: owners.has(lastOwner) ? "died" : "closed" };
  return { state: "open", pid: Number.parseInt(living[0], 10) };
}

function ownerIn(row: Row): string | undefined {
  const { owner } = parseBody(row) ?? {};
  return typeof owner === "string" ? owner : undefined;
}
