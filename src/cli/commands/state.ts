import type { Command } from "../command.ts";
import { jsonOption, targetOption, workspaceOption } from "../options.ts";
import { unknownSubcommand } from "../parse-arguments.ts";

export const stateCommand: Command = {
  name: "state",
  summary: "List and delete what is stored about workspaces",
  usage: [
    ["state [list]", "list all workspaces with their history, largest first"],
    ["state delete [--yes]", "delete the history, outputs and index of this folder"],
    ["state delete --all [--yes]", "delete those of all workspaces"],
  ],
  notes: [
    "Deleted calls can no longer be undone, and deleted conversations not resumed. Your files, rules and settings stay. A workspace that a running program uses is not deleted.",
  ],
  options: [
    { name: "all", summary: "delete: every workspace" },
    { name: "yes", short: "y", summary: "delete: do not ask" },
    workspaceOption,
    targetOption,
    jsonOption,
  ],
  examples: [
    ["toolcrib state", "what is stored, and how much"],
    ["toolcrib state delete", "forget this folder"],
    ["toolcrib state delete --all --yes", "forget everything, without a question"],
  ],
  operand: ["list", "delete"],
  async run({ options, operands: [name = "list", ...operands] }) {
    const { deleteState, listState } = await import("../stored-state.ts");
    if (name === "list") return listState({ options, operands });
    if (name === "delete") return deleteState({ options, operands });
    throw unknownSubcommand("state", name, ["list", "delete"]);
  },
};
