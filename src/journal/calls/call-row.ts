import { posix } from "node:path";
import { isRecord } from "../../lib/json/is-record.ts";
import { callTitle } from "../../lib/text/call-title.ts";
import { liesIn } from "../entry-states.ts";
import { toCall, toChanges } from "../read-calls.ts";
import type { Openings } from "../read-sessions.ts";
import { type CallRecord, type CallSummary, folderOf, type RecordedChange, targetOf } from "../record.ts";
import type { Redact, Row } from "../records.ts";

/** The values of a row of `CallIndex`, in the order of `rowColumns`. */
export type CallRow = readonly (string | number | null)[];

export const rowColumns = [
  ...["sequence", "call", "session", "tool", "title", "parent", "kind", "name", "version", "target", "at"],
  ...["latest", "duration", "outcome", "message", "verdict", "created", "changed", "removed", "changing"],
  ...["paths", "text"],
] as const;

/** Returns the row of a call from its records, which may have been altered; undefined without a beginning. */
export function toCallRow(
  rows: readonly Row[],
  openings: Openings,
  redact: Redact = (text) => text,
): CallRow | undefined {
  const changes = rows.flatMap(toChanges);
  const call = toCall(rows, changes);
  if (call === undefined) return undefined;
  const { client, workspace } = openings.before(call);
  const folder = folderOf(workspace ?? "/");
  const [tool, message] = [String(call.tool), textOrNull(call.message)];
  const title = callTitle(call.input, folder).slice(0, maxTitle);
  const { created, changed, removed } = call.files;
  return [
    ...[call.sequence, call.callId, call.session, tool, title, textOrNull(call.parent)],
    ...[
      client?.kind ?? null,
      client?.name ?? null,
      client?.version ?? null,
      targetOf(workspace),
      call.startedAt,
    ],
    rows.at(-1)!.sequence,
    typeof call.durationMs === "number" ? call.durationMs : null,
    ...[textOrNull(call.outcome), message === null ? null : firstLine(message)],
    textOrNull(call.decision?.verdict),
    ...[created, changed, removed, changes.length > 0 ? 1 : 0],
    pathsOf(call, changes, folder, redact),
    searchText([tool, title, message ?? ""], call.input),
  ];
}

const maxTitle = 200;

/** Returns the summary of a call from its records; undefined without a beginning. */
export function summarize(rows: readonly Row[], openings: Openings): CallSummary | undefined {
  const row = toCallRow(rows, openings);
  return row && toSummary(Object.fromEntries(rowColumns.map((column, at) => [column, row[at]])));
}

/** Returns the summary in a row. */
export function toSummary(row: Readonly<Record<string, unknown>>): CallSummary {
  const { kind, name, version } = row as Record<string, string | null>;
  const client = kind === null ? null : { kind, name: name || undefined, version: version || undefined };
  const { created, changed, removed } = row;
  return {
    callId: row.call,
    sequence: row.sequence,
    session: row.session,
    tool: row.tool,
    title: row.title,
    parent: row.parent,
    client,
    target: row.target,
    startedAt: row.at,
    durationMs: row.duration,
    outcome: row.outcome,
    message: row.message,
    verdict: row.verdict,
    files: { created, changed, removed },
    isChanging: row.changing === 1,
  } as CallSummary;
}

/** Returns a path as the table has it: relative to the workspace if it is inside, "" for the workspace itself. */
export function storedPath(path: string, workspace: string): string {
  // Most recorded paths are normal ones in the workspace, and there are millions of them.
  if (path.startsWith(`${workspace}/`) && !abnormal.test(path)) return path.slice(workspace.length + 1);
  const whole = posix.resolve(workspace, path);
  return liesIn(whole, [workspace]) || workspace === "/" ? posix.relative(workspace, whole) : whole;
}

const abnormal = /\/(?:\.{0,2}\/|\.{0,2}$)/;

/** Returns the paths that a call touched, each between line ends, so that a search finds whole names. */
function pathsOf(
  call: CallRecord,
  changes: readonly RecordedChange[],
  workspace: string,
  redact: Redact,
): string {
  const accesses: readonly unknown[] = Array.isArray(call.accesses) ? call.accesses : [];
  const named = accesses.flatMap((access) =>
    isRecord(access) && typeof access.path === "string" ? [storedPath(access.path, workspace)] : [],
  );
  const paths = new Set([...named, ...changes.map(({ path }) => path)]);
  let text = "\n";
  for (const path of paths) if (text.length < maxPaths) text += `${redact(path, "path")}\n`;
  return text;
}

/** A call that changes thousands of files must not make every search slow. */
const maxPaths = 16_384;

/** Returns the texts and then the values of the input, in lower case, as far as they are searched. */
function searchText(texts: readonly string[], input: unknown): string {
  let text = texts.join("\n");
  const add = (value: unknown, depth: number): void => {
    if (text.length >= maxText) return;
    if (typeof value === "string" || typeof value === "number") {
      // Titles usually repeat a value.
      if (value !== texts[1]) text += `\n${value}`;
    } else if (typeof value === "object" && value !== null && depth < maxDepth)
      for (const part of Object.values(value)) add(part, depth + 1);
  };
  add(input, 0);
  return text.slice(0, maxText).toLowerCase().replaceAll("\0", " ");
}

const maxText = 600;
const maxDepth = 6;

function firstLine(text: string): string {
  return text.trimStart().split("\n", 1)[0]!.slice(0, maxTitle);
}

function textOrNull(value: unknown): string | null {
  return value === null || value === undefined ? null : String(value);
}
