import type { Duplex } from "node:stream";
import type { SandboxLevel } from "../contract/account.ts";
import type { Confinement } from "../contract/confinement.ts";
import type { SandboxReport } from "../contract/environment.ts";

/** One way to confine programs. */
export interface Sandbox {
  readonly level: SandboxLevel;
  readonly report: SandboxReport;
  /** Where pipes must be made so that programs that were handed one can open it again; anywhere if not said. */
  readonly pipes?: string;
  /** What to start instead, so that the program runs confined. `unavailable` when that cannot be done: never less. */
  prepare(launch: Launch): Promise<PreparedLaunch>;
  /** Removes what was made for this session: its home and its temporary directory. */
  close(): Promise<void>;
}

/** A program about to be started. All paths are absolute and real. */
export interface Launch {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly confinement: Confinement;
  /** What it listens on is to be reached from here. */
  readonly reachable: boolean;
  /** It makes itself a terminal. */
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
   * which is handed to `started`.
   */
  readonly descriptors: readonly (number | "channel")[];
  /** Everything it starts ends with it: it has process numbers of its own. */
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
  /** Where what it listens on at this port can be reached from here; undefined while nobody listens. */
  reach(port: number): Promise<{ readonly host: string; readonly port: number } | undefined>;
  /** Puts right what the sandbox could not prevent so far, while it goes on running. Tells. */
  settle?(): Promise<readonly string[]>;
  /** What has come into being since that would be hidden or protected by now, and is not; undefined if nothing. */
  uncovered?(): Promise<string | undefined>;
  /** Tidies up when nothing of it runs any more, also when it could not be started. Tells what happened inside. */
  finished(): Promise<readonly string[]>;
}
