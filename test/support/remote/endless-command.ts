/**
 * Begins a transaction, writes a file, and runs a command that changes files until it is ended. Prints what the command prints.
 * Arguments: the folder of state and config; unused; where it works, as JSON.
 */
import { join } from "node:path";
import { openToolcrib } from "../../../src/toolcrib/index.ts";

const [home, , where] = process.argv.slice(2) as [string, string, string];
const crib = await openToolcrib({
  ...(JSON.parse(where) as object),
  mode: "yolo",
  ...{ stateDirectory: join(home, "state"), configDirectory: join(home, "config") },
});
crib.events.on((event) => {
  if (event.type === "tool-output") process.stdout.write(event.text);
});
await crib.call("transaction.begin", {});
await crib.call("file.write", { path: "new/file", content: "new" });
await crib.call("shell.run", {
  command:
    'echo $$ > pid.new; mv pid.new pid; echo begun; while :; do echo more >> log; : > "file $(date +%N)"; sleep 0.05; done',
  timeout_ms: 600_000,
});
