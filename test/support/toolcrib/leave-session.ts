/**
 * Opens a session and leaves it open. Arguments: workspace, state folder, session, and how: `killed` in an open
 * transaction, or `waiting` until it is killed. Prints the code of the error when it cannot be opened.
 */
import { writeSync } from "node:fs";
import { join } from "node:path";
import type { ToolError } from "../../../src/contract/error.ts";
import { openInstance } from "../../../src/toolcrib/open-toolcrib.ts";

const [workspace, stateDirectory, session, how] = process.argv.slice(2) as [string, string, string, string];
try {
  const configDirectory = join(stateDirectory, "config");
  const options = { workspace, stateDirectory, configDirectory, session };
  const crib = await openInstance(options, { knowsSession: true });
  await crib.call("file.write", { path: "kept.txt", content: "kept\n" });
  if (how === "killed") {
    await crib.call("transaction.begin", {});
    await crib.call("file.write", { path: "half.txt", content: "half\n" });
    process.kill(process.pid, "SIGKILL");
  }
  writeSync(1, "open");
  setInterval(() => {}, 1000);
} catch (error) {
  writeSync(1, (error as ToolError).code);
}
