import type { SandboxLevel } from "./call.ts";

/** What runs beside the calls of one tool room: servers, watchers, shells that stay. All of it ends with the room. */
export interface Processes {
  /** Starts a command for bash. Waits until it is ready, if told how to know. `already-exists` for a name in use. */
  start(request: ProcessRequest, options: Waiting): Promise<ProcessStatus>;
  /** Those that run and those that have ended, oldest first. */
  list(): Promise<readonly ProcessStatus[]>;
  /** `not-found` names those that are there. */
  status(name: string): Promise<ProcessStatus>;
  /** What it has said after a cursor, oldest first; the latest if not said. */
  output(name: string, options: OutputRequest): Promise<ProcessOutput>;
  /** Gives it something to read, and tells what it said in answer within a moment. */
  input(name: string, input: ProcessInput, options: Waiting): Promise<ProcessOutput>;
  /** Until it has ended, is ready, or has said something; `timeout` after the time given. */
  wait(name: string, condition: WaitCondition, options: Waiting): Promise<ProcessStatus>;
  /** Where what a process listens on at this port can be reached from here; undefined where none of them listens. */
  reach(port: number): Promise<{ readonly host: string; readonly port: number } | undefined>;
  /** SIGTERM to everything it started, then SIGKILL. */
  stop(name: string): Promise<ProcessStatus>;
}

export interface Waiting {
  readonly signal: AbortSignal;
  /** Told what it waits for. */
  readonly progress?: (message: string) => void;
  /** Told what it says meanwhile. */
  readonly output?: (stream: "stdout" | "stderr", text: string) => void;
}

export interface ProcessRequest {
  readonly command: string;
  /** Unique in the room; made from the command if not said. A "#" in it becomes a number that no other has had. */
  readonly name?: string | undefined;
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly terminal?: boolean | undefined;
  /** "none": it has nothing to read, and can be given nothing. */
  readonly input?: "open" | "none" | undefined;
  readonly ready?: Readiness | undefined;
  readonly readyTimeoutMs?: number | undefined;
  /** Instead of `ready`: until it has ended, but no longer than this. However it ends is told, not thrown. */
  readonly waitMs?: number | undefined;
  /** Ends it after this long. */
  readonly timeoutMs?: number | undefined;
}

/** Whichever is named must come true, all of them. */
export interface Readiness {
  /** Somebody listens on it. */
  readonly port?: number | undefined;
  /** A line of its output matches this regular expression. */
  readonly line?: string | undefined;
  /** It answers a GET with a status below 500: "http://localhost:3000/health". */
  readonly url?: string | undefined;
}

export interface ProcessStatus {
  readonly name: string;
  /** "process": started by process.start or in the background; "shell": stays for `shell.run` with a session. */
  readonly kind: "process" | "shell";
  readonly command: string;
  readonly pid: number;
  readonly state: "starting" | "ready" | "running" | "ended";
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly startedAt: number;
  readonly durationMs: number;
  readonly sandbox: SandboxLevel;
  /** Ports that it listens on, and where each can be reached. */
  readonly ports: readonly { readonly port: number; readonly address: string }[];
  /** The end of its output so far; give it to `output` to see only what comes later. */
  readonly cursor: number;
  /** How long it has said nothing. */
  readonly quietMs: number;
  readonly waitsForInput: boolean;
  /** Handle of all that it has said, once that is too much to be held. */
  readonly output: string | null;
  readonly remarks: readonly string[];
}

export interface OutputRequest {
  /** "last": what no answer has shown yet. */
  readonly cursor?: number | "last" | undefined;
  readonly stream?: "stdout" | "stderr" | undefined;
  readonly maxChars: number;
}

export interface ProcessOutput {
  readonly text: string;
  /** Where it begins: bytes that were said before it. */
  readonly from: number;
  /** Where to go on. */
  readonly cursor: number;
  /** Bytes after the cursor asked for that are no longer held; look for them in `status.output`. */
  readonly lost: number;
  readonly status: ProcessStatus;
}

export interface ProcessInput {
  readonly text: string;
  /** It will be given no more. */
  readonly end?: boolean | undefined;
  /** Until it has ended, but no longer than this; until it has answered, if not said. */
  readonly waitMs?: number | undefined;
  /** Of its answer; 20 000 if not said. */
  readonly maxChars?: number | undefined;
  /** "last": also what it said before, and no answer has shown yet. */
  readonly cursor?: "last" | undefined;
}

export interface WaitCondition {
  readonly until: "exit" | "ready" | "output";
  /** For "output": a regular expression that a line must match, if said. */
  readonly line?: string | undefined;
  /** For "output": only what is said after it counts. If not said: all, where a line is looked for, else from now on. */
  readonly cursor?: number | undefined;
  readonly timeoutMs: number;
}

/** Shells that keep directory, variables and functions between commands. */
export interface Shells {
  /** Runs a command in the shell of this name, which is begun if it is not there. */
  run(name: string, command: ShellCommand): Promise<RunningCommand>;
}

export interface ShellCommand {
  readonly command: string;
  /** Where it starts; the shell stays there. Where the shell is, if not said. */
  readonly cwd?: string;
  /** For this command only. */
  readonly env?: Readonly<Record<string, string>>;
  /** Ends the command, not the shell, if it heeds that; then the shell is lost, and `remarks` say so. */
  readonly signal: AbortSignal;
}

/** One command in a shell that stays. */
export interface RunningCommand {
  readonly stdout: AsyncIterable<Uint8Array>;
  readonly stderr: AsyncIterable<Uint8Array>;
  readonly exit: Promise<{
    readonly code: number | undefined;
    readonly signal: string | undefined;
    /** Where the shell is now. */
    readonly cwd: string | undefined;
    readonly remarks: readonly string[];
  }>;
  readonly sandbox: SandboxLevel;
  /** How a person watches or joins: `tmux -S … attach`; undefined where that cannot be done. */
  readonly attach: string | undefined;
}

/** What a shell that stays has been through: enough to know what it may have become. */
export interface ShellHistory {
  /** What it was told to run, also by a person, each text once, oldest first. */
  readonly commands: readonly string[];
  /** Nothing is missing from `commands`. */
  readonly isWhole: boolean;
  /** Where it is, as the system says; undefined when that cannot be told. */
  readonly cwd: string | undefined;
}
