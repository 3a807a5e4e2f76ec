import type { Environment, ProcessExit, RunningProcess } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import type { AnyShell, Ran, ShellOrder } from "./shell.ts";

/** A shell that the environment keeps open, on another machine. */
export class ShellElsewhere implements AnyShell {
  readonly ended: Promise<ProcessExit>;
  readonly running: RunningProcess;
  hasEnded = false;
  #directory: string | undefined;

  static async open(
    environment: Environment,
    options: { readonly cwd: string; readonly signal: AbortSignal },
  ): Promise<ShellElsewhere> {
    return new ShellElsewhere(await environment.start("bash", { args: [], shell: true, ...options }));
  }

  private constructor(running: RunningProcess) {
    this.running = running;
    const lost = ({ message }: Error) => ({ code: undefined, signal: undefined, remarks: [message] });
    this.ended = running.exit.catch(lost).then((exit) => {
      this.hasEnded = true;
      return exit;
    });
  }

  /** Where the last command has left the shell. A command fails when the shell is elsewhere by then. */
  directory(): string | undefined {
    return this.#directory;
  }

  stop(): void {
    this.running.stop();
  }

  async run({ command, cwd, env, signal, onData }: ShellOrder): Promise<Ran> {
    const from = this.#directory;
    try {
      const ran = await this.running.runCommand!({ command, cwd, env, from, signal });
      const exit = ran.exit.then((end) => {
        this.#directory = end.cwd;
        return end;
      });
      return { ...ran, exit, stdout: noticed(ran.stdout, onData), stderr: noticed(ran.stderr, onData) };
    } catch (error) {
      // A decision about the old directory would not hold, so the next one is made without one.
      if (error instanceof ToolError && error.code === "stale") this.#directory = undefined;
      throw error;
    }
  }
}

async function* noticed(
  output: AsyncIterable<Uint8Array>,
  onData: (bytes: Uint8Array) => void,
): AsyncGenerator<Uint8Array> {
  for await (const bytes of output) {
    onData(bytes);
    yield bytes;
  }
}
