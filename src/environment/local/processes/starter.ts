import type { Socket } from "node:net";
import { join } from "node:path";
import type { SandboxLevel } from "../../../contract/call.ts";
import type { AbsentPath, Confinement } from "../../../contract/confinement.ts";
import type { ProcessStartOptions, RunningProcess, SandboxReport } from "../../../contract/environment.ts";
import { ToolError } from "../../../contract/error.ts";
import { LimitWatch } from "../../../sandbox/limits/limit-watch.ts";
import { limitsFor } from "../../../sandbox/limits/limits-for.ts";
import { openSandbox, type SandboxOptions } from "../../../sandbox/open-sandbox.ts";
import { ownCode } from "../../../sandbox/own-code.ts";
import { connectOnLoopback, NoSandbox, type Sandbox } from "../../../sandbox/sandbox.ts";
import {
  allowedVariables,
  offlineVariables,
  runVariable,
  someHostsVariables,
  usualVariables,
} from "../../../system/environment-variables.ts";
import { ProgramFinder, type Programs } from "../../../system/find-program.ts";
import { inTerminal } from "../../../system/pseudo-terminal.ts";
import { listensOn } from "./inspect-process.ts";
import { OutputPipes } from "./output-stream.ts";
import type { OwnDirectories } from "./own-directories.ts";
import { RunRecords } from "./run-records.ts";
import { Runs } from "./runs.ts";
import { startProcess } from "./start-process.ts";

export interface StarterOptions {
  readonly workspace: string;
  /** Folders outside the workspace that tools can write. */
  readonly writable: readonly string[];
  readonly programs: Programs;
  readonly records: string | undefined;
  /** The time between SIGTERM and SIGKILL. Default: 2 s. */
  readonly graceMs: number | undefined;
  readonly sandbox: SandboxOptions | undefined;
}

/** Starts programs for one environment, confined unless they are built-in. */
export class Starter {
  readonly #options: StarterOptions;
  readonly #programs: ProgramFinder;
  readonly #runs: Runs;
  readonly #pipes = new OutputPipes((name) => this.find(name));
  #ownDirectories: OwnDirectories | undefined;
  #sandbox: Promise<Sandbox> | undefined;
  #ownCode: readonly AbsentPath[] | undefined;

  constructor(options: StarterOptions) {
    this.#options = options;
    this.#programs = new ProgramFinder(options.programs, [options.workspace, ...options.writable]);
    this.#runs = new Runs(options.records === undefined ? undefined : new RunRecords(options.records));
  }

  async report(): Promise<SandboxReport> {
    return (await this.#openSandbox()).report;
  }

  find(program: string): Promise<string> {
    return this.#programs.find(program);
  }

  async start(
    file: string,
    directory: StartDirectory,
    options: ProcessStartOptions,
  ): Promise<RunningProcess> {
    try {
      return await this.#start(file, directory, options);
    } catch (error) {
      if (!(error instanceof ToolError) || error.details?.kind !== "sandbox-not-set-up") throw error;
      // A file that an editor saves in this moment is replaced once.
      return this.#start(file, directory, options);
    }
  }

  async #start(
    file: string,
    directory: StartDirectory,
    options: ProcessStartOptions,
  ): Promise<RunningProcess> {
    const { confinement = {}, signal, input, reachable = false } = options;
    const isConfined = confinement !== "ours" && confinement.unconfined !== true;
    const sandbox: Sandbox = isConfined ? await this.#openSandbox() : new NoSandbox();
    const { command, remarks } = await this.#command(file, options);
    const mark = this.#runs.announce();
    try {
      const launch = await sandbox.prepare({
        ...command,
        cwd: directory.realPath,
        env: {
          ...this.#variables(sandbox.level, directory, options),
          ...(await this.#variableOf(options)),
          [runVariable]: withOuterRun(mark),
        },
        confinement: confinement === "ours" ? {} : this.#withOwnCode(confinement),
        reachable,
        terminal: command.file !== file,
      });
      const cwd = launch.cwd === directory.realPath ? directory.ownPath : launch.cwd;
      const isOurs = confinement === "ours";
      const outputs = isOurs ? undefined : await this.#pipes.take(sandbox.pipes);
      const watch = isOurs ? undefined : new LimitWatch(limitsFor(confinement, this.#options.workspace));
      return await startProcess({
        ...{ input, outputs, signal, watch, mark, remarks, runs: this.#runs },
        launch: { ...launch, cwd },
        sandbox: sandbox.level,
        graceMs: this.#options.graceMs,
      });
    } catch (error) {
      this.#runs.forget(mark);
      throw error;
    }
  }

  /** Connects to a server that a command here runs; undefined while none listens on this port. */
  async connect(port: number): Promise<Socket | undefined> {
    const sandbox = await this.#sandbox?.catch(() => undefined);
    if (sandbox?.connect !== undefined) return sandbox.connect(port);
    return (await this.listens(port)) ? connectOnLoopback(port) : undefined;
  }

  /** Whether a program that was started here listens on a port. */
  async listens(port: number): Promise<boolean> {
    for (const pids of this.#runs.pids()) {
      const [leader] = pids;
      if (leader !== undefined && (await listensOn(port, () => pids, leader))) return true;
    }
    return false;
  }

  async close(): Promise<void> {
    await this.#runs.close();
    this.#pipes.close();
    const sandbox = await this.#sandbox?.catch(() => undefined);
    await sandbox?.close();
  }

  async #variableOf({ ownDirectory }: ProcessStartOptions): Promise<Record<string, string>> {
    const { sandbox } = this.#options;
    if (ownDirectory === undefined || sandbox === undefined) return {};
    if (this.#ownDirectories === undefined) {
      // The module is loaded on first use, because it needs node:crypto.
      const { OwnDirectories } = await import("./own-directories.ts");
      this.#ownDirectories = new OwnDirectories(join(sandbox.directory, "given"));
    }
    return { [ownDirectory.variable]: this.#ownDirectories.open(ownDirectory) };
  }

  #withOwnCode(confinement: Confinement): Confinement {
    this.#ownCode ??= ownCode(this.#options.workspace);
    return { ...confinement, absent: [...(confinement.absent ?? []), ...this.#ownCode] };
  }

  async #command(file: string, { args, terminal = false }: ProcessStartOptions) {
    const command = { file, args };
    if (!terminal) return { command, remarks: [] };
    const inside = await inTerminal(command, (program) => this.find(program));
    return inside === undefined
      ? { command, remarks: ["The command had no terminal, because neither perl nor script is installed."] }
      : { command: inside, remarks: [] };
  }

  /** Opens the sandbox once, with the first command. */
  #openSandbox(): Promise<Sandbox> {
    const { sandbox, workspace } = this.#options;
    const findProgram = (name: string) => this.find(name);
    const open = async () => {
      if (sandbox === undefined) return new NoSandbox();
      return openSandbox({ ...sandbox, workspace, findProgram });
    };
    // A failure is not kept, because it may have a temporary cause.
    this.#sandbox ??= open().catch((error) => {
      this.#sandbox = undefined;
      throw error;
    });
    return this.#sandbox;
  }

  #variables(level: SandboxLevel, { realPath: PWD }: StartDirectory, options: ProcessStartOptions) {
    const { confinement = {}, terminal = false, env } = options;
    // Outside the sandbox, no program must be found that a project or a call can write.
    const PATH = this.#programs.searchPath;
    if (confinement === "ours") return { ...allowedVariables(process.env), PATH, PWD, ...env };
    const allowed = allowedVariables(process.env, confinement.variables);
    return {
      ...allowed,
      ...usualVariables({ others: allowed, terminal }),
      ...(confinement.unconfined ? { PATH } : {}),
      // The command runs unasked because of its name, so the name means the program of the system.
      ...(confinement.readsOnly ? { PATH: this.#programs.searchPathInside } : {}),
      ...(level === "none" ? {} : confinement.mayConnect ? someHostsVariables : offlineVariables),
      PWD,
      ...env,
    };
  }
}

/** `ownPath` names exactly this directory, even when `realPath` leads to another one. */
type StartDirectory = Readonly<Record<"realPath" | "ownPath", string>>;

/** Adds the mark of an outer run: when a command runs this process, programs started here belong to its run too. */
function withOuterRun(mark: string): string {
  const outer = process.env[runVariable];
  return outer ? `${outer},${mark}` : mark;
}
