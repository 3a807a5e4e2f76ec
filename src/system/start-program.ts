import type { fork, spawn } from "node:child_process";
import { isAbsolute } from "node:path";
import { promisify } from "node:util";

export type { ChildProcess, ChildProcessByStdio } from "node:child_process";

/**
 * Starts a program as `spawn` of Node does. Every program that Toolcrib starts comes through here. It is named by its
 * absolute path (see `ProgramFinder`): the PATH may contain folders that a project or a call can write.
 */
export const startProgram: typeof spawn = ((file: string, ...rest: [string[], object]) => {
  requireAbsolute(file);
  return childProcess().spawn(file, ...rest);
}) as typeof spawn;

/** Does the same for a short program, and returns its output. Rejects unless it ends with code 0. */
export async function outputOfProgram(
  file: string,
  args: readonly string[],
  options: { readonly env: NodeJS.ProcessEnv; readonly cwd?: string; readonly timeout?: number },
): Promise<string> {
  requireAbsolute(file);
  const running = promisify(childProcess().execFile)(file, args, { ...options, killSignal: "SIGKILL" });
  running.child.stdin?.on("error", () => {}).end();
  return (await running).stdout;
}

/** Does the same, and blocks meanwhile. For programs that take milliseconds. */
export function outputOfProgramNow(
  file: string,
  args: readonly string[],
  options: { readonly env: NodeJS.ProcessEnv; readonly cwd: string; readonly timeout: number },
): Buffer {
  requireAbsolute(file);
  const stdio = ["ignore", "pipe", "ignore"] as const;
  return childProcess().execFileSync(file, args, { ...options, stdio: [...stdio], killSignal: "SIGKILL" });
}

/** Starts a module in a Node process of its own. */
export const startModule: typeof fork = ((...given: Parameters<typeof fork>) =>
  childProcess().fork(...given)) as typeof fork;

/** Loaded on first use: most calls start no program. */
function childProcess(): typeof import("node:child_process") {
  return process.getBuiltinModule("node:child_process");
}

function requireAbsolute(file: string): void {
  if (!isAbsolute(file)) throw new Error(`${JSON.stringify(file)} is not an absolute path`);
}
