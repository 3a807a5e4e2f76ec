import { join } from "node:path";
import { openLocalEnvironment } from "../../../src/environment/local/local-environment.ts";

/** Started with a directory open at descriptor 250. Prints the descriptors of a program from 3 on, as JSON. */
const [workspace, level] = process.argv.slice(2) as [string, "none" | "bwrap"];
const environment = openLocalEnvironment({
  workspace,
  sandbox: { want: level, directory: join(workspace, "..", "state") },
});
const program = await environment.start("/bin/bash", {
  args: ["-c", "for n in /proc/self/fd/{3..300}; do readlink $n; done; true"],
  signal: new AbortController().signal,
});
let output = "";
for await (const piece of program.stdout) output += Buffer.from(piece).toString();
await program.exit;
await environment.close();
console.log(JSON.stringify([...new Set(output.split("\n").filter((line) => line !== ""))]));
