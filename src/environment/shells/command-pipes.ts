import { randomBytes } from "node:crypto";
import { closeSync, constants, fstatSync, openSync } from "node:fs";
import { join } from "node:path";
import { ToolError } from "../../contract/error.ts";
import { ComplaintFilter } from "./complaint-filter.ts";
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
  /** By jobs that have ended. */
  #unseenBytes = 0;

  constructor(directory: string) {
    this.#directory = directory;
  }

  async take(
    makePipes: (paths: readonly string[]) => Promise<void>,
    onData: (bytes: Uint8Array) => void,
  ): Promise<CommandPipes> {
    const { paths, handles } = this.#reopen() ?? (await this.#make(makePipes));
    const pipes = {
      paths,
      stdout: new PipedOutput(handles[0], onData),
      stderr: new PipedOutput(handles[1], onData, new ComplaintFilter()),
    };
    this.#open.add(pipes);
    void Promise.all([pipes.stdout.closed, pipes.stderr.closed]).then(() => {
      this.#open.delete(pipes);
      this.#unseenBytes += unseenOf(pipes);
      this.#free.push(paths);
    });
    return pipes;
  }

  /** What jobs of earlier commands have written since this was last asked. */
  takeUnseen(): number {
    let bytes = this.#unseenBytes;
    this.#unseenBytes = 0;
    for (const pipes of this.#open) bytes += unseenOf(pipes);
    return bytes;
  }

  close(): void {
    for (const { stdout, stderr } of this.#open) {
      stdout.close();
      stderr.close();
    }
  }

  #reopen(): OpenedPipes | undefined {
    for (;;) {
      const paths = this.#free.pop();
      const opened = paths && open(paths);
      if (paths === undefined || opened !== undefined) return opened;
    }
  }

  async #make(makePipes: (paths: readonly string[]) => Promise<void>): Promise<OpenedPipes> {
    const name = randomBytes(9).toString("base64url");
    const paths = {
      stdout: join(this.#directory, `${name}.out`),
      stderr: join(this.#directory, `${name}.err`),
    };
    await makePipes([paths.stdout, paths.stderr]);
    const opened = open(paths);
    if (opened !== undefined) return opened;
    throw new ToolError("unavailable", "A command of this session has taken away the pipes of the next", {
      hint: "Stop the session, or use another.",
    });
  }
}

function unseenOf({ stdout, stderr }: CommandPipes): number {
  return stdout.takeUnseen() + stderr.takeUnseen();
}

interface OpenedPipes {
  readonly paths: CommandPipes["paths"];
  readonly handles: readonly [stdout: number, stderr: number];
}

function open(paths: CommandPipes["paths"]): OpenedPipes | undefined {
  const stdout = openPipe(paths.stdout);
  const stderr = stdout === undefined ? undefined : openPipe(paths.stderr);
  if (stdout !== undefined && stderr !== undefined) return { paths, handles: [stdout, stderr] };
  if (stdout !== undefined) closeSync(stdout);
  return undefined;
}

/** Commands can put something else in its place, a link to a secret first of all, that we can read and they cannot. */
function openPipe(path: string): number | undefined {
  const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = constants;
  try {
    const handle = openSync(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
    if (fstatSync(handle).isFIFO()) return handle;
    closeSync(handle);
  } catch {
    // It is gone, or a link.
  }
  return undefined;
}
