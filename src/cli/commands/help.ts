import type { Command } from "../command.ts";
import { refuseOperands } from "../parse-arguments.ts";
import { print } from "../terminal.ts";

export const helpCommand: Command = {
  name: "help",
  summary: "Explain a command or a tool",
  usage: [["help [<command> | <tool>]"]],
  options: [],
  examples: [
    ["toolcrib help call", "a command"],
    ["toolcrib help search.grep", "a tool"],
  ],
  async run({ operands: [name, ...rest] }) {
    refuseOperands(rest, helpCommand);
    const { explainCommand, explainEverything } = await import("../help.ts");
    const { findCommand } = await import("./commands.ts");
    if (name === undefined) print(explainEverything());
    // Only tools have a family and a verb.
    else if (/[._]/.test(name))
      print(await explainCommand(findCommand("call"), { options: new Map(), operands: [name] }));
    else print(await explainCommand(findCommand(name), { options: new Map(), operands: [] }));
    return 0;
  },
};
