import type { Access } from "../../contract/access.ts";
import { ToolError } from "../../contract/error.ts";
import type { EntryState } from "../../contract/history.ts";
import { showSize } from "../../lib/text/format-quantity.ts";
import { printable, printableLine } from "../../lib/text/printable.ts";
import type { LoggedCall, RecordedChange, WorkspaceJournal } from "../../toolcrib/workspace-journal.ts";
import type { Arguments } from "../command.ts";
import { logCommand } from "../commands/log.ts";
import { refuseOperands } from "../parse-arguments.ts";
import { printJson } from "../report.ts";
import { layTable, print, toLocalTime } from "../terminal.ts";
import { formatDuration, formatRule, withJournal } from "./list-calls.ts";

/** `toolcrib log show <call>` */
export async function showCall(given: Arguments): Promise<number> {
  const [callId, ...rest] = given.operands;
  refuseOperands(rest, logCommand);
  if (callId === undefined)
    throw new ToolError("invalid-input", "A call id is missing", { hint: "Find it with: toolcrib log" });
  return withJournal(given, (journal) => {
    const call = journal.find(callId);
    if (call === undefined)
      throw new ToolError("not-found", `No call with the id ${callId} is recorded`, {
        hint: "List the calls: toolcrib log --limit 100",
      });
    const changes = journal.changesOf(callId);
    if (given.options.has("json")) printJson({ ...call, changes });
    else print(describe(call, changes, journal));
    return 0;
  });
}

function describe(call: LoggedCall, changes: readonly RecordedChange[], journal: WorkspaceJournal): string {
  const rows = [
    ["call", call.callId],
    ["tool", call.tool],
    ["session", call.session],
    ["time", toLocalTime(call.startedAt)],
    ["outcome", call.message === null ? call.state : `${call.state}: ${printableLine(call.message)}`],
    ["duration", formatDuration(call)],
    ...describeDecision(call),
    ["sandbox", call.sandbox ?? ""],
    ["output", call.outputHandle ?? ""],
    ["input", printable(JSON.stringify(call.input) ?? "")],
    ...call.accesses.map((access) => ["touches", describeAccess(access)]),
    ...changes.map((change) => [
      call.outcome === "ok" ? "changed" : "may have changed",
      describeChange(change, journal),
    ]),
    ...call.notCovered.map((sentence) => ["no undo", printableLine(sentence)]),
    ["undo", describeUndo(call)],
  ];
  return layTable(rows.filter(([, value]) => value !== ""));
}

function describeDecision({ decision }: LoggedCall): readonly string[][] {
  if (decision === null) return [];
  const { verdict, answer, rule, source, reason } = decision;
  return [
    ["decision", answer === undefined ? verdict : `${verdict}, answered ${answer}`],
    ["rule", printableLine(formatRule(rule, source))],
    ["reason", printableLine(reason)],
  ];
}

function describeAccess(access: Access): string {
  const target =
    access.kind === "execute" ? access.command : access.kind === "network" ? access.host : access.path;
  return printableLine(`${access.kind} ${target}`);
}

function describeChange(
  { path, before, after, lost, moved }: RecordedChange,
  journal: WorkspaceJournal,
): string {
  const isGone =
    before.kind === "file" && lost === undefined && moved === undefined && !journal.isKept(before.hash);
  const remarks = [
    ...(moved === undefined ? [] : [`moved with ${printableLine(moved)}`]),
    ...(lost === undefined ? [] : [`not stored: ${lost}`]),
    ...(isGone ? ["no longer stored"] : []),
  ];
  const states = `${describeState(before)} → ${describeState(after)}`;
  return `${printableLine(path)}: ${states}${remarks.length > 0 ? ` (${remarks.join(", ")})` : ""}`;
}

function describeState(state: EntryState): string {
  switch (state.kind) {
    case "nothing":
      return "nothing";
    case "file":
      return `${state.hash.slice(0, 12)} ${showSize(state.bytes)} ${describeMode(state.mode)}`;
    case "link":
      return `link to ${printableLine(state.target)}`;
    case "directory":
      return `folder ${describeMode(state.mode)}`;
  }
}

function describeMode(mode: number): string {
  return mode.toString(8).padStart(4, "0");
}

function describeUndo({ undoable, callId }: LoggedCall): string {
  if (undoable === null) return "";
  if (undoable === "gone") return "not possible: the old contents are no longer stored";
  return `toolcrib undo ${callId}${undoable === "partly" ? " (undoes only a part)" : ""}`;
}
