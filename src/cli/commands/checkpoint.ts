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
  summary: "Give this moment a name to come back to",
  usage: ["checkpoint [<name>]", "checkpoint list"],
  notes: ["It costs nothing: what is needed to come back is kept with every call, not with the checkpoint."],
  options: [workspaceOption, jsonOption],
  examples: [
    { command: "toolcrib checkpoint before-refactoring", shows: "set one" },
    { command: "toolcrib checkpoint list", shows: "all there are" },
    { command: "toolcrib undo --to before-refactoring", shows: "come back" },
  ],
  operand: ["list"],

  async run({ options, operands: [name, ...rest] }) {
    refuseOperands(rest, checkpointCommand);
    const input = name === "list" ? { list: true } : name === undefined ? {} : { name };
    return callJournal("journal.checkpoint", input, options, ({ content }) =>
      print(`${forReader(1, forPeople(content))}\n`),
    );
  },
};

function forPeople(words: string): string {
  return words.replace(
    /^Set the checkpoint (.*)\. Come back to it with .*$/,
    (_, name: string) =>
      `Set the checkpoint ${name}. Come back to it with: ${toCommandLine(["toolcrib", "undo", "--to", name])}`,
  );
}
