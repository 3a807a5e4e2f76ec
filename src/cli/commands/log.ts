import type { Arguments, Command } from "../command.ts";
import { jsonOption, targetOption, workspaceOption } from "../options.ts";

export const logCommand: Command = {
  name: "log",
  summary: "List recorded calls and verify the journal",
  usage: [
    [
      "log [--limit N] [--session ID] [--tool NAME] [--failed] [--since TIME] [--text WORDS] [--path PATH]",
      "list calls, newest first",
    ],
    ["log --follow", "show each call when it ends, until Ctrl-C"],
    ["log show <call>", "show everything recorded about a call; `last` is the latest"],
    ["log verify [--head HASH]", "check that no record was altered, removed, added or moved"],
  ],
  notes: [
    "+1 ~2 -3 counts the files created, changed and deleted; `partly` and `gone` mean that undo restores only a part of them, or nothing any more. `2 held` counts what was held back: see `toolcrib quarantine`. The client is the program that called: cli, chat, run, console, library, or mcp with the name of the MCP client. The target is the machine, when it is not this one. Columns that do not fit the terminal are left out; --json has everything.",
    "`log verify` prints the hash of the last record, the head. Note it down, and --head proves later that no record up to it was altered. Exits with 1 when one was.",
  ],
  options: [
    { name: "limit", value: "N", summary: "how many calls (default: 20)" },
    { name: "session", value: "ID", summary: "only this session: its id, a unique beginning, or `last`" },
    { name: "tool", value: "NAME", summary: "only calls of this tool, such as file.write" },
    { name: "failed", summary: "only calls that failed or were interrupted" },
    {
      name: "since",
      value: "TIME",
      summary: "only calls since TIME: 2h, 3d, 2026-11-15, '2026-11-15 09:30'",
    },
    { name: "text", value: "WORDS", summary: "only calls whose tool, input or message contains all words" },
    { name: "path", value: "PATH", summary: "only calls that touched this file, or files in this folder" },
    { name: "follow", short: "f", summary: "show new calls when they end; with --json one per line" },
    { name: "all", summary: "calls of all workspaces" },
    { name: "head", value: "HASH", summary: "verify: a head noted earlier" },
    workspaceOption,
    targetOption,
    jsonOption,
  ],
  examples: [
    ["toolcrib log --limit 5", "the latest five calls"],
    ["toolcrib log --failed --since 2h", "recent failures"],
    ["toolcrib log --text 'npm test'", "calls with these words"],
    ["toolcrib log --follow --all", "watch what every agent does"],
    ["toolcrib log --json | jq '.[0].input'", "the input of the latest call"],
    ["toolcrib log verify", "check the journal"],
  ],
  operand: ["show", "verify"],
  async run({ options, operands }) {
    const [subcommand, ...rest] = operands;
    const given: Arguments = { options, operands: rest };
    if (subcommand === "show") return (await import("../log/log.ts")).showCall(given);
    if (subcommand === "verify") return (await import("../log/log.ts")).verifyLog(given);
    return (await import("../log/list-calls.ts")).listCalls({ options, operands });
  },
};
