import type { Command } from "../command.ts";
import { jsonOption, workspaceOption } from "../options.ts";
import { refuseOperands, unknownSubcommand } from "../parse-arguments.ts";

export const indexCommand: Command = {
  name: "index",
  summary: "Build or update the code index",
  usage: [
    ["index"],
    ["index --background", "with low priority, without output"],
    ["index clear", "delete it"],
  ],
  notes: [
    "Optional: code.search, code.map and code.references update the index themselves. Exits with 1 when the index cannot be stored.",
    "--background ends after ten minutes, when the folder is deleted, and at once when another such process runs. `toolcrib call` starts it when it has answered from an incomplete index.",
  ],
  options: [
    { name: "background", summary: "build with low priority and without output" },
    workspaceOption,
    jsonOption,
  ],
  examples: [
    ["toolcrib index", "index this folder"],
    ["toolcrib index -C ~/project --json", "index another folder"],
    ["toolcrib index clear", "delete the index"],
  ],
  operand: ["clear"],
  async run({ options, operands: [verb, ...rest] }) {
    refuseOperands(rest, indexCommand);
    if (verb !== undefined && verb !== "clear") throw unknownSubcommand("index", verb, ["clear"]);
    const { buildInBackground, buildIndex, clearIndex } = await import("../show-index.ts");
    if (verb === undefined && options.has("background")) return buildInBackground(options);
    return verb === "clear" ? clearIndex(options) : buildIndex(options);
  },
};
