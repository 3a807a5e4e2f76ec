import { printableLine } from "../../lib/text/printable.ts";
import { realWorkspace, userDirectories } from "../../system/directories.ts";
import { type CallFilter, type LoggedCall, WorkspaceJournal } from "../../toolcrib/workspace-journal.ts";
import { readSince } from "../call-journal.ts";
import type { Arguments } from "../command.ts";
import { logCommand } from "../commands/log.ts";
import { readCount, refuseOperands } from "../parse-arguments.ts";
import { printJson, remarkWarnings } from "../report.ts";
import { layTable, print, remark, toLocalTime } from "../terminal.ts";

/** `toolcrib log` */
export async function listCalls(given: Arguments): Promise<number> {
  refuseOperands(given.operands, logCommand);
  return withJournal(given, (journal, workspace) => {
    const calls = journal.calls(toFilter(given, journal));
    if (given.options.has("json")) printJson(calls);
    else if (calls.length > 0) print(layTable(calls.map(toRow)));
    else remark(isFiltered(given) ? "No recorded calls match.\n" : `No calls in ${workspace} yet.\n`);
    return 0;
  });
}

function toFilter(given: Arguments, journal: WorkspaceJournal): CallFilter {
  const { options } = given;
  const since = options.get("since");
  return {
    limit: readCount(given, "limit") ?? 20,
    failed: options.has("failed"),
    session:
      options.get("session") === "last" ? journal.calls({ limit: 1 })[0]?.session : options.get("session"),
    tool: options.get("tool"),
    since: since === undefined ? undefined : readSince(since),
  };
}

function isFiltered({ options }: Arguments): boolean {
  return ["session", "tool", "failed", "since"].some((name) => options.has(name));
}

function toRow(call: LoggedCall): readonly string[] {
  return [
    toLocalTime(call.startedAt),
    call.callId,
    call.tool,
    call.state,
    countFiles(call),
    formatDuration(call),
    printableLine(shorten(JSON.stringify(call.input) ?? "")) + formatDecision(call),
  ];
}

function shorten(text: string): string {
  const characters = [...text];
  return characters.length <= maxInputChars ? text : `${characters.slice(0, maxInputChars).join("")}…`;
}

const maxInputChars = 60;

/** Opens the journal of the workspace, and prints its warnings at the end. */
export async function withJournal<Result>(
  { options }: Arguments,
  work: (journal: WorkspaceJournal, workspace: string) => Result | Promise<Result>,
): Promise<Result> {
  const workspace = realWorkspace(options.get("workspace") ?? process.cwd());
  const journal = new WorkspaceJournal({ state: userDirectories().state, workspace });
  try {
    return await work(journal, workspace);
  } finally {
    journal.close();
    remarkWarnings(journal.warnings);
  }
}

/**
 * `+1 ~2 -3`, with a note when it cannot be undone completely; "" when the call changed nothing. Changes are recorded
 * before they are made, so a call that failed made at most these.
 */
function countFiles({ files, undoable, outcome }: LoggedCall): string {
  if (undoable === null) return "";
  const { created, changed, removed } = files;
  const marks = { whole: "", partly: " (partly undoable)", gone: " (no longer undoable)" };
  const most = outcome === "ok" ? "" : " at most";
  return `+${created} ~${changed} -${removed}${most}${marks[undoable]}`;
}

export function formatDuration({ durationMs }: LoggedCall): string {
  return durationMs === null ? "" : `${Math.max(1, Math.round(durationMs))} ms`;
}

/** The verdict and its rule; "" when the call was allowed. */
function formatDecision({ decision }: LoggedCall): string {
  if (decision === null || decision.verdict === "allow") return "";
  const { verdict, answer, rule, source } = decision;
  const decided = verdict === "deny" ? "denied" : answer === undefined ? "asked" : `asked, ${answer}`;
  return `  [${decided}: ${printableLine(formatRule(rule, source))}]`;
}

/** A rule and its source, unless the rule names it: "mode cautious: destructive". */
export function formatRule(rule: string, source: string): string {
  return source === "" || rule.startsWith(source) ? rule : `${rule} (${source})`;
}
