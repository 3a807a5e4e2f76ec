import type { Command } from "../command.ts";
import { jsonOption, placeOptions } from "../options.ts";
import { refuseOperands } from "../parse-arguments.ts";

export const redoCommand: Command = {
  name: "redo",
  summary: "Revert the latest undo",
  usage: [["redo [--merge] [--skip-changed] [--dry-run] [--yes]"]],
  notes: ["When a commit was made since the undo, redo names it and asks first."],
  options: [
    { name: "merge", summary: "also redo in files changed since, where the changes do not overlap" },
    { name: "skip-changed", summary: "skip files changed since" },
    { name: "dry-run", summary: "only show what would be done" },
    { name: "yes", summary: "do not ask, even if a commit contains the undone state" },
    ...placeOptions,
    jsonOption,
  ],
  examples: [["toolcrib undo && toolcrib redo", "undo, then redo"]],

  async run(given) {
    refuseOperands(given.operands, redoCommand);
    return (await import("../undo-calls.ts")).redoUndo(given);
  },
};
