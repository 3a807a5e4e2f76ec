import { randomBytes } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { errorCodes, ToolError } from "../../contract/error.ts";
import { BoundedCache } from "../../lib/bounded-cache.ts";
import { printable } from "../../lib/text/printable.ts";
import { attempt } from "../../system/attempt.ts";
import { bundledRipgrep } from "../../system/find-program.ts";
import { version } from "../../system/version.ts";
import {
  type AttachRequest,
  type IdleLimits,
  type LeftOnTarget,
  parseLeft,
  textIn,
} from "./attach-protocol.ts";
import { FrameStream } from "./frames.ts";
import { Link } from "./link.ts";
import type { Refusal } from "./link-greeting.ts";
import type { Target } from "./target.ts";
import { type FileToSend, fileToSend, readTargetPrograms, type TargetPrograms } from "./target-programs.ts";
import { type Answer, connectMsOf, sendMsOf, Transport, type TransportOptions } from "./transport.ts";
import { noNode, uploadNode } from "./upload-node.ts";

export interface ConnectOptions extends TransportOptions {
  /** The id of the server on the target, from `newServerId`. Default: a new one. */
  readonly session?: string | undefined;
  /** The workspace. Default: that of the target, else the directory where the connection begins. */
  readonly directory?: string | undefined;
  /** Which sandbox commands need on the target. Default: the strongest that works there. */
  readonly sandbox?: string | undefined;
  /** A Node executable for the target's platform, sent when the target has none. */
  readonly uploadNode?: string | undefined;
  /** Called with one sentence for each step that takes time. */
  readonly onProgress?: ((message: string) => void) | undefined;
  /** Whether the workspace is a temporary one that `doctor` attacks. */
  readonly isLab?: boolean | undefined;
  /**
   * After how long the server on the target ends by itself. Default: 10 minutes without a client, or 24 hours while processes
   * run. A silent client counts as gone after 20 minutes.
   */
  readonly idle?: IdleLimits | undefined;
  /** How long to try to connect again. Default: 5 minutes. */
  readonly reconnectMs?: number | undefined;
  /** The programs that run on the target. Default: those of this package. */
  readonly programs?: TargetPrograms | undefined;
}

/**
 * Starts a server on the target and connects to it. When the connection breaks, it is made again; the channel fails when that
 * is not possible. Never uses the local machine instead.
 */
export async function connectTarget(target: Target, options: ConnectOptions = {}): Promise<Link> {
  const connection = new TargetConnection(target, options);
  await connection.open();
  return connection.link;
}

export function newServerId(): string {
  return randomBytes(16).toString("hex");
}

/** Asks what Toolcrib has left on a target, and stops or removes it. */
export async function manageTarget(
  target: Target,
  request: Exclude<AttachRequest, { kind: "session" }>,
  options: ConnectOptions = {},
): Promise<LeftOnTarget> {
  const programs = options.programs ?? readTargetPrograms();
  const transport = await startAttach(target, programs, options);
  return transport.within(connectMsOf(options), async () => {
    transport.write(`${JSON.stringify(request)}\n`);
    const answer = await nextAnswer(transport, target);
    transport.destroy();
    const left = answer.kind === "left" ? parseLeft(answer.left) : undefined;
    if (left === undefined) throw unknownAnswer(target, answer);
    return left;
  });
}

const packedFiles = new BoundedCache<string, Uint8Array>({ maxEntries: 4 });

/** Compresses a file once per process: a worker of a fleet sends the same files to the container of each run. */
function compressed({ content, sha256 }: FileToSend): Uint8Array {
  const known = packedFiles.use(sha256);
  if (known !== undefined) return known;
  const bytes = gzipSync(content);
  packedFiles.set(sha256, bytes);
  return bytes;
}

class TargetConnection {
  readonly link: Link;
  readonly #target: Target;
  readonly #options: ConnectOptions;
  readonly #programs: TargetPrograms;
  readonly #ripgrep: FileToSend | undefined;
  readonly #session: string;
  /** The attempts to connect again since a connection that carried messages. */
  readonly #attempts = { delay: 0, deadline: 0, attachedMs: 0, progress: -1 };
  readonly #secret = randomBytes(32).toString("hex");

  constructor(target: Target, options: ConnectOptions) {
    this.#target = target;
    this.#options = options;
    this.#session = options.session ?? newServerId();
    this.#programs = options.programs ?? readTargetPrograms();
    const ripgrep = bundledRipgrep();
    this.#ripgrep = ripgrep === undefined ? undefined : attempt(() => fileToSend(ripgrep));
    this.link = new Link({ peer: target.name, onDetached: () => void this.#reconnect(), pingMs });
  }

  async open(): Promise<void> {
    this.#report(`Connecting to ${this.#target.name}`);
    const refusal = await this.#attach({ mayStart: true }).catch((error: unknown) => this.#sendNode(error));
    if (refusal !== undefined) throw this.#refused(refusal);
  }

  /** When the target has no Node, sends the one that the user has chosen, and connects again. */
  async #sendNode(error: unknown): Promise<Refusal | undefined> {
    const { uploadNode: file } = this.#options;
    const isMissing = error instanceof ToolError && error.details?.kind === "missing-program";
    if (!isMissing || file === undefined) throw error;
    const { bootstrap } = this.#programs;
    const report = (message: string) => this.#report(message);
    await uploadNode(this.#target, { file, bootstrap, report }, this.#options);
    return this.#attach({ mayStart: true });
  }

  async #reconnect(): Promise<void> {
    this.#report(`Reconnecting to ${this.#target.name}`);
    let reason = new Error("every new connection ends at once");
    this.#startAttempts();
    while (!this.link.hasEnded) {
      const { delay, deadline } = this.#attempts;
      if (delay > 0 && performance.now() + delay > deadline) {
        this.link.lose(this.#unreachable(reason));
        return;
      }
      await wait(delay);
      this.#attempts.delay = Math.min(2 * delay || firstDelayMs, maxDelayMs);
      try {
        const refusal = await this.#attach({ mayStart: false });
        this.#attempts.attachedMs = performance.now();
        if (refusal !== undefined) this.link.lose(this.#refused(refusal));
        else this.#report(`Connected to ${this.#target.name} again`);
        return;
      } catch (error) {
        reason = error as Error;
      }
    }
  }

  /** Delays grow and time runs out also when each connection is made, but none carries messages. */
  #startAttempts(): void {
    const { reconnectMs = defaultReconnectMs } = this.#options;
    const { attachedMs, progress } = this.#attempts;
    const now = performance.now();
    if (this.link.progress === progress && now - attachedMs < lastingMs) return;
    Object.assign(this.#attempts, { delay: 0, deadline: now + reconnectMs, progress: this.link.progress });
  }

  /** Makes a connection. Returns why the session cannot be continued; throws when the target cannot be reached now. */
  async #attach({ mayStart }: { readonly mayStart: boolean }): Promise<Refusal | undefined> {
    const transport = await startAttach(this.#target, this.#programs, this.#options);
    return transport.within(connectMsOf(this.#options), async (extend) => {
      transport.write(`${JSON.stringify(this.#request(mayStart))}\n`);
      let answer = await nextAnswer(transport, this.#target);
      if (answer.kind === "needs") {
        extend(sendMsOf(this.#send(transport, answer), this.#options));
        answer = await nextAnswer(transport, this.#target);
        if (answer.kind !== "received") throw unknownAnswer(this.#target, answer);
        extend(connectMsOf(this.#options));
        answer = await nextAnswer(transport, this.#target);
      }
      if (answer.kind === "gone") return "gone";
      if (answer.kind !== "ready") throw unknownAnswer(this.#target, answer);
      const frames = new FrameStream(transport.stream());
      return this.link.greet(frames, { session: this.#session, secret: this.#secret });
    });
  }

  #request(mayStart: boolean): AttachRequest {
    const { directory, sandbox, isLab, idle = defaultIdle } = this.#options;
    const platform = `${process.platform}-${process.arch}`;
    return {
      ...{ kind: "session", session: this.#session, mayStart, sandbox, idle, isLab },
      directory: directory ?? this.#target.directory,
      client: `toolcrib ${version}, process ${process.pid}`,
      server: { sha256: this.#programs.server.sha256 },
      ripgrep: this.#ripgrep && { sha256: this.#ripgrep.sha256, platform },
    };
  }

  /** Sends the files that the target needs. Returns their size. */
  #send(transport: Transport, { files }: Answer): number {
    // Each file is sent at most once, whatever the target asks for.
    const names = new Set<unknown>(Array.isArray(files) ? files : []);
    const packed = Array.from(names, (name) => {
      const file = name === "server" ? this.#programs.server : name === "ripgrep" ? this.#ripgrep : undefined;
      if (file === undefined) throw unknownAnswer(this.#target, { kind: "needs" });
      const bytes = compressed(file);
      const size = `${Math.ceil(bytes.length / 1000)} kB`;
      this.#report(
        `Sending ${name === "server" ? "the server" : "ripgrep"} to ${this.#target.name}, ${size}`,
      );
      return bytes;
    });
    const sizes = packed.map(({ length }) => length);
    transport.write(`${JSON.stringify({ sizes })}\n`);
    for (const bytes of packed) transport.write(bytes);
    return sizes.reduce((sum, size) => sum + size, 0);
  }

  #report(message: string): void {
    this.#options.onProgress?.(message);
  }

  #refused(refusal: Refusal): ToolError {
    const { name } = this.#target;
    const hint = "Ask the user to start a new session.";
    switch (refusal) {
      case "gone":
        return new ToolError(
          "unavailable",
          `The server on ${name} no longer runs, and its processes have ended. It was killed, or the machine was restarted`,
          { hint, forUser: { hint: "Start again. Interrupted file changes are completed or undone then." } },
        );
      case "session":
        return new ToolError("denied", `The server on ${name} belongs to another client`, { hint });
      case "protocol":
        return new ToolError("unavailable", `${name} speaks another protocol`, { hint });
    }
  }

  #unreachable(cause: Error): ToolError {
    const { hint, forUser } = cause instanceof ToolError ? cause : {};
    return new ToolError("unavailable", `The connection to ${this.#target.name} is lost: ${cause.message}`, {
      ...{ hint, forUser, cause },
    });
  }
}

async function startAttach(
  target: Target,
  { attach, bootstrap }: TargetPrograms,
  options: ConnectOptions,
): Promise<Transport> {
  const size = `${Buffer.byteLength(attach)}`;
  const transport = await Transport.start(target, bootstrap, { size, ...noUpload }, options);
  transport.write(attach);
  return transport;
}

const noUpload = { minimum: "18", upload: "" };

/** Returns the next answer of `attach`. Throws its failures. */
async function nextAnswer(transport: Transport, target: Target): Promise<Answer> {
  const answer = await transport.answer();
  if (answer.kind === "no-node") throw noNode(target, answer);
  if (answer.kind !== "failed") return answer;
  const code = errorCodes.find((one) => one === answer.code) ?? "unavailable";
  const hint =
    code === "not-found" || code === "invalid-input" ? "Name an existing folder of the target." : undefined;
  throw new ToolError(code, `${target.name}: ${printable(textIn(answer.message).slice(0, 2000))}`, { hint });
}

function unknownAnswer(target: Target, { kind }: Answer): ToolError {
  return new ToolError(
    "unavailable",
    `${target.name} answered ${printable(JSON.stringify(kind).slice(0, 100))}`,
  );
}

const pingMs = 15_000;
const defaultReconnectMs = 5 * 60_000;
/** A connection that lasts this long counts as one that carried messages. */
const lastingMs = 10_000;
const firstDelayMs = 100;
const maxDelayMs = 15_000;
const defaultIdle: IdleLimits = { idleMs: 10 * 60_000, busyMs: 24 * 60 * 60_000, silentMs: 20 * 60_000 };
