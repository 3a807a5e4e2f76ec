import { randomBytes } from "node:crypto";
import {
  chmodSync,
  closeSync,
  constants,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  unlinkSync,
} from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { ToolError } from "../contract/error.ts";
import { isRecord } from "../lib/json/is-record.ts";
import { tryParseJson } from "../lib/json/try-parse-json.ts";
import { attempt, statsAt } from "./attempt.ts";
import { makePrivateDirectory } from "./directories.ts";

// Unix sockets in a folder that only this user can enter. On most, both sides send one JSON object per line.

/** Returns the names of the sockets of this user in a folder. Links and other files are left out. */
export function socketNames(folder: string): readonly string[] {
  if (!isPrivate(folder)) return [];
  return readdirSync(folder).filter((name) => {
    const found = name.endsWith(suffix) ? statsAt(join(folder, name)) : undefined;
    return found?.isSocket() === true && isOwn(found.uid);
  });
}

const suffix = ".sock";

/** Whether only this user can enter the folder. False for a link, regardless of the owner of its target. */
function isPrivate(folder: string): boolean {
  const found = attempt(() => lstatSync(folder));
  return found?.isDirectory() === true && isOwn(found.uid) && (found.mode & 0o077) === 0;
}

function isOwn(uid: number): boolean {
  return process.getuid === undefined || uid === process.getuid();
}

/** A socket on which this process listens. It does not keep the process alive. */
export class PrivateSocket {
  readonly #folder: string;
  readonly #name: string;
  readonly #server: Server;
  #release = () => {};

  private constructor(folder: string, name: string, welcome: (peer: Socket) => void) {
    this.#folder = folder;
    this.#name = name;
    this.#server = createServer((peer) => welcome(peer.unref()));
    this.#server.maxConnections = maxPeers;
  }

  /**
   * Listens in `folder` under a new name that begins with `prefix`. A part of it is random, so that another process cannot
   * take the name in advance.
   */
  static async listen(
    folder: string,
    prefix: string,
    welcome: (peer: JsonConnection) => void,
  ): Promise<PrivateSocket> {
    const name = `${prefix}${randomBytes(12).toString("hex")}${suffix}`;
    return PrivateSocket.listenAs(folder, name, (peer) => welcome(new JsonConnection(peer, maxRequestBytes)));
  }

  /** Listens in `folder` under this name, for connections that carry bytes. */
  static async listenAs(
    folder: string,
    name: string,
    welcome: (peer: Socket) => void,
  ): Promise<PrivateSocket> {
    makePrivateDirectory(folder);
    requirePrivate(folder);
    const socket = new PrivateSocket(folder, name, welcome);
    await socket.#listen();
    return socket;
  }

  async #listen(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#server.once("error", reject);
    // It gets its name when it listens: a program that finds a socket on which nothing listens removes it.
    const draft = `${this.#name}.new`;
    try {
      withAddress(this.#folder, draft, (address, release) => {
        this.#release = release;
        this.#server.listen(address, resolve);
      });
      await promise;
      chmodSync(join(this.#folder, draft), 0o600);
      renameSync(join(this.#folder, draft), join(this.#folder, this.#name));
    } catch (error) {
      this.close();
      throw error;
    }
    this.#server.off("error", reject);
    this.#server.on("error", this.close);
    this.#server.unref();
    process.once("exit", this.close);
  }

  /** Removes the socket. Open connections stay. May be called twice. */
  readonly close = (): void => {
    process.off("exit", this.close);
    this.#server.close();
    attempt(() => unlinkSync(join(this.#folder, this.#name)));
    this.#release();
  };
}

const maxPeers = 16;
/** The longest line that a program may send to a socket. */
export const maxRequestBytes: number = 256 * 1024;

/** Throws unless only this user can enter the folder. */
export function requirePrivate(folder: string): void {
  if (!isPrivate(folder))
    throw new ToolError("unavailable", `Other users can enter ${folder}, or it is a link`, {
      hint: `Remove it: rm -r ${folder}`,
    });
}

/** Connects to a socket of this user. One on which nothing listens is removed: its process died. */
export function connectTo(folder: string, name: string): JsonConnection {
  return new JsonConnection(connectForBytes(folder, name), maxResponseBytes);
}

/** Like `connectTo`, for connections that carry bytes. */
export function connectForBytes(folder: string, name: string): Socket {
  return withAddress(folder, name, (address, release) => {
    const socket = connect(address);
    socket.once("close", release);
    socket.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ECONNREFUSED") attempt(() => unlinkSync(join(folder, name)));
    });
    return socket;
  });
}

const maxResponseBytes = 16 * 1024 * 1024;

/**
 * Runs `use` with an address of the socket that is short enough: the kernel takes 107 bytes. A longer path is given
 * through a descriptor of its folder, which stays open until `release`. `release` may be called twice.
 */
function withAddress<Result>(
  folder: string,
  name: string,
  use: (address: string, release: () => void) => Result,
): Result {
  const path = join(folder, name);
  if (Buffer.byteLength(path) <= maxPathBytes) return use(path, () => {});
  const handle = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  let isOpen = true;
  return use(`/proc/self/fd/${handle}/${name}`, () => {
    if (isOpen) closeSync(handle);
    isOpen = false;
  });
}

/** The limit of macOS; Linux takes four bytes more. */
const maxPathBytes = 103;

/** One end of a connection. */
export class JsonConnection {
  /** Resolves when the connection has ended. Never rejects. */
  readonly ended: Promise<void>;
  readonly #socket: Socket;
  readonly #maxBytes: number;

  constructor(socket: Socket, maxBytes: number) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    this.#socket = socket;
    this.#maxBytes = maxBytes;
    socket.on("error", () => socket.destroy());
    socket.on("close", () => resolve());
  }

  get hasEnded(): boolean {
    return this.#socket.destroyed || this.#socket.writableEnded;
  }

  /** Sends a message. Ends the connection with a peer that does not read. */
  send(message: object): void {
    if (this.hasEnded) return;
    if (this.#socket.writableLength > maxUnsentBytes) this.#socket.destroy();
    else this.#socket.write(`${JSON.stringify(message)}\n`);
  }

  /** Calls `take` with every message, and `fail` with a line that is too long or is not an object. */
  receive(
    take: (message: Readonly<Record<string, unknown>>) => void,
    fail: (error: ToolError) => void,
  ): void {
    let rest: Buffer[] = [];
    let size = 0;
    this.#socket.on("data", (chunk: Buffer) => {
      let from = 0;
      for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, from)) {
        if (this.hasEnded) return;
        const line = Buffer.concat([...rest, chunk.subarray(from, end)]);
        from = end + 1;
        rest = [];
        size = 0;
        const message = line.length > this.#maxBytes ? undefined : tryParseJson(line.toString());
        if (isRecord(message)) take(message);
        else fail(unreadable(line.length, this.#maxBytes));
      }
      rest.push(chunk.subarray(from));
      size += chunk.length - from;
      if (size > this.#maxBytes && !this.hasEnded) fail(unreadable(size, this.#maxBytes));
    });
  }

  /** Ends the connection when everything is sent. */
  end(): void {
    this.#socket.destroySoon();
  }

  /** Ends the connection at once. */
  destroy(): void {
    this.#socket.destroy();
  }
}

const maxUnsentBytes = 4 * 1024 * 1024;
const newline = 10;

function unreadable(bytes: number, maxBytes: number): ToolError {
  return bytes > maxBytes
    ? new ToolError("too-large", `The line is longer than ${maxBytes} bytes`, {
        hint: "Send shorter messages.",
      })
    : new ToolError("invalid-input", "The line is not a JSON object", { hint: "Send one object per line." });
}
