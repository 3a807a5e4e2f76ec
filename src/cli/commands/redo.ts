import { callJournal } from "../call-journal.ts";
import type { Command } from "../command.ts";
import { jsonOption, workspaceOption } from "../options.ts";
import { refuseOperands } from "../parse-arguments.ts";
import { forReader } from "../report.ts";
import { print } from "../terminal.ts";

export const redoCommand: Command = {
  name: "redo",
  summary: "Revert the latest undo",
  usage: [["redo [--merge] [--skip-changed] [--dry-run]"]],
  options: [
    { name: "merge", summary: "also redo in files changed since, where the changes do not overlap" },
    { name: "skip-changed", summary: "skip files changed since" },
    { name: "dry-run", summary: "only show what would be done" },
    workspaceOption,
    jsonOption,
  ],
  examples: [["toolcrib undo && toolcrib redo", "undo, then redo"]],

  async run({ options, operands }) {
    refuseOperands(operands, redoCommand);
    const input = {
      redo: true,
      merge: options.has("merge") || undefined,
      skip_changed: options.has("skip-changed") || undefined,
      dry_run: options.has("dry-run") || undefined,
    };
    return callJournal("journal.undo", input, options, ({ content }) => print(`${forReader(1, content)}\n`));
  },
};
