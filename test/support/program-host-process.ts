/**
 * The child process of `program-host.ts`: imports one program after the other, each with its own working folder and
 * variables, and answers with its output.
 */
import { pathToFileURL } from "node:url";
import type { HostedProgram, ProgramResult } from "./program-host.ts";

process.on("message", async (program: HostedProgram) => process.send!(await run(program)));

async function run({ script, cwd, env }: HostedProgram): Promise<ProgramResult> {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.chdir(cwd);
  const printed = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"] as const)
    process[stream].write = (text: string | Uint8Array) => {
      printed[stream] += text.toString();
      return true;
    };
  try {
    await import(pathToFileURL(script).href);
  } catch (error) {
    printed.stderr += (error as Error).stack;
  }
  process.chdir("/");
  return printed;
}
