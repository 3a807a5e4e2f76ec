import { ToolError } from "../../contract/error.ts";
import { readSince } from "../call-journal.ts";
import type { Arguments, Command, Option } from "../command.ts";
import { jsonOption, placeOptions } from "../options.ts";
import { refuseOperands } from "../parse-arguments.ts";

export const sinceOption: Option = {
  name: "since",
  value: "TIME",
  summary: "everything since TIME: 30m, 2h, 3d, 2026-11-15, '2026-11-15 09:30'",
};

/** Returns the value of `--since` as an ISO time. */
export function sinceOf({ options }: Arguments): string | undefined {
  const since = options.get("since");
  return since === undefined ? undefined : new Date(readSince(since)).toISOString();
}

export const undoCommand: Command = {
  name: "undo",
  summary: "Undo what calls changed in files",
  usage: [
    ["undo [<call> | <call>..<call>]", "default: the latest call that changed something"],
    ["undo --last N | --to CHECKPOINT | --since TIME | --session ID", "several calls"],
  ],
  notes: [
    "Undoes everything or nothing. A file changed since is never overwritten: undo shows the difference, and --merge reverts only the call's own changes. To revert an undo: `toolcrib redo`.",
    "When a commit contains the changes, undo names it and asks first. It changes the files, not the commit.",
  ],
  options: [
    { name: "last", value: "N", summary: "the latest N calls that changed something" },
    { name: "to", value: "CHECKPOINT", summary: "everything after this checkpoint" },
    sinceOption,
    {
      name: "session",
      value: "ID",
      summary: "everything of this session: its id, a unique beginning, or `last`",
    },
    { name: "file", value: "PATH", repeats: true, summary: "only this file or folder (repeatable)" },
    { name: "hunk", value: "N", summary: "only this hunk of the one file, as numbered by `toolcrib diff`" },
    { name: "merge", summary: "also undo in files changed since" },
    { name: "skip-changed", summary: "skip files changed since" },
    { name: "dry-run", summary: "only show what would be done" },
    { name: "yes", summary: "do not ask, even if a commit contains the changes" },
    ...placeOptions,
    jsonOption,
  ],
  examples: [
    ["toolcrib undo --dry-run", "show what would be undone"],
    ["toolcrib undo", "undo the latest change"],
    ["toolcrib undo --last 3 --skip-changed", "undo three calls, but no later edits"],
    ["toolcrib undo --to before-refactoring", "go back to a checkpoint"],
    ["toolcrib undo --session last --dry-run", "show what undoing the latest session would do"],
  ],

  async run(given) {
    return (await import("../undo-calls.ts")).undoCalls(given);
  },
};

/** Returns the call, or range of calls, given as operand. */
export function callOf(given: Arguments, command: Command): string | undefined {
  const [call, ...rest] = given.operands;
  refuseOperands(rest, command);
  if (call !== undefined && given.options.has("session"))
    throw new ToolError("invalid-input", "A call and --session cannot be combined", {
      hint: "See: toolcrib help undo",
    });
  return call;
}
