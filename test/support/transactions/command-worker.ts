/**
 * Begins a transaction and runs a command in it until it is killed. Arguments: the folder of workspace, state and
 * config; the command.
 */
import { join } from "node:path";
import { openToolcrib } from "../../../src/toolcrib/index.ts";

const [home, command] = process.argv.slice(2) as [string, string];
const crib = await openToolcrib({
  workspace: join(home, "workspace"),
  stateDirectory: join(home, "state"),
  configDirectory: join(home, "config"),
  mode: "yolo",
});
await crib.call("transaction.begin", {});
await crib.call("transaction.check", { command });
