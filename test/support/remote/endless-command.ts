/**
 * Begins a transaction on a target, writes a file, and runs a command that changes files until it is ended.
 * Arguments: the folder of state and config; the target.
 */
import { join } from "node:path";
import { openToolcrib } from "../../../src/toolcrib/index.ts";

const [home, target] = process.argv.slice(2) as [string, string];
const crib = await openToolcrib({
  ...{ target, sandbox: "none", mode: "yolo" },
  ...{ stateDirectory: join(home, "state"), configDirectory: join(home, "config") },
});
await crib.call("transaction.begin", {});
await crib.call("file.write", { path: "new/file", content: "new" });
await crib.call("shell.run", {
  command: 'echo $$ > pid.new; mv pid.new pid; while :; do echo more >> log; : > "file $(date +%N)"; done',
  timeout_ms: 600_000,
});
