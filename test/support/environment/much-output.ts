/**
 * Reads 400 MB of another program's output, part of it slowly, and prints the received amount and the growth of
 * memory.
 */
import { setTimeout } from "node:timers/promises";
import { openLocalEnvironment } from "../../../src/environment/local/local-environment.ts";

const environment = openLocalEnvironment({ workspace: process.argv[2]! });
const { signal } = new AbortController();
const before = process.memoryUsage.rss();
const program = await environment.start("/bin/sh", {
  args: ["-c", "head -c 400000000 /dev/zero; head -c 20000000 /dev/zero >&2"],
  signal,
});
let bytes = 0;
let mostMemory = 0;
for await (const piece of program.stdout) {
  bytes += piece.length;
  if (bytes < 3_000_000) await setTimeout(1);
  mostMemory = Math.max(mostMemory, process.memoryUsage.rss());
}
const { code } = await program.exit;
process.stdout.write(JSON.stringify({ bytes, code, grownMegabytes: (mostMemory - before) / 1e6 }));
