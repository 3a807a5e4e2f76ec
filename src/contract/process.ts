import type { SandboxLevel } from "./call.ts";

/** Background processes and shells of one instance. They end with it. */
export interface Processes {
  /** Starts a bash command and, with `ready`, waits until it is ready. Throws `already-exists` for a name in use. */
  start(request: ProcessRequest, options: Waiting): Promise<ProcessStatus>;
  /** Lists running and ended processes, oldest first. */
  list(): Promise<readonly ProcessStatus[]>;
  /** Returns the status of a process. Throws `not-found` with the known names. */
  status(name: string): Promise<ProcessStatus>;
  /** Returns output after a cursor, oldest first. Default: the latest output. */
  output(name: string, options: OutputRequest): Promise<ProcessOutput>;
  /** Writes to its standard input, and returns its output shortly after. */
  input(name: string, input: ProcessInput, options: Waiting): Promise<ProcessOutput>;
  /** Waits until it has ended, is ready or has printed something. Throws `timeout`. */
  wait(name: string, condition: WaitCondition, options: Waiting): Promise<ProcessStatus>;
  /** Sends SIGTERM to everything that the process started, then SIGKILL. */
  stop(name: string): Promise<ProcessStatus>;
}

export interface Waiting {
  readonly signal: AbortSignal;
  /** Called with the condition that it waits for. */
  readonly progress?: (message: string) => void;
  /** Called with new output while it waits. */
  readonly output?: (stream: "stdout" | "stderr", text: string) => void;
}

export interface ProcessRequest {
  readonly command: string;
  /** Unique in the instance. Default: made from the command. A "#" in it becomes an unused number. */
  readonly name?: string | undefined;
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly terminal?: boolean | undefined;
  /** "none": its standard input is closed. */
  readonly input?: "open" | "none" | undefined;
  readonly ready?: Readiness | undefined;
  readonly readyTimeoutMs?: number | undefined;
  /** Instead of `ready`: waits until it has ended, at most this long. Failures are reported, not thrown. */
  readonly waitMs?: number | undefined;
  /** Kills it after this time. */
  readonly timeoutMs?: number | undefined;
}

/** All given conditions must be met. */
export interface Readiness {
  /** Something listens on this port. */
  readonly port?: number | undefined;
  /** A line of its output matches this regular expression. */
  readonly line?: string | undefined;
  /** A GET of it returns a status below 500: "http://localhost:3000/health". */
  readonly url?: string | undefined;
}

export interface ProcessStatus {
  readonly name: string;
  /** "process": started by process.start or in the background; "shell": a `shell.run` session. */
  readonly kind: "process" | "shell";
  readonly command: string;
  readonly pid: number;
  readonly state: "starting" | "ready" | "running" | "ended";
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly startedAt: number;
  readonly durationMs: number;
  readonly sandbox: SandboxLevel;
  /** Ports that it listens on, with their addresses. */
  readonly ports: readonly { readonly port: number; readonly address: string }[];
  /** The end of its output so far; pass it to `output` to see only later output. */
  readonly cursor: number;
  /** Time since its last output. */
  readonly quietMs: number;
  readonly waitsForInput: boolean;
  /** Handle of its whole output, once that is too long for memory. */
  readonly output: string | null;
  readonly remarks: readonly string[];
}

export interface OutputRequest {
  /** "last": after what was already shown. */
  readonly cursor?: number | "last" | undefined;
  readonly stream?: "stdout" | "stderr" | undefined;
  readonly maxChars: number;
}

export interface ProcessOutput {
  readonly text: string;
  /** The number of bytes before `text`. */
  readonly from: number;
  /** The cursor to continue from. */
  readonly cursor: number;
  /** Bytes after the requested cursor that are no longer in memory; see `status.output`. */
  readonly lost: number;
  readonly status: ProcessStatus;
}

export interface ProcessInput {
  readonly text: string;
  /** Closes its standard input. */
  readonly end?: boolean | undefined;
  /** Waits until it has ended, at most this long. Default: until it has answered. */
  readonly waitMs?: number | undefined;
  /** Maximum length of its answer. Default: 20 000. */
  readonly maxChars?: number | undefined;
  /** "last": also earlier output that was not shown yet. */
  readonly cursor?: "last" | undefined;
}

export interface WaitCondition {
  readonly until: "exit" | "ready" | "output";
  /** For "output": a regular expression that a line must match. */
  readonly line?: string | undefined;
  /** For "output": only later output counts. Default: all output with `line`, else from now on. */
  readonly cursor?: number | undefined;
  readonly timeoutMs: number;
}

/** Persistent shells, which keep directory, variables and functions between commands. */
export interface Shells {
  /** Runs a command in the shell of this name, which is started on first use. */
  run(name: string, command: ShellCommand): Promise<RunningCommand>;
}

export interface ShellCommand {
  readonly command: string;
  /** Where it starts; the shell stays there. Default: where the shell is. */
  readonly cwd?: string;
  /** Variables for this command only. */
  readonly env?: Readonly<Record<string, string>>;
  /** Ends the command. When the command ignores that, the shell is lost and `remarks` say so. */
  readonly signal: AbortSignal;
}

/** One command in a persistent shell. */
export interface RunningCommand {
  readonly stdout: AsyncIterable<Uint8Array>;
  readonly stderr: AsyncIterable<Uint8Array>;
  readonly exit: Promise<{
    readonly code: number | undefined;
    readonly signal: string | undefined;
    /** The current directory of the shell. */
    readonly cwd: string | undefined;
    readonly remarks: readonly string[];
  }>;
  readonly sandbox: SandboxLevel;
  /** The command with which a user can watch or join: `tmux -S … attach`; undefined without tmux. */
  readonly attach: string | undefined;
  /** Whether it waits for input, which it cannot get; undefined when unknown. Default: unknown. */
  waitsForInput?(): Promise<boolean | undefined>;
}

/** The history of a persistent shell, for the command analysis. */
export interface ShellHistory {
  /** Its commands, also those that a user typed, each once, oldest first. */
  readonly commands: readonly string[];
  /** Whether nothing is missing from `commands`. */
  readonly isWhole: boolean;
  /** Its current directory according to the system; undefined when unknown. */
  readonly cwd: string | undefined;
}
