/**
 * The child process of `command-host.ts`: it runs one command line after the other. Each one gets its own arguments,
 * working folder, variables and standard input. Standard output and standard error are two files, emptied before each.
 */
import { ftruncateSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import type { CommandLine } from "./command-host.ts";

const [program, folder] = process.argv.slice(2) as [string, string];

// Commands that end with the process keep their listeners for signals.
process.setMaxListeners(0);
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
process.on("disconnect", () => process.exit());
process.on("message", async (line: CommandLine) => process.send!(await run(line)));

async function run({ words, cwd, env, input = "" }: CommandLine) {
  for (const descriptor of [1, 2]) ftruncateSync(descriptor);
  for (const name of Object.keys(process.env)) delete process.env[name];
  for (const [name, value] of Object.entries(env)) if (value !== undefined) process.env[name] = value;
  process.chdir(cwd);
  process.argv = [process.execPath, program, ...words];
  const stdin = Readable.from(input.length === 0 ? [] : [Buffer.from(input)], { objectMode: false });
  Object.defineProperty(process, "stdin", { value: stdin, configurable: true });
  // Imported late, because modules read the path of the program when they are loaded.
  const { runCommandLine } = await import("../../src/cli/run-command-line.ts");
  const exit = await runCommandLine(words);
  process.chdir("/");
  const [stdout, stderr] = ["stdout", "stderr"].map((name) => readFileSync(join(folder, name), "utf8"));
  return { exit, stdout, stderr };
}
