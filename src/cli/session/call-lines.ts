import type { AgentEvent } from "../../agent/event.ts";
import { textForUser } from "../../contract/error.ts";
import { isRecord } from "../../lib/json/is-record.ts";
import { callTitle } from "../../lib/text/call-title.ts";
import { commandsOnTarget } from "../../lib/text/commands-on-target.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { printableLine } from "../../lib/text/printable.ts";
import type { TokenUsage } from "../../models/model.ts";
import type { CallFailure } from "../../toolcrib/index.ts";
import { colourDiffLine, quoteText } from "../approvals/show-request.ts";

type ToolStart = Extract<AgentEvent, { type: "tool-start" }>;
type ToolEnd = Extract<AgentEvent, { type: "tool-end" }>;

/** Formats the start of a call: `edit.replace src/a.ts`. */
export function callStartLine(
  { canonical, input }: Pick<ToolStart, "canonical" | "input">,
  workspace: string,
): string {
  const title = callTitle(input, workspace);
  return title === "" ? printableLine(canonical) : `${printableLine(canonical)} ${title}`;
}

/** Formats the end of a call: `+3 −1`, `exit code 2`, `12 matches`; "" when there is nothing to add. */
export function callEndLine({
  error,
  isError,
  data,
  shown,
}: Pick<ToolEnd, "error" | "isError" | "data" | "shown">): string {
  if (error !== null) return printableLine(formatError(error));
  const outcome = isRecord(data) ? outcomeOf(data) : "";
  return outcome === "" && isError ? printableLine(`failed: ${firstLine(shown)}`) : outcome;
}

/** Returns the changes of a call as unified diffs; "" when its data has none. */
export function diffOf(data: unknown): string {
  return filesIn(data)
    .map(({ diff }) => (typeof diff === "string" ? diff : ""))
    .join("");
}

function outcomeOf(data: Readonly<Record<string, unknown>>): string {
  const files = filesIn(data);
  const diff = diffOf(data);
  if (diff !== "") return countLines(diff);
  if (typeof data.exitCode === "number") return data.exitCode === 0 ? "" : `exit code ${data.exitCode}`;
  if (typeof data.signal === "string") return `ended by ${data.signal}`;
  if (Array.isArray(data.matches)) return countMatches(data, data.matches.length);
  if (typeof data.created === "boolean" && typeof data.bytes === "number")
    return `${data.created ? "created" : data.changed === false ? "unchanged" : "replaced"}, ${counted(data.bytes, "byte")}`;
  if (typeof data.total === "number" && Array.isArray(data.files)) return counted(data.total, "file");
  if (Array.isArray(data.results)) return counted(data.results.length, "result");
  if (Array.isArray(data.commits)) return counted(data.commits.length, "commit");
  const lines = files.map((file) => file.lines).filter((count) => typeof count === "number");
  return lines.length > 0
    ? counted(
        lines.reduce((sum, count) => sum + count, 0),
        "line",
      )
    : "";
}

/** Counts what a search found. Only its mode "content" returns the matches themselves. */
function countMatches(data: Readonly<Record<string, unknown>>, matches: number): string {
  const files = filesIn(data);
  const more = data.limited === true ? "at least " : "";
  if (data.mode === "files") return more + counted(files.length, "file");
  if (data.mode !== "count") return more + counted(matches, "match", "matches");
  const total = files.reduce((sum, { count }) => sum + (typeof count === "number" ? count : 0), 0);
  return `${more}${counted(total, "match", "matches")} in ${counted(files.length, "file")}`;
}

function filesIn(data: unknown): readonly Readonly<Record<string, unknown>>[] {
  return isRecord(data) && Array.isArray(data.files) ? data.files.filter(isRecord) : [];
}

/** Counts added and removed lines by the hunk headers, because a line of a file may look like a header. */
function countLines(diff: string): string {
  let added = 0;
  let removed = 0;
  for (const [, before = "1", after = "1", body = ""] of diff.matchAll(hunks)) {
    let [old, fresh] = [Number(before), Number(after)];
    for (const line of body.split("\n")) {
      if (old <= 0 && fresh <= 0) break;
      if (line.startsWith("+")) added += 1;
      else if (line.startsWith("-")) removed += 1;
      if (!line.startsWith("+")) old -= 1;
      if (!line.startsWith("-")) fresh -= 1;
    }
  }
  return `+${added} −${removed}`;
}

const hunks = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@.*\n((?:[ +\\-].*\n?)*)/gm;

function formatError(error: CallFailure): string {
  const { code } = error;
  const first = firstLine(textForUser(error).message);
  if (code === "cancelled") return "cancelled";
  if (code === "needs-approval") return `not approved: ${first.replace(/^This call needs approval: /, "")}`;
  return code === "denied" ? first : `failed: ${first}`;
}

function firstLine(text: string): string {
  return text.trimStart().split("\n", 1)[0] ?? "";
}

/** Returns a diff, coloured, quoted and shortened. */
export function showDiff(
  diff: string,
  options: {
    readonly columns: number;
    readonly callId: string | null;
    readonly whole: boolean;
    readonly target?: string | undefined;
  },
): string {
  const { columns, callId, whole, target } = options;
  const lines = quoteText(diff.slice(0, maxChars), columns);
  const shown = whole ? lines : lines.slice(0, maxLines);
  const hidden = lines.length - shown.length;
  const isCut = hidden > 0 || diff.length > maxChars;
  const more = hidden > 0 ? counted(hidden, "more line") : "more";
  const where = callId === null ? "" : commandsOnTarget(`: toolcrib diff ${callId}`, target);
  return [...shown.map(colourDiffLine), ...(isCut ? [`  … ${more}${where}`] : [])].join("\n");
}

const maxLines = 24;
const maxChars = 64 * 1024;

/** Formats a number in groups of three digits: `12 400`. */
export function grouped(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(?:\d{3})+$)/g, " ");
}

/** Formats a duration: `0.4 s`, `21 s`, `2 min 5 s`. */
export function formatTime(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  if (seconds < 9.95) return `${Math.max(0.1, seconds).toFixed(1)} s`;
  const whole = Math.round(seconds);
  return whole < 120 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** Formats a cost: `$0.04`, with more digits for small amounts. */
export function formatCost(dollars: number): string {
  return `$${dollars === 0 || dollars >= 0.095 ? dollars.toFixed(2) : Number(dollars.toPrecision(2))}`;
}

/** Formats usage: `12 400 tokens read (9 000 cached), 800 written, $0.04, 6 calls, 21 s`. */
export function formatUsage({
  usage,
  cost,
  calls,
  milliseconds,
}: {
  readonly usage: TokenUsage;
  readonly cost: number | null;
  readonly calls?: number | undefined;
  readonly milliseconds?: number | undefined;
}): string {
  const cached = usage.cached > 0 ? ` (${grouped(usage.cached)} cached)` : "";
  return [
    `${grouped(usage.input)} tokens read${cached}`,
    `${grouped(usage.output)} written`,
    ...(cost === null ? [] : [formatCost(cost)]),
    ...(calls === undefined ? [] : [counted(calls, "call")]),
    ...(milliseconds === undefined ? [] : [formatTime(milliseconds)]),
  ].join(", ");
}
