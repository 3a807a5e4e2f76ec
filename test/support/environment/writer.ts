/** Writes one file repeatedly, all "a" or all "b", until it is killed. Arguments: the workspace. */
import { flushCompileCache } from "node:module";
import { openLocalEnvironment } from "../../../src/environment/local/local-environment.ts";

const environment = openLocalEnvironment({ workspace: process.argv[2]! });
const contents = ["a", "b"].map((letter) => Buffer.alloc(300_000, letter));
flushCompileCache();
process.stdout.write("ready\n");
for (let turn = 0; ; turn += 1) {
  await environment.writeFile("folder/file", contents[turn % 2]!, { durable: turn % 4 < 2 });
}
