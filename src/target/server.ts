import "../lib/check-node.ts";
import { timingSafeEqual } from "node:crypto";
import { rmSync, writeSync } from "node:fs";
import type { Socket } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Environment, MachineFacts } from "../contract/environment.ts";
import { ToolError } from "../contract/error.ts";
import { openLocalEnvironment } from "../environment/local/local-environment.ts";
import { RunRecords } from "../environment/local/processes/run-records.ts";
import type { AttachAnswer, IdleLimits } from "../environment/remote/attach-protocol.ts";
import { FrameStream, frameTypes } from "../environment/remote/frames.ts";
import { Link } from "../environment/remote/link.ts";
import { parseHello, type Refusal } from "../environment/remote/link-greeting.ts";
import { overrideEnvironment } from "../lib/override-environment.ts";
import type { SandboxOptions } from "../sandbox/open-sandbox.ts";
import { type Lab, openLab } from "../sandbox/proof/lab.ts";
import { type AttackedMachine, LabMachine } from "../sandbox/proof/prove-boundary.ts";
import { restoreAbandoned } from "../sandbox/restore-abandoned.ts";
import { attemptQuietly } from "../system/attempt.ts";
import { realLocation, realWorkspace, userDirectories, workspaceFiles } from "../system/directories.ts";
import { isOnPath } from "../system/is-on-path.ts";
import { PrivateSocket } from "../system/private-socket.ts";
import { thisProcess } from "../system/process-identity.ts";
import { acceptPipes } from "./direct-pipes.ts";
import type { StoredRecord } from "./left-here.ts";
import { recordName, sessionFolder, socketName, storeFile } from "./target-folder.ts";

// The server of one session: it keeps the environment and its processes while the client is not connected, and ends with the
// session.

/** The argument of this program, as JSON. */
export interface ServerOptions {
  readonly session: string;
  readonly client: string;
  /** The folder of everything that Toolcrib leaves on this machine. */
  readonly folder: string;
  /** The workspace. */
  readonly directory: string;
  readonly sandbox: string | undefined;
  /** ripgrep that was sent. Default: the one on the PATH. */
  readonly ripgrep: string | undefined;
  readonly idle: IdleLimits;
  /** Whether the workspace is a temporary one that `doctor` attacks. */
  readonly isLab: boolean | undefined;
}

/** Serves the channel until the client closes it. */
type Serve = (environment: Environment, link: Link, attacked: AttackedMachine | undefined) => Promise<void>;

/** Runs the server of a session until its client closes it, or does not come back. */
export async function runServer(options: ServerOptions, serve: Serve): Promise<void> {
  try {
    const server = await SessionServer.open(options);
    say({ kind: "ready" });
    await server.run(serve);
    process.exit();
  } catch (error) {
    const code = error instanceof ToolError ? error.code : "internal";
    console.error(error);
    say({ kind: "failed", code, message: (error as Error).message });
    process.exit(1);
  }
}

/** Tells the program that has started this one. It reads one line. */
function say(first: AttachAnswer): void {
  try {
    writeSync(1, `${JSON.stringify(first)}\n`);
  } catch {
    // It has been told already, or is gone.
  }
}

class SessionServer {
  readonly #options: ServerOptions;
  readonly #environment: Environment;
  readonly #link: Link;
  readonly #lab: Lab | undefined;
  readonly #startedAt = new Date().toISOString();
  /** The first client decides it. */
  #secret: string | undefined;
  #running = 0;
  #hasEnded = false;
  #idle: NodeJS.Timeout | undefined;

  static async open(options: ServerOptions): Promise<SessionServer> {
    if (!options.isLab) await endAbandoned(options.directory);
    const server = new SessionServer(options, options.isLab ? await openLab() : undefined);
    const here = sessionFolder(options.folder, options.session);
    await PrivateSocket.listenAs(here, socketName, (socket) => {
      server.#accept(socket).catch(() => socket.destroy());
    });
    return server;
  }

  private constructor(options: ServerOptions, lab: Lab | undefined) {
    this.#options = options;
    this.#lab = lab;
    const workspace = realWorkspace(lab?.workspace ?? options.directory);
    const { config, state, cache } = {
      ...userDirectories(),
      ...(lab && { config: lab.config, state: lab.state }),
    };
    const files = workspaceFiles(state, workspace);
    const local = openLocalEnvironment({
      workspace,
      changeRecords: files.changes,
      startRecords: files.started,
      effectRecords: files.scans,
      sandbox: {
        want: (options.sandbox ?? "auto") as SandboxOptions["want"],
        directory: files.sandbox,
        own: [config, cache, options.folder],
      },
      programs: options.ripgrep === undefined ? {} : { rg: options.ripgrep },
    });
    const own = [config, state, cache, options.folder];
    this.#environment = overrideEnvironment(local, {
      home: realLocation(homedir()),
      machine: machineFacts(),
      ownDirectories: [...new Set(own.flatMap((path) => [path, realLocation(path)]))],
      start: async (program, settings) => {
        const process = await local.start(program, settings);
        this.#count(+1);
        void process.exit.catch(() => {}).then(() => this.#count(-1));
        return process;
      },
    });
    this.#link = new Link({
      peer: "the client",
      onDetached: () => this.#update(),
      // The client counts as gone after three unanswered pings.
      pingMs: options.idle.silentMs / 4,
    });
  }

  /** Resolves when the session has ended and everything is cleaned up. */
  async run(serve: Serve): Promise<void> {
    const stop = () => this.#link.lose(new ToolError("unavailable", "The server was stopped"));
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, stop);
    // The terminal or connection of the first client.
    process.on("SIGHUP", () => {});
    this.#update();
    try {
      await serve(this.#environment, this.#link, this.#lab && new LabMachine(this.#lab));
      await this.#link.close();
    } finally {
      await this.#lab?.[Symbol.asyncDispose]();
      this.#hasEnded = true;
      rmSync(sessionFolder(this.#options.folder, this.#options.session), { recursive: true, force: true });
    }
  }

  async #accept(socket: Socket): Promise<void> {
    const late = setTimeout(() => socket.destroy(), this.#options.idle.silentMs);
    socket.ref().once("close", () => clearTimeout(late));
    const stream = await acceptPipes(socket);
    if (stream !== undefined) this.#welcome(new FrameStream(stream), late);
  }

  /** `late` ends a connection whose client does not greet. */
  #welcome(frames: FrameStream, late: NodeJS.Timeout): void {
    frames.onFrame = (type, body) => {
      clearTimeout(late);
      const hello = type === frameTypes.hello ? parseHello(body) : undefined;
      if (hello === undefined) refuse(frames, "protocol");
      else if (hello.session !== this.#options.session || !this.#knows(hello.secret))
        refuse(frames, "session");
      else {
        this.#link.welcome(frames, hello);
        this.#update();
      }
    };
  }

  #knows(secret: string): boolean {
    this.#secret ??= secret;
    const [own, other] = [Buffer.from(this.#secret), Buffer.from(secret)];
    return own.length === other.length && timingSafeEqual(own, other);
  }

  #count(change: number): void {
    this.#running += change;
    this.#update();
  }

  /** Writes the record, and starts or stops the time after which a server without a client ends. */
  #update(): void {
    if (this.#hasEnded) return;
    const { session, client, folder, idle } = this.#options;
    const { isAttached } = this.#link;
    clearTimeout(this.#idle);
    if (!isAttached) {
      const end = () => this.#link.lose(new ToolError("unavailable", "The client did not come back in time"));
      this.#idle = setTimeout(end, this.#running > 0 ? idle.busyMs : idle.idleMs);
    }
    const record: StoredRecord = {
      ...{ session, client, isAttached, running: this.#running, pid: process.pid, owner: thisProcess() },
      ...{ workspace: this.#environment.workspace, startedAt: this.#startedAt },
    };
    const file = join(sessionFolder(folder, session), recordName);
    // The processes matter more than the record: the disk may be full.
    attemptQuietly(() => storeFile(file, Buffer.from(JSON.stringify(record)), 0o600));
  }
}

/**
 * Ends what killed servers have left running in the workspace, and restores what the sandbox changed for it. Changes that a
 * crash interrupted are settled after that.
 */
async function endAbandoned(directory: string): Promise<void> {
  const workspace = realWorkspace(directory);
  const files = workspaceFiles(userDirectories().state, workspace);
  await new RunRecords(files.started).endAbandoned();
  for (const remark of await restoreAbandoned({ workspace, directory: files.sandbox })) console.error(remark);
}

function machineFacts(): MachineFacts {
  return {
    node: process.version,
    platform: `${process.platform}-${process.arch}`,
    missing: (["git", "bash"] as const).filter((program) => !isOnPath(program)),
  };
}

function refuse(frames: FrameStream, reason: Refusal): void {
  frames.sendJson(frameTypes.refused, { reason });
  frames.finish();
}
