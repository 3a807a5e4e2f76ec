import type { ToolAccess } from "../../contract/access.ts";
import { ToolError } from "../../contract/error.ts";
import type { EntryState } from "../../contract/history.ts";
import { commandsOnTarget } from "../../lib/text/commands-on-target.ts";
import { counted, showSize } from "../../lib/text/format-quantity.ts";
import { printable, printableLine } from "../../lib/text/printable.ts";
import { userDirectories } from "../../system/directories.ts";
import {
  type HeldItem,
  type JournalReport,
  type LoggedCall,
  type RecordedChange,
  WorkspaceJournal,
} from "../../toolcrib/workspace-journal.ts";
import type { Arguments } from "../command.ts";
import { logCommand } from "../commands/log.ts";
import { placeName, workspaceIdOf } from "../options.ts";
import { refuseOperands } from "../parse-arguments.ts";
import { withProgress } from "../progress.ts";
import { printFailure, printJson, remarkWarnings } from "../report.ts";
import { layTable, print, toLocalTime } from "../terminal.ts";
import { describeClient, formatDuration, formatRule } from "./call-table.ts";

/** Opens the journal of the workspace, and prints its warnings at the end. */
export async function withJournal<Result>(
  { options }: Arguments,
  work: (journal: WorkspaceJournal, workspace: string) => Result | Promise<Result>,
): Promise<Result> {
  const workspace = workspaceIdOf(options);
  const journal = new WorkspaceJournal({ state: userDirectories().state, workspace });
  try {
    return await work(journal, workspace);
  } finally {
    journal.close();
    remarkWarnings(journal.warnings);
  }
}

export async function showCall(given: Arguments): Promise<number> {
  const [wanted, ...rest] = given.operands;
  refuseOperands(rest, logCommand);
  if (wanted === undefined)
    throw new ToolError("invalid-input", "A call id is missing", {
      hint: "Find it with: toolcrib log. The latest call: toolcrib log show last",
    });
  return withJournal(given, (journal) => {
    const call = wanted === "last" ? journal.calls({ limit: 1 })[0] : journal.find(wanted);
    if (call === undefined) throw noSuchCall(wanted, journal);
    const changes = journal.changesOf(call.callId);
    if (given.options.has("json")) printJson({ ...call, changes });
    else print(describe(call, changes, journal));
    return 0;
  });
}

function noSuchCall(wanted: string, { workspace }: WorkspaceJournal): ToolError {
  return wanted === "last"
    ? new ToolError("not-found", `No call of ${placeName(workspace)} is recorded`, {
        hint: "List the calls of all folders: toolcrib log --all",
      })
    : new ToolError("not-found", `No call with the id ${wanted} is recorded`, {
        hint: `List the calls: toolcrib log --limit 100`,
      });
}

function describe(call: LoggedCall, changes: readonly RecordedChange[], journal: WorkspaceJournal): string {
  const rows = [
    ["call", call.callId],
    ["tool", call.tool],
    ...(call.parent === null ? [] : [["made by", call.parent]]),
    ["client", describeClient(call.client)],
    ["session", call.session],
    ["workspace", printableLine(call.workspace ?? "")],
    ...(call.target === "local" ? [] : [["target", printableLine(call.target)]]),
    ["time", toLocalTime(call.startedAt)],
    ["outcome", call.message === null ? call.state : `${call.state}: ${printableLine(call.message)}`],
    ["duration", formatDuration(call)],
    ...describeDecision(call),
    ["sandbox", call.sandbox ?? ""],
    ["output", call.outputHandle ?? ""],
    ["input", printable(JSON.stringify(call.input) ?? "")],
    ...journal.innerCalls(call.callId).map((inner) => ["made", `${inner.callId} ${inner.tool}`]),
    ...call.accesses.map((access) => ["touches", describeAccess(access)]),
    ...changes.map((change) => [
      call.outcome === "ok" ? "changed" : "may have changed",
      describeChange(change, journal),
    ]),
    ...call.heldBack.map((held) => ["held back", describeHeld(held)]),
    ...call.notCovered.map((sentence) => ["no undo", printableLine(sentence)]),
    ["undo", describeUndo(call, journal)],
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

function describeAccess(access: ToolAccess): string {
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

function describeHeld({ id, path, allowedAt }: HeldItem): string {
  return `${printableLine(path)}: ${allowedAt === null ? `toolcrib quarantine show ${id}` : "allowed"}`;
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

function describeUndo({ undoable, callId }: LoggedCall, { workspace }: WorkspaceJournal): string {
  if (undoable === null) return "";
  if (undoable === "gone") return "not possible: the old contents are no longer stored";
  const part = undoable === "partly" ? " (undoes only a part)" : "";
  return commandsOnTarget(`toolcrib undo ${callId}${part}`, workspace);
}

export async function verifyLog(given: Arguments): Promise<number> {
  refuseOperands(given.operands, logCommand);
  const head = given.options.get("head")?.toLowerCase();
  if (head !== undefined && !/^[0-9a-f]{64}$/.test(head))
    throw new ToolError("invalid-input", `--head must be a hash of 64 hex digits, not "${head}"`, {
      hint: "Use a head that `toolcrib log verify` printed.",
    });
  const report = await withJournal(given, (journal) =>
    withProgress("log verify", (update, signal) =>
      journal.verify({ head, signal, progress: (checked) => update(`${checked} records`) }),
    ),
  );
  const isProven = report.fault === undefined && (head === undefined || report.noted !== undefined);
  if (given.options.has("json")) printJson({ ...report, isProven });
  else if (isProven) print(describeProof(report));
  else printFailure(describeFault(report));
  return isProven ? 0 : 1;
}

export function describeProof({ records, pruned, head, noted }: JournalReport): string {
  const older = pruned === 0 ? "" : `, after ${counted(pruned, "older one")} deleted by age`;
  const proof =
    noted === undefined ? "" : `The given head is record ${noted}: nothing up to it was altered.\n`;
  return `${counted(records, "record")}${older}; none was altered, removed, added or moved.\n${proof}Head: ${head}\n`;
}

/** Describes why a verification failed. Without a fault, the chain is intact but does not contain the given head. */
export function describeFault({ fault }: Pick<JournalReport, "fault">): {
  readonly message: string;
  readonly hint: string;
} {
  if (fault)
    return {
      message: `Record ${fault.sequence} ${fault.reason}.`,
      hint: "Do not rely on this record or later ones; the records before it are intact.",
    };
  return {
    message: "No record has the given head.",
    hint: "Check the head: the journal was replaced or shortened, or its record was deleted by age.",
  };
}
