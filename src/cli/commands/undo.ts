import type { Undone } from "../../contract/history.ts";
import { callJournal, readSince } from "../call-journal.ts";
import type { Arguments, Command, Option } from "../command.ts";
import { jsonOption, workspaceOption } from "../options.ts";
import { readCount, refuseOperands } from "../parse-arguments.ts";
import { forReader } from "../report.ts";
import { print } from "../terminal.ts";
import { undoForUser } from "../undo-for-user.ts";

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
    ["undo --last N | --to CHECKPOINT | --since TIME", "several calls"],
  ],
  notes: [
    "Undoes everything or nothing. A file changed since is never overwritten: undo shows the difference, and --merge reverts only the call's own changes. To revert an undo: `toolcrib redo`.",
  ],
  options: [
    { name: "last", value: "N", summary: "the latest N calls that changed something" },
    { name: "to", value: "CHECKPOINT", summary: "everything after this checkpoint" },
    sinceOption,
    { name: "file", value: "PATH", repeats: true, summary: "only this file or folder (repeatable)" },
    { name: "hunk", value: "N", summary: "only this hunk of the one file, as numbered by `toolcrib diff`" },
    { name: "merge", summary: "also undo in files changed since" },
    { name: "skip-changed", summary: "skip files changed since" },
    { name: "dry-run", summary: "only show what would be done" },
    workspaceOption,
    jsonOption,
  ],
  examples: [
    ["toolcrib undo --dry-run", "show what would be undone"],
    ["toolcrib undo", "undo the latest change"],
    ["toolcrib undo --last 3 --skip-changed", "undo three calls, but no later edits"],
    ["toolcrib undo --to before-refactoring", "go back to a checkpoint"],
  ],

  async run(given) {
    const { options } = given;
    const input = {
      call: callOf(given, undoCommand),
      last: readCount(given, "last"),
      checkpoint: options.get("to"),
      since: sinceOf(given),
      paths: options.get("file")?.split("\n"),
      hunk: readCount(given, "hunk"),
      merge: options.has("merge") || undefined,
      skip_changed: options.has("skip-changed") || undefined,
      dry_run: options.has("dry-run") || undefined,
    };
    return callJournal("journal.undo", input, options, ({ data }) =>
      print(forReader(1, undoForUser(data as Undone, input))),
    );
  },
};

/** Returns the call, or range of calls, given as operand. */
export function callOf({ operands: [call, ...rest] }: Arguments, command: Command): string | undefined {
  refuseOperands(rest, command);
  return call;
}
