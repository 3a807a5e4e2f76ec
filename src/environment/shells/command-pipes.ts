import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { PipedOutput } from "./piped-output.ts";

/** Both outputs of one command. */
export interface CommandPipes {
  readonly stdout: PipedOutput;
  readonly stderr: PipedOutput;
  /** Named pipes that the command opens. */
  readonly paths: { readonly stdout: string; readonly stderr: string };
}

/** The named pipes of one shell. A pair is used again once nothing holds it: each command has its own while it matters. */
export class PipePool {
  readonly #directory: string;
  readonly #free: CommandPipes["paths"][] = [];
  readonly #open = new Set<CommandPipes>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  async take(
    makePipes: (paths: readonly string[]) => Promise<void>,
    onData: (bytes: Uint8Array) => void,
  ): Promise<CommandPipes> {
    const paths = this.#free.pop() ?? (await this.#make(makePipes));
    const pipes = {
      paths,
      stdout: new PipedOutput(paths.stdout, onData),
      stderr: new PipedOutput(paths.stderr, onData),
    };
    this.#open.add(pipes);
    void Promise.all([pipes.stdout.closed, pipes.stderr.closed]).then(() => {
      this.#open.delete(pipes);
      this.#free.push(paths);
    });
    return pipes;
  }

  /** What jobs of earlier commands have written since this was last asked. */
  takeUnseen(): number {
    let bytes = 0;
    for (const { stdout, stderr } of this.#open) bytes += stdout.takeUnseen() + stderr.takeUnseen();
    return bytes;
  }

  close(): void {
    for (const { stdout, stderr } of this.#open) {
      stdout.close();
      stderr.close();
    }
  }

  async #make(makePipes: (paths: readonly string[]) => Promise<void>): Promise<CommandPipes["paths"]> {
    const name = randomBytes(9).toString("base64url");
    const paths = {
      stdout: join(this.#directory, `${name}.out`),
      stderr: join(this.#directory, `${name}.err`),
    };
    await makePipes([paths.stdout, paths.stderr]);
    return paths;
  }
}
