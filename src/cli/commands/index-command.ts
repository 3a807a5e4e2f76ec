import { ToolError } from "../../contract/error.ts";
import type { Command } from "../command.ts";
import { jsonOption, workspaceOption } from "../options.ts";
import { refuseOperands } from "../parse-arguments.ts";

/** `toolcrib index` */
export const indexCommand: Command = {
  name: "index",
  summary: "Build the index of a project, or bring it up to date",
  usage: ["index [--workspace DIR] [--json]", "index clear"],
  notes: [
    "Nobody needs to: code.search, code.map and code.references do so themselves. It is for having it ready before the first",
    "question, and for looking at it. All in it can be made again from the files: `clear` costs nothing but time.",
    "Its exit code is 1 when the index cannot be kept.",
  ],
  options: [workspaceOption, jsonOption],
  examples: [
    { command: "toolcrib index", shows: "of this folder" },
    { command: "toolcrib index -C ~/project --json", shows: "of another, for a program" },
    { command: "toolcrib index clear", shows: "throw it away" },
  ],
  operand: ["clear"],
  async run({ options, operands: [verb, ...rest] }) {
    refuseOperands(rest, indexCommand);
    if (verb !== undefined && verb !== "clear")
      throw new ToolError("invalid-input", `toolcrib index knows no "${verb}"`, {
        hint: "There are `toolcrib index` and `toolcrib index clear`.",
      });
    const { buildIndex, clearIndex } = await import("../show-index.ts");
    return verb === "clear" ? clearIndex(options) : buildIndex(options);
  },
};
