import { ToolError } from "../../contract/error.ts";
import { nearest } from "../../lib/text/nearest.ts";
import type { Command } from "../command.ts";
import { acpCommand } from "./acp.ts";
import { approveCommand } from "./approve.ts";
import { callCommand } from "./call.ts";
import { chatCommand } from "./chat.ts";
import { checkpointCommand } from "./checkpoint.ts";
import { completionCommand } from "./completion.ts";
import { configCommand } from "./config.ts";
import { consoleCommand } from "./console.ts";
import { diffCommand } from "./diff.ts";
import { doctorCommand } from "./doctor.ts";
import { fleetCommand } from "./fleet.ts";
import { grantsCommand } from "./grants.ts";
import { helpCommand } from "./help.ts";
import { indexCommand } from "./index-command.ts";
import { logCommand } from "./log.ts";
import { mcpCommand } from "./mcp.ts";
import { modelsCommand } from "./models.ts";
import { pathsCommand } from "./paths.ts";
import { policyCommand } from "./policy.ts";
import { quarantineCommand } from "./quarantine.ts";
import { redoCommand } from "./redo.ts";
import { rpcCommand } from "./rpc.ts";
import { runCommand } from "./run.ts";
import { sessionsCommand } from "./sessions.ts";
import { stateCommand } from "./state.ts";
import { stopCommand } from "./stop.ts";
import { targetCommand } from "./target.ts";
import { toolsCommand } from "./tools.ts";
import { tourCommand } from "./tour.ts";
import { undoCommand } from "./undo.ts";

/** Every command, in the order help shows them. A command imports what it needs when it runs. */
export const commands: readonly Command[] = [
  runCommand,
  chatCommand,
  sessionsCommand,
  stopCommand,
  modelsCommand,
  toolsCommand,
  callCommand,
  logCommand,
  diffCommand,
  undoCommand,
  redoCommand,
  checkpointCommand,
  indexCommand,
  policyCommand,
  approveCommand,
  grantsCommand,
  quarantineCommand,
  configCommand,
  mcpCommand,
  acpCommand,
  rpcCommand,
  consoleCommand,
  fleetCommand,
  targetCommand,
  doctorCommand,
  pathsCommand,
  stateCommand,
  tourCommand,
  completionCommand,
  helpCommand,
];

export function findCommand(name: string): Command {
  const found = commands.find((command) => command.name === name);
  if (found) return found;
  if (name.startsWith("-"))
    throw new ToolError("invalid-input", `The option ${name} comes before the command`, {
      hint: `Write it after the command: toolcrib COMMAND ${name}`,
    });
  // Only tool names have a dot or an underscore.
  const near = /[._]/.test(name)
    ? `call ${name}`
    : nearest(
        name,
        commands.map((command) => command.name),
      );
  throw new ToolError("invalid-input", `Unknown command: ${name}`, {
    hint: near ? `Did you mean \`toolcrib ${near}\`?` : "List the commands: toolcrib --help",
  });
}
