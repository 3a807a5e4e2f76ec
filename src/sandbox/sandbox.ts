import type { Socket } from "node:net";
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
  /**
   * Connects to a server in the network that all commands share; undefined while none listens on this port. Missing when
   * commands use the machine's own network.
   */
  connect?(port: number): Promise<Socket | undefined>;
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
  /** The ports of servers inside that programs of this machine can reach, too. */
  readonly exposed?: readonly number[] | undefined;
  /** Further paths that commands see, without secrets; "/" for the whole machine. Default: none. */
  readonly alsoVisible?: readonly string[] | undefined;
  /** A temporary directory that commands share with other sessions. Default: one of the session, which is removed. */
  readonly temporary?: string | undefined;
  /** Returns the absolute path of a program outside the workspace; throws `unavailable` when there is none. */
  readonly findProgram: (name: string) => Promise<string>;
}

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
  started(child: StartedChild): Promise<void>;
  /** Connects to this port of the program's loopback; undefined while no server listens on it. */
  connect(port: number): Promise<Socket | undefined>;
  /**
   * Repairs damage that the sandbox could not prevent, while the program runs. Returns remarks. With `isIdle`, the program
   * changes nothing until `uncovered` is called.
   */
  settle?(isIdle: boolean): Promise<readonly string[]>;
  /**
   * Returns a path that a newly started sandbox would hide or protect, but this one does not. For shells that stay open,
   * before each command.
   */
  uncovered?(): Promise<string | undefined>;
  /** Returns the names of processes that had to end with the program. Call it when it has ended by itself. */
  left?(): Promise<readonly string[]>;
  /** Cleans up when the program and all its processes have ended, or could not be started. Returns remarks. */
  finished(): Promise<readonly string[]>;
}

interface StartedChild {
  readonly pid: number;
  readonly channels: readonly Duplex[];
  /** Ends everything that runs in the sandbox. */
  kill(): void;
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
    connect: connectOnLoopback,
    finished: async () => [],
  };
}

/** Connects to a server on this machine's loopback; undefined while none listens on this port. */
export async function connectOnLoopback(port: number): Promise<Socket | undefined> {
  // The module is loaded on first use, because every command loads this file.
  const { connect } = await import("node:net");
  for (const host of ["127.0.0.1", "::1"]) {
    const socket = connect({ host, port, allowHalfOpen: true, noDelay: true });
    const isConnected = await new Promise<boolean>((resolve) => {
      socket.once("connect", () => resolve(true)).on("error", () => resolve(false));
    });
    if (isConnected) return socket;
  }
  return undefined;
}
