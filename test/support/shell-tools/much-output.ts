/** Runs a command that says very much, in the folder given, and prints how memory grew and what was answered. */
import { join } from "node:path";
import { openToolcrib } from "../../../src/toolcrib/index.ts";

const [home, command] = process.argv.slice(2) as [string, string];
const crib = await openToolcrib({
  workspace: join(home, "workspace"),
  stateDirectory: join(home, "state"),
  configDirectory: join(home, "config"),
  mode: "yolo",
});
// What is loaded once does not count.
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
