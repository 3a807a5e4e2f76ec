import { toCommandLine } from "../../lib/text/shell-quote.ts";
import { callJournal } from "../call-journal.ts";
import type { Command } from "../command.ts";
import { jsonOption, workspaceOption } from "../options.ts";
import { refuseOperands } from "../parse-arguments.ts";
import { forReader } from "../report.ts";
import { print } from "../terminal.ts";

/** `toolcrib checkpoint` */
export const checkpointCommand: Command = {
  name: "checkpoint",
  summary: "Name this moment, to undo back to it",
  usage: [["checkpoint [<name>]"], ["checkpoint list"]],
  notes: ["A checkpoint takes no space: every call stores what undo needs."],
  options: [workspaceOption, jsonOption],
  examples: [
    ["toolcrib checkpoint before-refactoring", "set one"],
    ["toolcrib checkpoint list", "list all"],
    ["toolcrib undo --to before-refactoring", "undo back to it"],
  ],
  operand: ["list"],

  async run({ options, operands: [name, ...rest] }) {
    refuseOperands(rest, checkpointCommand);
    const input = name === "list" ? { list: true } : name === undefined ? {} : { name };
    return callJournal("journal.checkpoint", input, options, ({ content }) =>
      print(`${forReader(1, forUser(content))}\n`),
    );
  },
};

function forUser(content: string): string {
  return content.replace(
    /^Set the checkpoint (.*)\. Come back to it with .*$/,
    (_, name: string) =>
      `Set the checkpoint ${name}. Come back to it with: ${toCommandLine(["toolcrib", "undo", "--to", name])}`,
  );
}
