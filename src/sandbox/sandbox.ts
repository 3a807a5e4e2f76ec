import type { Duplex } from "node:stream";
import type { SandboxLevel } from "../contract/call.ts";
import type { Confinement } from "../contract/confinement.ts";
import type { SandboxReport } from "../contract/environment.ts";

/** One way to confine programs. */
export interface Sandbox {
  readonly level: SandboxLevel;
  readonly report: SandboxReport;
  /** Where pipes must be created so that programs can open an inherited one again. Default: anywhere. */
  readonly pipes?: string;
  /** What to start instead, so that the program runs confined. `unavailable` when that is impossible: never less. */
  prepare(launch: Launch): Promise<PreparedLaunch>;
  /** Removes the private home and temporary directory of this session. */
  close(): Promise<void>;
}

/** What every kind of sandbox is opened with. */
export interface SandboxContext {
  /** Absolute and real. */
  readonly workspace: string;
  /** Private, for this workspace. */
  readonly directory: string;
  /** Further directories of Toolcrib, which no command sees. */
  readonly own?: readonly string[];
  /** The absolute path of a program that does not come from the workspace; `unavailable` when there is none. */
  readonly findProgram: (name: string) => Promise<string>;
}

/** `missing`: why the sandbox cannot be used here, and what would help. */
export type OpenedSandbox = Sandbox | { readonly missing: string };

/** A program about to be started. All paths are absolute and real. */
export interface Launch {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly confinement: Confinement;
  /** The ports it listens on can be reached from outside the sandbox. */
  readonly reachable: boolean;
  /** It opens a terminal. */
  readonly terminal?: boolean;
}

export interface PreparedLaunch {
  readonly file: string;
  readonly args: readonly string[];
  /** Undefined: the directory is entered inside. */
  readonly cwd: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  /**
   * What it inherits from descriptor 3 on: an open file, which the starter closes once it has started, or a channel,
   * which is passed to `started`.
   */
  readonly descriptors: readonly (number | "channel")[];
  /** Everything it starts ends with it: it has a process namespace. */
  readonly endsTogether: boolean;
  /**
   * Called once it runs. Rejects when the sandbox was not set up; then the program itself has not begun. A sandbox that
   * no longer holds calls `kill`, and `finished` tells why.
   */
  started(child: {
    readonly pid: number;
    readonly channels: readonly Duplex[];
    readonly kill?: () => void;
  }): Promise<void>;
  /** Where to reach the program that listens on this port inside; undefined while none does. */
  reach(port: number): Promise<{ readonly host: string; readonly port: number } | undefined>;
  /** Repairs what the sandbox could not prevent so far, while the program runs on. Returns remarks. */
  settle?(): Promise<readonly string[]>;
  /** A path that would be hidden or protected if the program began now, and is not. */
  uncovered?(): Promise<string | undefined>;
  /** Cleans up when the program and all it started have ended, or could not be started. Returns remarks. */
  finished(): Promise<readonly string[]>;
}

/** No confinement: the last resort, and for commands that the user lets run outside the sandbox. */
export class NoSandbox implements Sandbox {
  readonly level = "none";
  readonly report: SandboxReport;

  /** `missing`: why none of the others works here. */
  constructor(missing: readonly string[] = []) {
    this.report = {
      level: "none",
      missing,
      gaps: [
        "Commands reach all that the user can reach whom the tools run as.",
        "What leaves the session of a command and empties its environment (`env -i setsid …`) is not found at its end, and goes on running.",
      ],
    };
  }

  async prepare(launch: Launch): Promise<PreparedLaunch> {
    return unconfined(launch);
  }

  async close(): Promise<void> {}
}

/** The program itself, unchanged. */
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
  // Loaded on first use: every command loads this file.
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
