import type { Duplex } from "node:stream";
import type { SandboxLevel } from "../contract/call.ts";
import type { Confinement } from "../contract/confinement.ts";
import type { SandboxReport } from "../contract/environment.ts";

/** Confines programs. */
export interface Sandbox {
  readonly level: SandboxLevel;
  readonly report: SandboxReport;
  /** The folder for named pipes that confined programs can open. Default: any folder. */
  readonly pipes?: string;
  /** Returns the program to start so that the given one runs confined. Throws rather than confine it less. */
  prepare(launch: Launch): Promise<PreparedLaunch>;
  /** Removes the private home and temporary directory of this session. */
  close(): Promise<void>;
}

export interface SandboxContext {
  /** The absolute real path. */
  readonly workspace: string;
  /** A private directory for this workspace. */
  readonly directory: string;
  /** Further directories of Toolcrib, which no command sees. */
  readonly own?: readonly string[];
  /** A temporary directory that commands share with other sessions. Default: one of the session, which is removed. */
  readonly temporary?: string | undefined;
  /** Returns the absolute path of a program outside the workspace; throws `unavailable` when there is none. */
  readonly findProgram: (name: string) => Promise<string>;
  /**
   * Returns the directories of the workspace in which an entry was added, removed or replaced, or whose permissions have
   * changed, since the last call; "unknown" when a watch does not know them all this time, and undefined without a watch.
   * Default: there is none.
   */
  readonly changedDirectories?: (() => Promise<ChangedDirectories>) | undefined;
}

export type ChangedDirectories = ReadonlySet<string> | "unknown" | undefined;

/** `missing`: why the sandbox cannot be used on this machine, and how to fix that. */
export type OpenedSandbox = Sandbox | { readonly missing: string };

/** A program about to be started. All paths are absolute and real. */
export interface Launch {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly confinement: Confinement;
  /** Whether the program's ports can be reached from outside the sandbox. */
  readonly reachable: boolean;
  /** Whether the program opens a terminal. */
  readonly terminal?: boolean;
}

export interface PreparedLaunch {
  readonly file: string;
  readonly args: readonly string[];
  /** Undefined when the launched program changes to the directory itself. */
  readonly cwd: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  /** The descriptors that it inherits from 3 on: an open file, which the starter closes, or a channel for `started`. */
  readonly descriptors: readonly (number | "channel")[];
  /** Whether the program has a process namespace, so that everything it starts ends with it. */
  readonly endsTogether: boolean;
  /**
   * Call it when the program is started. Rejects when the sandbox was not set up; the command has not begun then.
   */
  started(child: { readonly pid: number; readonly channels: readonly Duplex[] }): Promise<void>;
  /** Returns the address of the server that listens on this port inside; undefined while none does. */
  reach(port: number): Promise<{ readonly host: string; readonly port: number } | undefined>;
  /** Repairs damage that the sandbox could not prevent, while the program runs. Returns remarks. */
  settle?(): Promise<readonly string[]>;
  /** Returns a path that a newly started sandbox would hide or protect, but this one does not. For shells that stay open. */
  uncovered?(): Promise<string | undefined>;
  /** Cleans up when the program and all its processes have ended, or could not be started. Returns remarks. */
  finished(): Promise<readonly string[]>;
}

/** The hints of an error that only the user can resolve. */
export const doctorHints = {
  hint: "Ask the user to run: toolcrib doctor",
  forUser: { hint: "To see which sandboxes work here, run: toolcrib doctor" },
};

/** Confines nothing. It is used when no sandbox works, and for commands that the user allows outside the sandbox. */
export class NoSandbox implements Sandbox {
  readonly level = "none";
  readonly report: SandboxReport;

  /** `missing` says why no other sandbox works on this machine. */
  constructor(missing: readonly string[] = []) {
    this.report = {
      level: "none",
      missing,
      gaps: [
        "Commands can do everything that the current user can do.",
        "A process that starts a new session with an empty environment (`env -i setsid …`) keeps running after its command ends.",
      ],
    };
  }

  async prepare(launch: Launch): Promise<PreparedLaunch> {
    return unconfined(launch);
  }

  async close(): Promise<void> {}
}

export function unconfined({ file, args, cwd, env }: Launch): PreparedLaunch {
  return {
    file,
    args,
    cwd,
    env,
    descriptors: [],
    endsTogether: false,
    started: async () => {},
    reach: reachOnLoopback,
    finished: async () => [],
  };
}

async function reachOnLoopback(port: number): ReturnType<PreparedLaunch["reach"]> {
  for (const host of ["127.0.0.1", "::1"]) if (await accepts(host, port)) return { host, port };
  return undefined;
}

async function accepts(host: string, port: number): Promise<boolean> {
  // The module is loaded on first use, because every command loads this file.
  const { connect } = await import("node:net");
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (isConnected: boolean) => {
      socket.destroy();
      resolve(isConnected);
    };
    socket.once("connect", () => end(true)).once("error", () => end(false));
  });
}
