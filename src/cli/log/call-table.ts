import { homedir } from "node:os";
import { callTitle } from "../../lib/text/call-title.ts";
import { printableLine } from "../../lib/text/printable.ts";
import { type ClientInfo, folderOf, type LoggedCall } from "../../toolcrib/workspace-journal.ts";
import { columnsOf, isTerminal, paint, shorten, toLocalTime } from "../terminal.ts";

interface Column {
  readonly title: string;
  readonly cell: (call: LoggedCall) => string;
  /** A shorter cell, which is tried before the column is left out. */
  readonly narrow?: (call: LoggedCall) => string;
  /** Longer cells are cut. */
  readonly maxChars?: number;
  /** In a narrow terminal, the column with the lowest number is left out first; one without a number never. */
  readonly leaveOut?: number;
  /** The width to expect of calls that are not known yet. */
  readonly usualChars: number;
}

const columns: readonly Column[] = [
  { title: "TIME", cell: ({ startedAt }) => shortTime(startedAt), usualChars: 8 },
  { title: "CALL", cell: ({ callId }) => callId, usualChars: 22 },
  {
    title: "CLIENT",
    cell: ({ client }) => describeClient(client),
    narrow: ({ client }) => cut(printableLine(client?.name ?? client?.kind ?? "?"), 11),
    ...{ maxChars: 20, leaveOut: 4, usualChars: 8 },
  },
  { title: "SESSION", cell: ({ session }) => shortSession(session), leaveOut: 2, usualChars: 9 },
  {
    title: "TOOL",
    cell: ({ tool, parent }) => `${parent === null ? "" : "└ "}${printableLine(tool)}`,
    maxChars: 28,
    usualChars: 12,
  },
  { title: "RESULT", cell: (call) => describeResult(call), usualChars: 6 },
  { title: "FILES", cell: (call) => countFiles(call), leaveOut: 3, usualChars: 8 },
  { title: "TOOK", cell: (call) => formatDuration(call), leaveOut: 1, usualChars: 6 },
];

/** Only for the calls of all workspaces. The column of the workspace names the target, too. */
const targetColumn: Column = {
  title: "TARGET",
  cell: ({ target }) => printableLine(target),
  ...{ maxChars: 20, leaveOut: 0, usualChars: 6 },
};

const workspaceColumn: Column = {
  title: "WORKSPACE",
  cell: ({ workspace }) => shortFolder(workspace),
  ...{ maxChars: 30, leaveOut: 5, usualChars: 16 },
};

/** Lays out calls as lines that fit the terminal. Columns keep their widths from one batch to the next. */
export class CallTable {
  readonly #all: readonly Column[];
  readonly #ofAll: boolean;
  #target: string | undefined;
  #shown: readonly Column[] | undefined;
  #widths: readonly number[] = [];

  constructor({ ofAll }: { readonly ofAll: boolean }) {
    this.#ofAll = ofAll;
    this.#all = ofAll ? columns.toSpliced(2, 0, workspaceColumn, targetColumn) : columns;
  }

  /** Returns the lines of these calls; before the first ones, a heading if it is for a terminal. */
  lay(calls: readonly LoggedCall[], { expectMore = false } = {}): string {
    const isFirst = this.#shown === undefined;
    const heading = isFirst && isTerminal(1);
    this.#shown ??= this.#choose(calls, { heading, expectMore });
    const shown = this.#shown;
    const titles = heading ? [shown.map(({ title }) => title)] : [];
    const rows = calls.map((call) => shown.map((column) => cellOf(column, call)));
    this.#widths = shown.map((_, at) =>
      Math.max(this.#widths[at] ?? 0, ...[...titles, ...rows].map((row) => row[at]!.length)),
    );
    const used = this.#widths.reduce((sum, width) => sum + width + gap.length, 0);
    const left = Math.max(0, columnsOf(1) - used);
    const line = (row: readonly string[], last: string) =>
      [...row.map((cell, at) => cell.padEnd(this.#widths[at]!)), last].join(gap);
    return [
      ...this.#targetAbove(calls),
      ...titles.map((row) => paint(1, "dim", cut(line(row, "INPUT"), columnsOf(1)))),
      ...calls.map((call, at) => cut(line(rows[at]!, describeInput(call, left)), columnsOf(1)).trimEnd()),
    ]
      .map((text) => `${text}\n`)
      .join("");
  }

  /** The calls of one workspace have one target, whose name is too long for a column. */
  #targetAbove(calls: readonly LoggedCall[]): readonly string[] {
    const [target = "local"] = calls.map((call) => call.target).filter((name) => name !== "local");
    if (this.#ofAll || target === "local" || target === this.#target) return [];
    this.#target = target;
    return [paint(1, "dim", `Target: ${printableLine(target)}`)];
  }

  /** Leaves out columns until the input has room. */
  #choose(
    calls: readonly LoggedCall[],
    { heading, expectMore }: { readonly heading: boolean; readonly expectMore: boolean },
  ): readonly Column[] {
    const isUsed = (column: Column) =>
      (expectMore && column.usualChars > 0) || calls.some((call) => cellOf(column, call) !== "");
    let chosen = this.#all.filter(isUsed);
    const widthOf = (column: Column) =>
      Math.max(
        heading ? column.title.length : 0,
        expectMore ? column.usualChars : 0,
        ...calls.map((call) => cellOf(column, call).length),
      );
    const leaving = chosen
      .filter(({ leaveOut }) => leaveOut !== undefined)
      .sort((one, other) => one.leaveOut! - other.leaveOut!);
    const fits = () =>
      chosen.reduce((sum, column) => sum + widthOf(column) + gap.length, minimumInput) <= columnsOf(1);
    for (const column of leaving) {
      const { narrow } = column;
      const narrowed = narrow && { ...column, cell: narrow };
      if (!fits() && narrowed) chosen = chosen.map((other) => (other === column ? narrowed : other));
      if (!fits()) chosen = chosen.filter((other) => other !== column && other !== narrowed);
    }
    if (expectMore) this.#widths = chosen.map(widthOf);
    return chosen;
  }
}

const gap = "  ";
const minimumInput = 12;

function cellOf({ cell, maxChars = Number.MAX_SAFE_INTEGER }: Column, call: LoggedCall): string {
  return cut(cell(call), maxChars);
}

/** Cuts a text to this many characters, including the "…". */
function cut(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : shorten(text, Math.max(0, maxChars - 1));
}

/** Describes the call, and the rule that did not allow it. The rule is shown whole where there is room for both. */
function describeInput(call: LoggedCall, maxChars: number): string {
  const decision = formatDecision(call);
  const input = callTitle(call.input, folderOf(call.workspace ?? "/"));
  const room = Math.max(Math.min(minimumInput, maxChars), maxChars - decision.length);
  return cut(`${cut(input, room)}${decision}`, maxChars);
}

/** `mcp claude-code 2.1`; "?" for calls that an earlier version recorded. */
export function describeClient(client: ClientInfo | null): string {
  if (client === null) return "?";
  const { kind, name, version } = client;
  return printableLine([kind, name, version].filter((part) => part !== undefined).join(" "));
}

/** The beginning of a session id, which `--session` takes. */
function shortSession(session: string): string {
  return printableLine(session.replace(/^session_(?=.)/, "").slice(0, 9));
}

/** 09:30:00 today, else 11-15 09:30, in the user's time zone. */
function shortTime(time: number): string {
  const [day = "", clock = ""] = toLocalTime(time).split(" ");
  return toLocalTime(Date.now()).startsWith(day) ? clock : `${day.slice(5)} ${clock.slice(0, 5)}`;
}

function shortFolder(workspace: string | null): string {
  if (workspace === null) return "?";
  const home = homedir();
  const shown = printableLine(
    workspace.startsWith(`${home}/`) ? `~${workspace.slice(home.length)}` : workspace,
  );
  return shown.length <= 30 ? shown : `…${shown.slice(-29)}`;
}

function describeResult({ state, heldBack }: LoggedCall): string {
  return heldBack.length === 0 ? state : `${state}, ${heldBack.length} held`;
}

/**
 * Formats the changes as `+1 ~2 -3`, with a note when undo restores only a part, or nothing any more. Changes are
 * recorded before they are made, so a failed call made at most these.
 */
function countFiles({ files, undoable, outcome }: LoggedCall): string {
  if (undoable === null) return "";
  const { created, changed, removed } = files;
  const marks = { whole: "", partly: " partly", gone: " gone" };
  const most = outcome === "ok" ? "" : " at most";
  return `+${created} ~${changed} -${removed}${most}${marks[undoable]}`;
}

export function formatDuration({ durationMs }: LoggedCall): string {
  return durationMs === null ? "" : `${Math.max(1, Math.round(durationMs))} ms`;
}

/** Formats the verdict and its rule. Returns "" when the call was allowed. */
function formatDecision({ decision }: LoggedCall): string {
  if (decision === null || decision.verdict === "allow") return "";
  const { verdict, answer, rule, source } = decision;
  const decided = verdict === "deny" ? "denied" : answer === undefined ? "asked" : `asked, ${answer}`;
  return `  [${decided}: ${printableLine(formatRule(rule, source))}]`;
}

/** Formats a rule and its source, unless the rule names the source itself: "mode cautious: destructive". */
export function formatRule(rule: string, source: string): string {
  return source === "" || rule.startsWith(source) ? rule : `${rule} (${source})`;
}
