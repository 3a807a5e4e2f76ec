import type { Arguments, Command } from "../command.ts";
import { jsonOption, workspaceOption } from "../options.ts";

/** `toolcrib log` */
export const logCommand: Command = {
  name: "log",
  summary: "Show what was called in this workspace, and prove it",
  usage: [
    "log [--limit N] [--session ID] [--tool NAME] [--failed] [--since TIME]    newest first",
    "log show <call>             all that is on record of one call",
    "log verify [--head HASH]    prove that no record was altered, removed, added or moved",
  ],
  notes: [
    "+1 ~2 -3 stands for files that were created, changed and removed.",
    "Every record holds the hash of the one before. `log verify` prints the last, the head: whoever notes it can prove later,",
    "with --head, that nothing up to it was altered. Its exit code is 1 when something was.",
  ],
  options: [
    { name: "limit", value: "N", summary: "how many; 20 if not given" },
    { name: "session", value: "ID", summary: "only calls of this session, or of the last one: last" },
    { name: "tool", value: "NAME", summary: "only calls of this tool: file.write" },
    { name: "failed", summary: "only calls that failed or were interrupted" },
    {
      name: "since",
      value: "TIME",
      summary: "only calls since then: 2h, 3d, 2026-11-15, '2026-11-15 09:30'",
    },
    { name: "head", value: "HASH", summary: "for verify: a head that was noted earlier" },
    workspaceOption,
    { ...jsonOption, summary: "print all that is known, as JSON" },
  ],
  examples: [
    { command: "toolcrib log --limit 5", shows: "the last five" },
    { command: "toolcrib log --failed --since 2h", shows: "what went wrong lately" },
    { command: "toolcrib log --json | jq '.[0].input'", shows: "what the last call was given" },
    { command: "toolcrib log verify", shows: "whether the record is whole" },
  ],
  operand: ["show", "verify"],
  async run({ options, operands }) {
    const [word, ...operandsLeft] = operands;
    const given: Arguments = { options, operands: operandsLeft };
    if (word === "show") return (await import("../log/show-call.ts")).showCall(given);
    if (word === "verify") return (await import("../log/verify-log.ts")).verifyLog(given);
    return (await import("../log/list-calls.ts")).listCalls({ options, operands });
  },
};
