import { callJournal } from "../call-journal.ts";
import type { Command } from "../command.ts";
import { jsonOption, workspaceOption } from "../options.ts";
import { refuseOperands } from "../parse-arguments.ts";
import { forReader } from "../report.ts";
import { print } from "../terminal.ts";

/** `toolcrib redo` */
export const redoCommand: Command = {
  name: "redo",
  summary: "Take back the latest undo",
  usage: ["redo [--merge] [--skip-changed] [--dry-run]"],
  options: [
    { name: "merge", summary: "also in files that were changed since, where the two do not touch" },
    { name: "skip-changed", summary: "leave those alone and redo the rest" },
    { name: "dry-run", summary: "only show what would be done" },
    workspaceOption,
    jsonOption,
  ],
  examples: [{ command: "toolcrib undo && toolcrib redo", shows: "there and back" }],

  async run({ options, operands }) {
    refuseOperands(operands, redoCommand);
    const input = {
      redo: true,
      ...(options.has("merge") ? { merge: true } : {}),
      ...(options.has("skip-changed") ? { skip_changed: true } : {}),
      ...(options.has("dry-run") ? { dry_run: true } : {}),
    };
    return callJournal("journal.undo", input, options, ({ content }) => print(`${forReader(1, content)}\n`));
  },
};
