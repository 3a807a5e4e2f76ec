import type { Command } from "../command.ts";
import { workspaceOption } from "../options.ts";
import { refuseOperands } from "../parse-arguments.ts";

/** `toolcrib tour`, which is also `npm start`. */
export const tourCommand: Command = {
  name: "tour",
  summary: "Watch the tools work on this folder",
  usage: [["tour [--workspace DIR]"]],
  notes: ["Makes real calls: it reads and searches this folder, and writes only in a temporary one."],
  options: [workspaceOption],
  examples: [["toolcrib tour -C ~/project", "tour another folder"]],
  async run({ options, operands }) {
    refuseOperands(operands, tourCommand);
    const { giveTour } = await import("../tour/tour.ts");
    return giveTour(options.get("workspace") ?? process.cwd());
  },
};
