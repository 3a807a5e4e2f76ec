import { randomBytes } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import type { SandboxLevel } from "../../contract/call.ts";
import type { Environment, ProcessExit, RunningProcess } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import type { RunningCommand, ShellHistory } from "../../contract/process.ts";
import { unlessAborted } from "../../lib/async/abort.ts";
import { OutputStream } from "../local/processes/output-stream.ts";
import { type CommandPipes, PipePool } from "./command-pipes.ts";
import {
  type DriverLine,
  driverLine,
  giveUp,
  lastWords,
  Messages,
  opening,
  readEnd,
  shellArguments,
} from "./driver.ts";
import { endCommand, ShellProcesses } from "./shell-processes.ts";

/** One command for a shell, whose turn it is. */
export interface Order extends Pick<DriverLine, "command" | "cwd" | "env"> {
  readonly signal: AbortSignal;
  readonly makePipes: (paths: readonly string[]) => Promise<void>;
  /** Called for all output as it comes. */
  readonly onData: (bytes: Uint8Array) => void;
}

export type Ran = Omit<RunningCommand, "attach">;

/** A bash that reads one command after the other, confined as the environment says that it was begun with. */
export class Shell {
  /** When nothing of it is left. */
  readonly ended: Promise<ProcessExit>;
  readonly #running: RunningProcess;
  readonly #processes: ShellProcesses;
  readonly #pipes: PipePool;
  readonly #messages: Messages;
  #lastCode = 0;
  #hasEnded = false;

  /** `directory` is private to this shell; it sees none of Toolcrib's other files. `signal` ends it. */
  static async open(
    environment: Environment,
    options: { readonly directory: string; readonly cwd: string; readonly signal: AbortSignal },
  ): Promise<Shell> {
    const running = await environment.start("bash", {
      args: shellArguments,
      cwd: options.cwd,
      input: "open",
      confinement: { writable: [options.directory] },
      signal: options.signal,
    });
    const messages = new Messages(running.stdout);
    const complaint = lastWords(running.stderr);
    const began = messages.next();
    running.write(Buffer.from(opening)).catch(() => {});
    const inner = await Promise.race([began, running.exit.then(() => undefined)]);
    if (inner !== undefined) return new Shell(running, messages, Number(inner), options.directory);
    running.stop();
    throw new ToolError(
      "unavailable",
      `No shell could be begun: ${(await complaint) || "it ended at once"}`,
      {
        hint: "Run the command without a session.",
      },
    );
  }

  private constructor(running: RunningProcess, messages: Messages, inner: number, directory: string) {
    this.#running = running;
    this.#messages = messages;
    this.#processes = new ShellProcesses(running.pid, inner);
    this.#pipes = new PipePool(directory);
    this.ended = running.exit.then((exit) => {
      this.#hasEnded = true;
      this.#pipes.close();
      return exit;
    });
  }

  get sandbox(): SandboxLevel {
    return this.#running.sandbox;
  }

  get pid(): number {
    return this.#running.pid;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** According to the system, not the shell; undefined when it is unknown. */
  directory(): string | undefined {
    return this.#processes.directory();
  }

  /** Paths that were created since it started, and should be out of its reach. */
  async uncovered(): Promise<string | undefined> {
    return this.#running.uncovered?.();
  }

  /** With all that it runs; nothing more is begun. */
  stop(): void {
    if (this.#processes.tellShell(giveUp)) {
      this.#running.endInput();
      this.#running.terminate();
    } else {
      this.#running.stop();
    }
  }

  async run(order: Order): Promise<Ran> {
    const unseen = this.#pipes.takeUnseen();
    const pipes = await this.#pipes.take(order.makePipes, order.onData);
    const mark = randomBytes(12).toString("hex");
    const bystanders = new Set(this.#processes.children());
    const over = Promise.race([this.#endOf(mark), this.ended]);
    const line = driverLine({ ...order, ...pipes.paths, mark, lastCode: this.#lastCode });
    // A shell that reads no more has ended, or will be ended.
    this.#running.write(Buffer.from(line)).catch(() => {});
    const remarks = unseen === 0 ? [] : [writtenUnseen(unseen)];
    return {
      stdout: new OutputStream(pipes.stdout.stream),
      stderr: new OutputStream(pipes.stderr.stream),
      exit: this.#exit(over, pipes, this.#heed(order.signal, over, bystanders), remarks),
      sandbox: this.sandbox,
    };
  }

  async #endOf(mark: string): Promise<{ readonly code: number; readonly cwd: string }> {
    for (;;) {
      const end = readEnd(await this.#messages.next(), mark);
      if (end !== undefined) return end;
    }
  }

  async #exit(
    over: Promise<ProcessExit | { readonly code: number; readonly cwd: string }>,
    pipes: CommandPipes,
    wasLost: Promise<boolean>,
    remarks: readonly string[],
  ): Awaited<Ran["exit"]> extends infer Exit ? Promise<Exit> : never {
    const end = await over;
    // The next command begins only when nothing more is sent to end this one.
    const isLost = await wasLost;
    await Promise.all([pipes.stdout.finish(), pipes.stderr.finish()]);
    if ("cwd" in end) {
      this.#lastCode = end.code;
      const cwd = this.directory() ?? end.cwd;
      const told = (await this.#running.settle?.()) ?? [];
      return { code: end.code, signal: undefined, cwd, remarks: [...remarks, ...told] };
    }
    const why = isLost
      ? "The shell of this session did not come back from the command and was ended: directory, variables and functions are gone. The next command begins a new one."
      : "The command ended the shell of this session. The next command begins a new one, without its directory, variables and functions.";
    return {
      code: end.code,
      signal: end.signal,
      cwd: undefined,
      remarks: [...remarks, why, ...end.remarks],
    };
  }

  /** Ends a cancelled command, and the shell if it does not come back. Returns whether the shell was ended. */
  async #heed(
    signal: AbortSignal,
    over: Promise<unknown>,
    bystanders: ReadonlySet<number>,
  ): Promise<boolean> {
    let isOver = false;
    const ended = over.then(() => {
      isOver = true;
    });
    await unlessAborted(ended, signal);
    if (isOver) return false;
    const giveUpBy = await endCommand(this.#processes, bystanders);
    if (giveUpBy !== undefined) {
      if (!isOver) this.#processes.tellShell(giveUpBy);
      this.#processes.tellShell("SIGCONT");
      const isBack = await Promise.race([over.then(() => true), setTimeout(comingBackMs, false)]);
      if (isBack) return false;
    }
    this.#running.stop();
    return true;
  }
}

const comingBackMs = 1000;

function writtenUnseen(bytes: number): string {
  return `Jobs of earlier commands in this session have written ${bytes} bytes since, which nobody sees: let them write to a file, or use process.start.`;
}

/** Remembers the commands of one shell, within bounds. */
class ShellRecord {
  readonly #commands = new Set<string>();
  readonly #directory: () => string | undefined;
  #length = 0;

  constructor(directory: () => string | undefined) {
    this.#directory = directory;
  }

  note({ command }: { readonly command: string }): void {
    if (this.#commands.has(command)) return;
    this.#length += command.length;
    if (this.#isWhole) this.#commands.add(command);
  }

  past(): ShellHistory {
    return { commands: [...this.#commands], isWhole: this.#isWhole, cwd: this.#directory() };
  }

  get #isWhole(): boolean {
    return this.#length <= mostCharacters;
  }
}

const mostCharacters = 4 * 1024 * 1024;

/** A shell and its status. */
export class OpenShell extends ShellRecord {
  readonly shell: Shell;
  readonly confinement: Environment["confinement"];
  readonly startedAt: number = Date.now();
  lastSaid: number = Date.now();
  endedAt: number | undefined;
  exit: Awaited<Shell["ended"]> | undefined;
  /** Its end was reported. */
  isToldOf = false;
  isTyped = false;

  constructor(shell: Shell, confinement: Environment["confinement"]) {
    super(() => shell.directory());
    this.shell = shell;
    this.confinement = confinement;
    void shell.ended.then((exit) => {
      this.exit = exit;
      this.endedAt = Date.now();
    });
  }

  takeTyped(): boolean {
    const { isTyped } = this;
    this.isTyped = false;
    return isTyped;
  }
}
