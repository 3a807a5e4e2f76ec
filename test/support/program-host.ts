import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";

/** A program that prints and ends when its top level has run. */
export interface HostedProgram {
  readonly script: string;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

export interface ProgramResult {
  readonly stdout: string;
  /** With the error that ended it, if one did. */
  readonly stderr: string;
}

/** One process that runs programs one after the other, so that the modules they import are loaded once. */
export class ProgramHost {
  readonly #child: ChildProcess = fork(new URL("program-host-process.ts", import.meta.url));

  async run(program: HostedProgram): Promise<ProgramResult> {
    const { promise, resolve, reject } = Promise.withResolvers<ProgramResult>();
    const fail = (code: number | null) =>
      reject(new Error(`${program.script} ended its process with ${code}`));
    this.#child.once("message", resolve).once("exit", fail);
    this.#child.send(program);
    try {
      return await promise;
    } finally {
      this.#child.off("message", resolve).off("exit", fail);
    }
  }

  /** Resolves with its exit code as soon as nothing that a program has opened keeps the process running. */
  async end(): Promise<number | null> {
    const exit = once(this.#child, "exit");
    this.#child.disconnect();
    const [code] = await exit;
    return code;
  }
}
