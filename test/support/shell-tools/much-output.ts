/** Runs a command with very much output in the given folder, and prints the growth of memory and the answer. */
import { join } from "node:path";
import { openToolcrib } from "../../../src/toolcrib/index.ts";

const [home, command] = process.argv.slice(2) as [string, string];
const crib = await openToolcrib({
  workspace: join(home, "workspace"),
  stateDirectory: join(home, "state"),
  configDirectory: join(home, "config"),
  mode: "yolo",
});
// Modules that are loaded once do not count.
await crib.call("shell.run", { command: "seq 1 100000" });
const before = process.memoryUsage.rss();
let most = before;
const timer = setInterval(() => {
  most = Math.max(most, process.memoryUsage.rss());
}, 10);
const { isError, content } = await crib.call("shell.run", { command });
clearInterval(timer);
await crib.close();
const grownMegabytes = (most - before) / 1e6;
process.stdout.write(JSON.stringify({ isError, lastLines: content.split("\n").slice(-3), grownMegabytes }));
