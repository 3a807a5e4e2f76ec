import { existsSync } from "node:fs";
import type { Environment } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import type { ProcessStatus, RunningCommand, ShellCommand, ShellHistory } from "../../contract/process.ts";
import { isSystemPath } from "../../engine/sandbox/visible.ts";
import { throwIfAborted, unlessAborted } from "../../lib/async/abort.ts";
import { limitsFor } from "../../sandbox/limits/limits-for.ts";
import { describeMetLimit } from "../../sandbox/limits/met-limit.ts";
import { makePipes } from "./command-pipes.ts";
import { compareConfinements } from "./compare-confinements.ts";
import type { ShellCall } from "./open-shells.ts";
import { OpenShell, Shell } from "./shell.ts";
import { ShellElsewhere } from "./shell-elsewhere.ts";
import { printVariables, restoreVariables } from "./shell-variables.ts";
import type { ShellsDirectory } from "./shells-directory.ts";
import { ShownOutput, type TmuxWindows, type Window } from "./tmux-windows.ts";

/** A named session. Its commands run one at a time in one shell, or in a new one when the shell has ended. */
export class Session {
  readonly #name: string;
  readonly #directory: () => ShellsDirectory;
  readonly #windows: () => TmuxWindows | undefined;
  readonly #graceMs: number | undefined;
  #turn: Promise<void> = Promise.resolve();
  #shell: OpenShell | undefined;
  #window: Window | undefined;
  /** The environment of the last call. Commands that the user types run with it. */
  #environment: Environment | undefined;
  #current: { readonly command: string; readonly interruption: AbortController } | undefined;
  #isStopped = false;
  /** Remarks for the next call about shells that were restarted for commands of the user. */
  readonly #pendingRemarks: string[] = [];
  /** Shells that were replaced and still run jobs. */
  readonly #leaving = new Set<OpenShell>();

  constructor(
    name: string,
    parts: {
      readonly directory: () => ShellsDirectory;
      readonly windows: () => TmuxWindows | undefined;
      readonly graceMs: number | undefined;
    },
  ) {
    this.#name = name;
    this.#directory = parts.directory;
    this.#windows = parts.windows;
    this.#graceMs = parts.graceMs;
  }

  async run({ environment, confirm }: ShellCall, command: ShellCommand): Promise<RunningCommand> {
    const done = await this.#takeTurn(command.signal);
    try {
      if (this.#isStopped)
        throw new ToolError("unavailable", `Session ${this.#name} was stopped`, {
          hint: "Run the command again.",
        });
      await confirm?.();
      this.#environment = environment;
      const wanted = command.cwd === undefined ? undefined : await environment.realPath(command.cwd);
      const opening = this.#openWindow(environment);
      const { shell, remarks, cwd } = await this.#openShell(environment, wanted);
      await opening;
      const typed = shell.takeTyped() ? [typedByUser] : [];
      const all = [...this.#pendingRemarks.splice(0), ...remarks, ...typed];
      return await this.#start(shell, { ...command, cwd }, all, done);
    } catch (error) {
      done();
      throw error;
    }
  }

  /** Returns the commands of the running shell; undefined when none is running. */
  history(): ShellHistory | undefined {
    const open = this.#shell;
    return open === undefined || open.shell.hasEnded ? undefined : open.history();
  }

  status(): ProcessStatus | undefined {
    const open = this.#shell;
    if (open === undefined) return undefined;
    const now = Date.now();
    return {
      name: this.#name,
      kind: "shell",
      command: this.#current?.command ?? "bash",
      pid: open.shell.running.pid,
      state: open.shell.hasEnded ? "ended" : this.#current === undefined ? "ready" : "running",
      exitCode: open.exit?.code ?? null,
      signal: open.exit?.signal ?? null,
      startedAt: open.startedAt,
      durationMs: (open.endedAt ?? now) - open.startedAt,
      sandbox: open.shell.running.sandbox,
      ports: [],
      cursor: 0,
      quietMs: now - open.lastOutput,
      waitsForInput: false,
      output: null,
      remarks: this.#window?.isOpen ? [`The user can watch and type with: ${this.#window.attach}`] : [],
    };
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#window?.close();
    const open = [...this.#leaving, ...(this.#shell === undefined ? [] : [this.#shell])];
    for (const { shell } of open) shell.stop();
    await Promise.all(open.map(({ shell }) => shell.ended));
  }

  async #takeTurn(signal: AbortSignal): Promise<() => void> {
    const before = this.#turn;
    const { promise, resolve: done } = Promise.withResolvers<void>();
    this.#turn = promise;
    await unlessAborted(before, signal);
    // When a caller gives up, the next one still waits for the earlier ones.
    if (signal.aborted) void before.then(done);
    throwIfAborted(signal);
    return done;
  }

  async #openShell(environment: Environment, cwd: string | undefined): Promise<ReadyShell> {
    const open = this.#shell;
    if (open !== undefined && !open.shell.hasEnded) {
      const isHidden = (path: string) =>
        environment.keepsShells === true || (existsSync(path) && !isSystemPath(path));
      const { isTooFree, lacks } = compareConfinements(open.confinement, environment.confinement, isHidden);
      const uncovered = isTooFree ? undefined : await open.shell.running.uncovered?.();
      if (!isTooFree && uncovered === undefined)
        return {
          shell: open,
          remarks: lacks.map(
            (what) =>
              `Session ${this.#name} was started without permission to ${what}. Use another session, or none.`,
          ),
          cwd,
        };
      // The new shell must use the old directory, because the policy decided about the command there.
      const directory = cwd ?? open.shell.directory();
      if (uncovered !== undefined) {
        const shell = await this.#openAnew(open, environment, cwd);
        return { shell, remarks: [openedAnew(uncovered)], cwd: directory };
      }
      open.shell.stop();
      await open.shell.ended;
      return { shell: await this.#begin(environment, cwd), remarks: [restarted], cwd: directory };
    }
    const remarks = open?.isReported === false ? [hadEnded] : [];
    return { shell: await this.#begin(environment, cwd), remarks, cwd };
  }

  /** Opens a shell with the exported variables of the old one, which stays open for its jobs. */
  async #openAnew(old: OpenShell, environment: Environment, cwd: string | undefined): Promise<OpenShell> {
    const printed = await this.#runUnseen(old, environment, printVariables);
    this.#leaving.add(old);
    void old.shell.ended.then(({ remarks }) => {
      this.#leaving.delete(old);
      this.#pendingRemarks.push(...remarks);
    });
    void this.#runUnseen(old, environment, "\\builtin wait; \\builtin exit").finally(() => old.shell.stop());
    const opened = await this.#begin(environment, cwd);
    await this.#runUnseen(opened, environment, restoreVariables(printed));
    opened.continueFrom(old);
    return opened;
  }

  /** Runs a command that no caller sees, and returns its output. */
  async #runUnseen({ shell }: OpenShell, environment: Environment, command: string): Promise<string> {
    const running = await shell.run({
      command,
      cwd: undefined,
      env: {},
      signal: new AbortController().signal,
      makePipes: (paths) => makePipes(environment, paths),
      onData: () => {},
    });
    const [output] = await Promise.all([textOf(running.stdout), textOf(running.stderr), running.exit]);
    return output;
  }

  async #begin(environment: Environment, cwd = "."): Promise<OpenShell> {
    const { signal } = new AbortController();
    const shell = environment.keepsShells
      ? await ShellElsewhere.open(environment, { cwd, signal })
      : await Shell.open(environment, {
          directory: this.#directory().forShell(),
          cwd,
          signal,
          graceMs: this.#graceMs,
        });
    this.#shell = new OpenShell(shell, environment.confinement);
    return this.#shell;
  }

  async #start(
    open: OpenShell,
    command: Omit<ShellCommand, "cwd"> & { readonly cwd: string | undefined; readonly isTyped?: boolean },
    remarks: readonly string[],
    done: () => void,
  ): Promise<RunningCommand> {
    const environment = this.#environment!;
    const window = this.#window;
    const interruption = new AbortController();
    // At the output limit the command is stopped, not the shell.
    const { outputBytes: allowed } = limitsFor(environment.confinement ?? {}, environment.workspace);
    const tooMuch = new AbortController();
    let used = 0;
    this.#current = { command: command.command, interruption };
    const shown = new ShownOutput(window);
    window?.show(`\n$ ${command.command.slice(0, mostShown)}\n`);
    const { exit, ...running } = await open.shell.run({
      command: command.command,
      cwd: command.cwd,
      env: command.env ?? {},
      signal: AbortSignal.any([command.signal, interruption.signal, tooMuch.signal]),
      makePipes: (paths) => makePipes(environment, paths),
      onData: (bytes) => {
        open.lastOutput = Date.now();
        shown.take(bytes);
        used += bytes.length;
        if (used > allowed) tooMuch.abort();
      },
    });
    open.note(command);
    // The exit of a shell elsewhere fails with the connection.
    exit.catch(done);
    const ended = exit.then((end) => {
      this.#current = undefined;
      open.isReported = open.shell.hasEnded && command.isTyped !== true;
      window?.show(`${shown.end()}${end.code === 0 ? "" : `[exit ${end.code ?? end.signal}]\n`}`);
      done();
      const byUser = interruption.signal.aborted ? [endedByUser] : [];
      const met = { limit: "outputBytes", allowed, used, wasEnded: true } as const;
      const limits = tooMuch.signal.aborted ? [describeMetLimit(met)] : [];
      const ending = this.#isStopped ? [`Session ${this.#name} was stopped.`] : end.remarks;
      return { ...end, remarks: [...remarks, ...byUser, ...limits, ...ending] };
    });
    return { ...running, exit: ended, attach: window?.attach };
  }

  async #openWindow(environment: Environment): Promise<Window | undefined> {
    if (this.#window?.isOpen) return this.#window;
    const listener = {
      onLine: (line: string) => void this.#type(line),
      onInterrupt: () => this.#current?.interruption.abort(),
    };
    const helpers = { environment, makePipes: (paths: readonly string[]) => makePipes(environment, paths) };
    // A window is optional, so its failure is ignored.
    this.#window = await this.#windows()
      ?.open(this.#name, listener, helpers)
      .catch(() => undefined);
    this.#window?.show(`Session "${this.#name}". Commands typed here run between those of the agent.\n`);
    return this.#window;
  }

  /** Runs a command that the user typed. Only the window shows its output. */
  async #type(line: string): Promise<void> {
    if (line.trim() === "" || this.#isStopped) return;
    const done = await this.#takeTurn(new AbortController().signal);
    try {
      const { shell, remarks, cwd } = await this.#openShell(this.#environment!, undefined);
      this.#pendingRemarks.push(...remarks);
      shell.isTyped = true;
      const never = new AbortController().signal;
      const typed = { command: line, cwd, signal: never, env: {}, isTyped: true };
      const running = await this.#start(shell, typed, [], done);
      await running.exit;
    } catch {
      done();
    }
  }
}

interface ReadyShell {
  readonly shell: OpenShell;
  readonly remarks: readonly string[];
  /** The directory of the command. Default: the shell's current directory. */
  readonly cwd: string | undefined;
}

const mostShown = 4000;

const typedByUser = "The user has typed commands in the window of this session since the last command.";
const endedByUser = "The user ended the command in the window of this session.";
const hadEnded =
  "The shell of this session had ended. This is a new one: the directory, variables and functions are gone.";

const restarted =
  "The shell of this session was restarted, because it could access more than this command may: variables and functions are gone.";

function openedAnew(uncovered: string): string {
  return `The shell of this session was opened again, because the old one could see ${uncovered}: folder, exported variables and running jobs are kept, other variables and functions are gone.`;
}

async function textOf(output: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of output) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}
