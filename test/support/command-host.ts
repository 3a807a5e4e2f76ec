import { type ChildProcess, fork } from "node:child_process";
import { closeSync, linkSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { launcher } from "./built-program.ts";
import { bundledProgram } from "./bundled-program.ts";
import { temporaryFolder } from "./temporary-folder.ts";

export interface CommandLine {
  readonly words: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly input?: string | Uint8Array;
  /** Standard error goes to standard output, as with `2>&1`. */
  readonly merged?: boolean;
}

export interface CommandResult {
  readonly exit: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs a command line to its end and returns its output, ten times as fast as a separate process. All command lines
 * of a test process run in one child process, one after the other, with pipes instead of a terminal.
 */
export function runInHost(line: CommandLine): Promise<CommandResult> {
  const merged = line.merged ?? false;
  const result = previous.then(async () => {
    const host = hosts.get(merged) ?? new CommandHost(await bundledProgram(program), merged);
    hosts.set(merged, host);
    return host.run(line);
  });
  previous = result.catch(() => hosts.delete(merged));
  return result;
}

const program = new URL("./command-host-program.ts", import.meta.url);

/** The hosts, by whether their outputs are merged. */
const hosts = new Map<boolean, CommandHost>();
let previous: Promise<unknown> = Promise.resolve();

class CommandHost {
  readonly #child: ChildProcess;
  readonly #errors: string;

  constructor(program: string, merged: boolean) {
    const { path: folder } = temporaryFolder();
    const files = ["stdout", "stderr"].map((name) => join(folder, name));
    const descriptors = files.map((file, index) => {
      if (merged && index === 1) linkSync(files[0]!, file);
      return openSync(file, "a");
    });
    this.#errors = files[1]!;
    this.#child = fork(program, [launcher, folder], {
      execArgv: ["--disable-warning=ExperimentalWarning"],
      // The path of the bundle is new in each run, so compiled code would never be used again. Storing it at the end
      // takes seconds on a busy disk, in which the process outlives the tests.
      env: { ...process.env, NODE_DISABLE_COMPILE_CACHE: "1" },
      serialization: "advanced",
      stdio: ["ignore", ...descriptors, "ipc"],
    });
    for (const descriptor of descriptors) closeSync(descriptor);
    // It ends with this process, and removes its folder.
    this.#child.unref();
    this.#child.channel!.unref();
  }

  async run(line: CommandLine): Promise<CommandResult> {
    this.#child.channel!.ref();
    try {
      return await this.#answerTo(line);
    } finally {
      this.#child.channel?.unref();
    }
  }

  #answerTo(line: CommandLine): Promise<CommandResult> {
    return new Promise((resolve, reject) => {
      const settle = (result: CommandResult) => {
        this.#child.off("exit", fail);
        resolve(result);
      };
      const fail = (code: number | null) => {
        this.#child.off("message", settle);
        const words = line.words.join(" ");
        reject(
          new Error(`"${words}" ended its process with ${code}:\n${readFileSync(this.#errors, "utf8")}`),
        );
      };
      this.#child.once("message", settle);
      this.#child.once("exit", fail);
      this.#child.send(line);
    });
  }
}
