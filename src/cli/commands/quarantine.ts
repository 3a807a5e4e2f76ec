import type { Command } from "../command.ts";
import { jsonOption, workspaceOption } from "../options.ts";
import { unknownSubcommand } from "../parse-arguments.ts";

export const quarantineCommand: Command = {
  name: "quarantine",
  summary: "List and allow files that were held back",
  usage: [
    ["quarantine [list]", "list what was held back in this folder, latest last"],
    ["quarantine show <item>", "show its files"],
    ["quarantine allow <item> [--yes]", "put it where it was, once"],
  ],
  notes: [
    "When a command creates a file that editors, agents, shells or git obey by themselves, such as .envrc or .vscode/tasks.json, it is moved away and waits here. Files that you create or replace yourself while a command runs are held back, too. Nothing is ever deleted.",
    "`allow` applies exactly what `show` prints. It fails when the content has changed since, or when something else is at the path.",
  ],
  options: [
    { name: "yes", short: "y", summary: "allow: do not ask for confirmation" },
    workspaceOption,
    jsonOption,
  ],
  examples: [
    ["toolcrib quarantine", "what was held back, and which rule would allow it"],
    ["toolcrib quarantine show k7m2qp", "read it first"],
    ["toolcrib quarantine allow k7m2qp", "then put it in place"],
  ],
  operand: ["list", "show", "allow"],
  async run({ options, operands: [name = "list", ...operands] }) {
    const { allowHeld, listHeld, showHeld } = await import("../quarantine.ts");
    if (name === "list") return listHeld({ options, operands });
    if (name === "show") return showHeld({ options, operands });
    if (name === "allow") return allowHeld({ options, operands });
    throw unknownSubcommand("quarantine", name, ["list", "show", "allow"]);
  },
};
