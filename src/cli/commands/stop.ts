import type { Command } from "../command.ts";
import { jsonOption, targetOption, workspaceOption } from "../options.ts";

export const stopCommand: Command = {
  name: "stop",
  summary: "Stop an agent or an MCP session",
  usage: [
    ["stop", "list what runs in this folder"],
    ["stop <session>", "interrupt its work, as Ctrl-C does, and end its process"],
  ],
  notes: [
    "Name a session by its id or a unique beginning of it. Its finished calls stay recorded and can be undone; an agent can be resumed with `toolcrib chat --resume`. Of a server for several MCP clients, only the session ends. Programs that use the library are named but not stopped.",
  ],
  options: [workspaceOption, targetOption, jsonOption],
  examples: [
    ["toolcrib stop", "list what runs"],
    ["toolcrib stop session_0mwjgyb530787xnpc", "stop one agent"],
    ["toolcrib undo --session session_0mwjgyb530787xnpc", "then undo all that it changed"],
  ],
  async run(given) {
    const { listRunning, stopSession } = await import("../session/stop-session.ts");
    return given.operands.length === 0 ? listRunning(given) : stopSession(given);
  },
};
