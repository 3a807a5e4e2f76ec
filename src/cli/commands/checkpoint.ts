import type { Checkpoint } from "../../contract/history.ts";
import { commandsOnTarget } from "../../lib/text/commands-on-target.ts";
import { toCommandLine } from "../../lib/text/shell-quote.ts";
import { callJournal } from "../call-journal.ts";
import type { Command } from "../command.ts";
import { jsonOption, placeOptions } from "../options.ts";
import { refuseOperands } from "../parse-arguments.ts";
import { forReader } from "../report.ts";
import { print } from "../terminal.ts";

export const checkpointCommand: Command = {
  name: "checkpoint",
  summary: "Set or list checkpoints for undo",
  usage: [["checkpoint [<name>]"], ["checkpoint list"]],
  notes: ["A checkpoint takes no space: every call stores what undo needs."],
  options: [...placeOptions, jsonOption],
  examples: [
    ["toolcrib checkpoint before-refactoring", "set one"],
    ["toolcrib checkpoint list", "list all"],
    ["toolcrib undo --to before-refactoring", "undo back to it"],
  ],
  operand: ["list"],

  async run({ options, operands: [name, ...rest] }) {
    refuseOperands(rest, checkpointCommand);
    const input = name === "list" ? { list: true } : name === undefined ? {} : { name };
    return callJournal("journal.checkpoint", input, options, ({ content, data }) => {
      const { checkpoints } = data as { checkpoints: readonly Checkpoint[] };
      print(`${forReader(1, name === "list" ? content : describeSet(checkpoints[0]!.name, options))}\n`);
    });
  },
};

function describeSet(name: string, options: ReadonlyMap<string, string>): string {
  const command = commandsOnTarget(toCommandLine(["toolcrib", "undo", "--to", name]), options.get("target"));
  return `Set checkpoint ${name}. To return to it, run: ${command}`;
}
