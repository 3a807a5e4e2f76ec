import type { Change, EntryState } from "../contract/history.ts";
import { isRecord } from "../lib/json/is-record.ts";
import { tryParseJson } from "../lib/json/try-parse-json.ts";
import type { CallFilter, CallRecord, FileCounts, RecordedChange } from "./record.ts";
import type { Records, Row } from "./records.ts";

/** Returns the matching calls, newest first. */
export function readCalls(records: Records, filter: CallFilter): readonly CallRecord[] {
  const { condition, values } = toCondition(filter);
  const calls: CallRecord[] = [];
  for (const { call } of records.where(condition, values, { order: "DESC" })) {
    if (calls.length === filter.limit) break;
    const record = toCall(records.ofCall(call));
    if (record !== undefined) calls.push(record);
  }
  return calls;
}

/** Returns the calls that a script made, in order. All of them began before the script ended. */
export function readInnerCalls(records: Records, script: string): readonly CallRecord[] {
  const rows = records.ofCall(script);
  const [begin] = rows;
  if (begin === undefined) return [];
  const end = rows.find(({ kind }) => kind === "end")?.sequence ?? Number.MAX_SAFE_INTEGER;
  const condition = "kind IN ('begin', 'call') AND session = ? AND sequence > ? AND sequence < ?";
  return [...records.where(condition, [begin.session, begin.sequence, end])]
    .filter((row) => parseBody(row)?.["parent"] === script)
    .flatMap(({ call }) => toCall(records.ofCall(call)) ?? []);
}

/** Builds one call from its records, oldest first; undefined without a beginning. */
export function toCall(
  rows: readonly Row[],
  changes: readonly Change[] = rows.flatMap(toChanges),
): CallRecord | undefined {
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
    files: countFiles(changes),
  };
}

const unknown = {
  tool: "(unreadable)",
  input: null,
  parent: null,
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
  const changes = tryParseJson(row.body);
  // An altered record may contain anything.
  if (!Array.isArray(changes) || !changes.every(isChange)) return [];
  return changes.map((change) => ({ ...change, callId: row.call, sequence: row.sequence }));
}

function isChange(value: unknown): value is Change {
  const { path, before, after } = (value ?? {}) as Partial<Change>;
  return typeof path === "string" && isRecord(before) && isRecord(after);
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
