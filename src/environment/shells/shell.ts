import { randomBytes } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import type { Confinement } from "../../contract/confinement.ts";
import type { Environment, ProcessExit, RunningProcess } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import type { RunningCommand, ShellHistory } from "../../contract/process.ts";
import { unlessAborted } from "../../lib/async/abort.ts";
import { waitsForInput } from "../local/processes/inspect-process.ts";
import { OutputStream } from "../local/processes/output-stream.ts";
import { type CommandPipes, PipePool } from "./command-pipes.ts";
import {
  type DriverLine,
  driverLine,
  giveUp,
  Messages,
  opening,
  readEnd,
  readErrors,
  shellArguments,
} from "./driver.ts";
import { endCommand, ShellProcesses } from "./shell-processes.ts";

export interface ShellOrder extends Pick<DriverLine, "command" | "cwd" | "env"> {
  readonly signal: AbortSignal;
  readonly makePipes: (paths: readonly string[]) => Promise<void>;
  readonly onData: (bytes: Uint8Array) => void;
}

export type Ran = Omit<RunningCommand, "attach">;

/** A bash that runs one command after the other. It keeps the confinement of the environment that started it. */
export interface AnyShell {
  /** Resolves when all processes of the shell have ended. */
  readonly ended: Promise<ProcessExit>;
  readonly hasEnded: boolean;
  readonly running: Pick<RunningProcess, "pid" | "sandbox" | "uncovered">;
  /** Returns the directory according to the system, not the shell; undefined when unknown. */
  directory(): string | undefined;
  run(order: ShellOrder): Promise<Ran>;
  stop(): void;
}

/** A shell of this machine. */
export class Shell implements AnyShell {
  readonly ended: Promise<ProcessExit>;
  readonly running: RunningProcess;
  readonly #processes: ShellProcesses;
  readonly #pipes: PipePool;
  readonly #messages: Messages;
  readonly #graceMs: number;
  #lastCode = 0;
  hasEnded = false;

  /**
   * Starts a shell. `directory` is private to it, and the only directory of Toolcrib that it sees. `signal` stops it.
   */
  static async open(
    environment: Environment,
    options: {
      readonly directory: string;
      readonly cwd: string;
      readonly confinement?: Confinement | undefined;
      readonly caller?: object | undefined;
      readonly signal: AbortSignal;
      /** The time until a program that ignores the end of its command is killed. Default: 2 s. */
      readonly graceMs?: number | undefined;
    },
  ): Promise<Shell> {
    const { directory, cwd, confinement, caller, signal, graceMs = usualGraceMs } = options;
    const running = await environment.start("bash", {
      args: shellArguments,
      input: "open",
      ...{ cwd, caller, signal },
      confinement: { ...confinement, writable: [...(confinement?.writable ?? []), directory] },
    });
    const messages = new Messages(running.stdout);
    const errors = readErrors(running.stderr);
    const began = messages.next();
    running.write(Buffer.from(opening)).catch(() => {});
    const inner = await Promise.race([began, running.exit.then(() => undefined)]);
    if (inner !== undefined) return new Shell(running, messages, Number(inner), { directory, graceMs });
    running.stop();
    const reason = (await errors) || "it ended at once";
    throw new ToolError("unavailable", `No shell could be started: ${reason}`, {
      hint: "Run the command without a session.",
    });
  }

  private constructor(
    running: RunningProcess,
    messages: Messages,
    inner: number,
    { directory, graceMs }: { readonly directory: string; readonly graceMs: number },
  ) {
    this.running = running;
    this.#graceMs = graceMs;
    this.#messages = messages;
    this.#processes = new ShellProcesses(running.pid, inner);
    this.#pipes = new PipePool(directory);
    this.ended = running.exit.then((exit) => {
      this.hasEnded = true;
      this.#pipes.close();
      return exit;
    });
  }

  directory(): string | undefined {
    return this.#processes.directory();
  }

  stop(): void {
    if (this.#processes.signalShell(giveUp)) {
      this.running.endInput();
      this.running.terminate();
    } else {
      this.running.stop();
    }
  }

  async run(order: ShellOrder): Promise<Ran> {
    const unseen = this.#pipes.takeUnseen();
    const pipes = await this.#pipes.take(order.makePipes, order.onData);
    const mark = randomBytes(12).toString("hex");
    const bystanders = new Set(this.#processes.children());
    const over = Promise.race([this.#endOf(mark), this.ended]);
    const line = driverLine({ ...order, ...pipes.paths, mark, lastCode: this.#lastCode });
    // The write fails only if the shell has ended, which `over` reports.
    this.running.write(Buffer.from(line)).catch(() => {});
    const remarks = unseen === 0 ? [] : [writtenUnseen(unseen)];
    return {
      stdout: new OutputStream(pipes.stdout.stream),
      stderr: new OutputStream(pipes.stderr.stream),
      exit: this.#exit(over, pipes, this.#endWhenAborted(order.signal, over, bystanders), remarks),
      sandbox: this.running.sandbox,
      waitsForInput: async () => {
        const members = this.#processes.below(bystanders).map((pid) => ({ pid }));
        return waitsForInput(members, { outputs: Object.values(pipes.paths) });
      },
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
    // The next command must not begin while signals are still sent to stop this one.
    const isLost = await wasLost;
    await Promise.all([pipes.stdout.finish(), pipes.stderr.finish()]);
    if ("cwd" in end) {
      this.#lastCode = end.code;
      const cwd = this.directory() ?? end.cwd;
      const isIdle = this.#processes.children().length === 0;
      const settled = (await this.running.settle?.(isIdle)) ?? [];
      return { code: end.code, signal: undefined, cwd, remarks: [...remarks, ...settled] };
    }
    const why = isLost
      ? "The shell of this session did not return from the command and was ended. The next command starts a new one: the directory, variables and functions are gone."
      : "The command ended the shell of this session. The next command starts a new one: the directory, variables and functions are gone.";
    return { code: end.code, signal: end.signal, cwd: undefined, remarks: [...remarks, why, ...end.remarks] };
  }

  /** Stops a cancelled command, and the shell if it does not return. Returns whether the shell was stopped. */
  async #endWhenAborted(
    signal: AbortSignal,
    over: Promise<unknown>,
    bystanders: ReadonlySet<number>,
  ): Promise<boolean> {
    let isOver = false;
    await unlessAborted(
      over.then(() => {
        isOver = true;
      }),
      signal,
    );
    if (isOver) return false;
    const giveUpBy = await endCommand(this.#processes, bystanders, this.#graceMs);
    if (giveUpBy !== undefined) {
      if (!isOver) this.#processes.signalShell(giveUpBy);
      this.#processes.signalShell("SIGCONT");
      const isBack = await Promise.race([over.then(() => true), setTimeout(returnMs, false)]);
      if (isBack) return false;
    }
    this.running.stop();
    return true;
  }
}

const usualGraceMs = 2000;
const returnMs = 1000;

function writtenUnseen(bytes: number): string {
  return `Jobs of earlier commands in this session have written ${bytes} bytes since, which were dropped. Redirect their output to a file, or use process.start.`;
}

const mostCharacters = 4 * 1024 * 1024;

/** A shell with its status and its commands, up to a limit. */
export class OpenShell {
  readonly shell: AnyShell;
  readonly confinement: Environment["confinement"];
  readonly startedAt: number = Date.now();
  lastOutput: number = Date.now();
  endedAt: number | undefined;
  exit: ProcessExit | undefined;
  /** Whether the end of the shell was reported. */
  isReported = false;
  isTyped = false;
  readonly #commands = new Set<string>();
  #length = 0;

  constructor(shell: AnyShell, confinement: Environment["confinement"]) {
    this.shell = shell;
    this.confinement = confinement;
    void shell.ended.then((exit) => {
      this.exit = exit;
      this.endedAt = Date.now();
    });
  }

  note({ command }: { readonly command: string }): void {
    if (this.#commands.has(command)) return;
    this.#length += command.length;
    if (this.#isWhole) this.#commands.add(command);
  }

  history(): ShellHistory {
    return { commands: [...this.#commands], isWhole: this.#isWhole, cwd: this.shell.directory() };
  }

  /** Takes over the commands of a shell whose variables this one has. */
  continueFrom(other: OpenShell): void {
    for (const command of other.#commands) this.#commands.add(command);
    this.#length += other.#length;
  }

  takeTyped(): boolean {
    const { isTyped } = this;
    this.isTyped = false;
    return isTyped;
  }

  get #isWhole(): boolean {
    return this.#length <= mostCharacters;
  }
}
