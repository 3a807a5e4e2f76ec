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
  return withJournal(given, (desk, workspace) => {
    const calls = desk.calls(toFilter(given, desk));
    if (given.options.has("json")) printJson(calls);
    else if (calls.length > 0) print(layTable(calls.map(toRow)));
    else remark(isNarrowed(given) ? "No such calls are on record.\n" : `No calls in ${workspace} yet.\n`);
    return 0;
  });
}

function toFilter(given: Arguments, desk: WorkspaceJournal): CallFilter {
  const { options } = given;
  const session =
    options.get("session") === "last" ? desk.calls({ limit: 1 })[0]?.session : options.get("session");
  const tool = options.get("tool");
  const since = options.get("since");
  return {
    limit: readCount(given, "limit") ?? 20,
    failed: options.has("failed"),
    ...(session === undefined ? {} : { session }),
    ...(tool === undefined ? {} : { tool }),
    ...(since === undefined ? {} : { since: readSince(since) }),
  };
}

function isNarrowed({ options }: Arguments): boolean {
  return ["session", "tool", "failed", "since"].some((name) => options.has(name));
}

function toRow(call: LoggedCall): readonly string[] {
  return [
    toLocalTime(call.startedAt),
    call.callId,
    call.tool,
    call.state,
    countFiles(call),
    tellDuration(call),
    printableLine(shorten(JSON.stringify(call.input) ?? "")) + tellDecision(call),
  ];
}

function shorten(text: string): string {
  const characters = [...text];
  return characters.length <= maxInputChars ? text : `${characters.slice(0, maxInputChars).join("")}…`;
}

const maxInputChars = 60;

/** Looks into the journal of the workspace that is meant, and then says what a person has to know. */
export async function withJournal<Result>(
  { options }: Arguments,
  look: (desk: WorkspaceJournal, workspace: string) => Result | Promise<Result>,
): Promise<Result> {
  const workspace = realWorkspace(options.get("workspace") ?? process.cwd());
  const desk = new WorkspaceJournal({ state: userDirectories().state, workspace });
  try {
    return await look(desk, workspace);
  } finally {
    desk.close();
    remarkWarnings(desk.warnings);
  }
}

/**
 * `+1 ~2 -3`, with a mark where that cannot be undone, or not all of it; "" where nothing was changed. Changes are on
 * record before they are made: of a call that failed they are the most that it did.
 */
export function countFiles({ files, undoable, outcome }: LoggedCall): string {
  if (undoable === null) return "";
  const { created, changed, removed } = files;
  const marks = { whole: "", partly: " (partly undoable)", gone: " (no longer undoable)" };
  const most = outcome === "ok" ? "" : " at most";
  return `+${created} ~${changed} -${removed}${most}${marks[undoable]}`;
}

export function tellDuration({ durationMs }: LoggedCall): string {
  return durationMs === null ? "" : `${Math.max(1, Math.round(durationMs))} ms`;
}

/** The verdict and its rule; "" for what simply passed. */
export function tellDecision({ decision }: LoggedCall): string {
  if (decision === null || decision.verdict === "allow") return "";
  const { verdict, answer, rule, source } = decision;
  const words = verdict === "deny" ? "denied" : answer === undefined ? "asked" : `asked, ${answer}`;
  return `  [${words}: ${printableLine(tellRule(rule, source))}]`;
}

/** A rule and where it stands, unless it says so itself: "mode cautious: destructive". */
export function tellRule(rule: string, source: string): string {
  return source === "" || rule.startsWith(source) ? rule : `${rule} (${source})`;
}
