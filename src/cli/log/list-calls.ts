import { printableLine } from "../../lib/printable.ts";
import type { CallFilter, LoggedCall, WorkspaceJournal } from "../../toolcrib/workspace-journal.ts";
import type { Arguments } from "../command.ts";
import { logCommand } from "../commands/log.ts";
import { readCount, refuseOperands } from "../parse-arguments.ts";
import { printJson } from "../report.ts";
import { layTable } from "../table.ts";
import { print, remark } from "../terminal.ts";
import { toLocalTime } from "../time.ts";
import { atDesk } from "./desk.ts";
import { readSince } from "./read-since.ts";
import { countFiles, tellDecision, tellDuration } from "./tell-call.ts";

/** `toolcrib log` */
export async function listCalls(given: Arguments): Promise<number> {
  refuseOperands(given.operands, logCommand);
  return atDesk(given, (desk, workspace) => {
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
