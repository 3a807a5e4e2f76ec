import type { Arguments, Command } from "../command.ts";
import { jsonOption, workspaceOption } from "../options.ts";

export const logCommand: Command = {
  name: "log",
  summary: "List recorded calls and verify the journal",
  usage: [
    ["log [--limit N] [--session ID] [--tool NAME] [--failed] [--since TIME]", "list calls, newest first"],
    ["log show <call>", "show everything recorded about a call"],
    ["log verify [--head HASH]", "check that no record was altered, removed, added or moved"],
  ],
  notes: [
    "+1 ~2 -3 counts the files created, changed and deleted.",
    "`log verify` prints the hash of the last record, the head. Note it down, and --head proves later that no record up to it was altered. Exits with 1 when one was.",
  ],
  options: [
    { name: "limit", value: "N", summary: "how many calls (default: 20)" },
    { name: "session", value: "ID", summary: "only calls of this session; `last` is the latest" },
    { name: "tool", value: "NAME", summary: "only calls of this tool, such as file.write" },
    { name: "failed", summary: "only calls that failed or were interrupted" },
    {
      name: "since",
      value: "TIME",
      summary: "only calls since TIME: 2h, 3d, 2026-11-15, '2026-11-15 09:30'",
    },
    { name: "head", value: "HASH", summary: "verify: a head noted earlier" },
    workspaceOption,
    jsonOption,
  ],
  examples: [
    ["toolcrib log --limit 5", "the latest five calls"],
    ["toolcrib log --failed --since 2h", "recent failures"],
    ["toolcrib log --json | jq '.[0].input'", "the input of the latest call"],
    ["toolcrib log verify", "check the journal"],
  ],
  operand: ["show", "verify"],
  async run({ options, operands }) {
    const [subcommand, ...rest] = operands;
    const given: Arguments = { options, operands: rest };
    const { listCalls, showCall, verifyLog } = await import("../log/log.ts");
    if (subcommand === "show") return showCall(given);
    return subcommand === "verify" ? verifyLog(given) : listCalls({ options, operands });
  },
};
