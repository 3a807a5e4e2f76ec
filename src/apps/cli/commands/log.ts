import type { CallRecord } from "../../../toolcrib.ts";
import type { Command } from "../command.ts";
import { jsonOption, workspaceOption } from "../options.ts";
import { readCount, refuseOperands } from "../parse-arguments.ts";
import { printJson } from "../report.ts";
import { layTable } from "../table.ts";
import { print, remark } from "../terminal.ts";

/** `toolcrib log` */
export const logCommand: Command = {
  name: "log",
  summary: "Show the latest calls in this workspace, newest first",
  usage: ["log [--limit N] [--workspace DIR] [--json]"],
  options: [
    { name: "limit", value: "N", summary: "how many; 20 if not given" },
    workspaceOption,
    { ...jsonOption, summary: "print them whole, as a JSON array" },
  ],
  examples: [
    { command: "toolcrib log --limit 5", shows: "the last five" },
    { command: "toolcrib log --json | jq '.[0].input'", shows: "what the last call was given" },
  ],
  async run(given) {
    refuseOperands(given.operands, logCommand);
    const limit = readCount(given, "limit") ?? 20;
    const { openToolcrib } = await import("../../../toolcrib.ts");
    const crib = await openToolcrib({ workspace: given.options.get("workspace") ?? process.cwd() });
    const records = crib.history(limit);
    await crib.close();
    if (given.options.has("json")) printJson(records);
    else if (records.length === 0) remark(`No calls in ${crib.workspace} yet.\n`);
    else print(layTable(records.map(toRow)));
    return 0;
  },
};

function toRow({ startedAt, tool, outcome, durationMs, input }: CallRecord): readonly string[] {
  return [
    toLocalTime(startedAt),
    tool,
    outcome ?? "unfinished",
    durationMs === null ? "" : `${Math.max(1, Math.round(durationMs))} ms`,
    shorten(JSON.stringify(input)),
  ];
}

/** 2026-11-15 09:30:00, in the person's own time zone. */
function toLocalTime(milliseconds: number): string {
  const time = new Date(milliseconds);
  const local = new Date(milliseconds - time.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19).replace("T", " ");
}

function shorten(text: string): string {
  const characters = [...text];
  return characters.length <= maxInputChars ? text : `${characters.slice(0, maxInputChars).join("")}…`;
}

const maxInputChars = 60;
