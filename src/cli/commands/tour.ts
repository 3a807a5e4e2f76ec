import type { Command } from "../command.ts";
import { workspaceOption } from "../options.ts";
import { refuseOperands } from "../parse-arguments.ts";

/** `toolcrib tour`, which is also `npm start`. */
export const tourCommand: Command = {
  name: "tour",
  summary: "See the tools at work on this folder, in a few seconds",
  usage: ["tour [--workspace DIR]"],
  notes: [
    "Real calls: it reads and searches this folder, and writes, moves and deletes in a temporary one only.",
  ],
  options: [workspaceOption],
  examples: [{ command: "toolcrib tour -C ~/project", shows: "on another folder" }],
  async run({ options, operands }) {
    refuseOperands(operands, tourCommand);
    const { giveTour } = await import("../tour/tour.ts");
    return giveTour(options.get("workspace") ?? process.cwd());
  },
};
