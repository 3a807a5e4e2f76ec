import { randomBytes } from "node:crypto";
import { closeSync, constants, fstatSync, openSync } from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";
import { Readable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import type { Environment } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import { undefinedUnlessExhausted } from "../../lib/exhaustion.ts";

/** Both outputs of one command. */
export interface CommandPipes {
  readonly stdout: PipedOutput;
  readonly stderr: PipedOutput;
  /** Named pipes that the command opens. */
  readonly paths: { readonly stdout: string; readonly stderr: string };
}

/** The named pipes of one shell. A pair is reused when no process has it open. */
export class PipePool {
  readonly #directory: string;
  readonly #free: CommandPipes["paths"][] = [];
  readonly #open = new Set<CommandPipes>();
  #unseenBytes = 0;

  constructor(directory: string) {
    this.#directory = directory;
  }

  async take(
    makePipes: (paths: readonly string[]) => Promise<void>,
    onData: (bytes: Uint8Array) => void,
  ): Promise<CommandPipes> {
    const { paths, handles } = this.#reopen() ?? (await this.#make(makePipes));
    const pipes = {
      paths,
      stdout: new PipedOutput(handles[0], onData),
      stderr: new PipedOutput(handles[1], onData, new ComplaintFilter()),
    };
    this.#open.add(pipes);
    void Promise.all([pipes.stdout.closed, pipes.stderr.closed]).then(() => {
      this.#open.delete(pipes);
      this.#unseenBytes += unseenOf(pipes);
      this.#free.push(paths);
    });
    return pipes;
  }

  /** Returns the number of bytes that jobs of earlier commands have written since the last call. */
  takeUnseen(): number {
    let bytes = this.#unseenBytes;
    this.#unseenBytes = 0;
    for (const pipes of this.#open) bytes += unseenOf(pipes);
    return bytes;
  }

  close(): void {
    for (const { stdout, stderr } of this.#open) {
      stdout.close();
      stderr.close();
    }
  }

  #reopen(): OpenedPipes | undefined {
    for (let paths = this.#free.pop(); paths !== undefined; paths = this.#free.pop()) {
      const opened = open(paths);
      if (opened !== undefined) return opened;
    }
    return undefined;
  }

  async #make(makePipes: (paths: readonly string[]) => Promise<void>): Promise<OpenedPipes> {
    const name = randomBytes(9).toString("base64url");
    const paths = {
      stdout: join(this.#directory, `${name}.out`),
      stderr: join(this.#directory, `${name}.err`),
    };
    await makePipes([paths.stdout, paths.stderr]);
    const opened = open(paths);
    if (opened !== undefined) return opened;
    throw new ToolError("unavailable", "A command of this session has removed the pipes of the next one", {
      hint: "Stop the session, or use another one.",
    });
  }
}

function unseenOf({ stdout, stderr }: CommandPipes): number {
  return stdout.takeUnseen() + stderr.takeUnseen();
}

interface OpenedPipes {
  readonly paths: CommandPipes["paths"];
  readonly handles: readonly [stdout: number, stderr: number];
}

function open(paths: CommandPipes["paths"]): OpenedPipes | undefined {
  const stdout = openPipe(paths.stdout);
  if (stdout === undefined) return undefined;
  let stderr: number | undefined;
  try {
    stderr = openPipe(paths.stderr);
  } finally {
    if (stderr === undefined) closeSync(stdout);
  }
  return stderr === undefined ? undefined : { paths, handles: [stdout, stderr] };
}

/** Opens a pipe; undefined if a command has replaced it, for example by a link to a secret. */
function openPipe(path: string): number | undefined {
  const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = constants;
  try {
    const handle = openSync(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
    if (fstatSync(handle).isFIFO()) return handle;
    closeSync(handle);
  } catch (error) {
    // The pipe no longer exists, or is a link now.
    return undefinedUnlessExhausted(error);
  }
  return undefined;
}

// After a command has ended, its output is read until a round brings no data, for a limited number of rounds.
const roundMs = 50;
const maxRounds = 4;

/**
 * One output of one command, through a named pipe that the command opens itself. When the command has ended, the pipe
 * is still read while a process has it open, and the data is dropped, so that a server does not die of a broken pipe.
 */
class PipedOutput {
  /** The output for one reader. A slow reader makes the command wait. */
  readonly stream: Readable;
  /** Resolves when no process has the pipe open. */
  readonly closed: Promise<void>;
  readonly #socket: Socket;
  readonly #onData: (bytes: Uint8Array) => void;
  readonly #filter: ComplaintFilter | undefined;
  #isClosed = false;
  #received = 0;
  #unseenBytes = 0;
  #isFinished = false;

  /** `fd` is a pipe that is opened for reading before it is opened for writing. */
  constructor(fd: number, onData: (bytes: Uint8Array) => void, filter?: ComplaintFilter) {
    this.#onData = onData;
    this.#filter = filter;
    this.#socket = new Socket({ fd, readable: true, writable: false });
    this.stream = new Readable({ read: () => this.#socket.resume() });
    this.#socket.on("data", (bytes: Uint8Array) => {
      this.#received += bytes.length;
      if (this.#isFinished) {
        this.#unseenBytes += bytes.length;
        return;
      }
      this.#pass(this.#filter?.take(bytes) ?? bytes);
    });
    this.#socket.on("error", () => {});
    this.closed = new Promise((resolve) => {
      this.#socket.once("close", () => {
        this.#isClosed = true;
        this.#end();
        resolve();
      });
    });
  }

  /** Ends the output soon. Call it when the command has ended. */
  async finish(): Promise<void> {
    let before = -1;
    for (let rounds = 0; !this.#isClosed && rounds < maxRounds; ) {
      const isBehind = this.#socket.isPaused();
      if (!isBehind && this.#received === before) break;
      before = this.#received;
      if (!isBehind) rounds += 1;
      await Promise.race([setTimeout(roundMs, undefined, { ref: false }), this.closed]);
    }
    this.#end();
    this.#socket.resume();
  }

  /** Returns the number of bytes received since the last call, after the end of the command. */
  takeUnseen(): number {
    const bytes = this.#unseenBytes;
    this.#unseenBytes = 0;
    return bytes;
  }

  close(): void {
    this.#socket.destroy();
  }

  #end(): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    if (this.#filter !== undefined) this.#pass(this.#filter.end());
    this.stream.push(null);
  }

  #pass(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#onData(bytes);
    if (!this.stream.push(bytes)) this.#socket.pause();
  }
}

/**
 * Removes bash's message that it could not set the terminal. An interactive bash without a terminal writes it to stderr
 * after each command that ends by a signal, in up to three writes.
 */
export class ComplaintFilter {
  #held = "";

  take(bytes: Uint8Array): Uint8Array {
    if (this.#held === "" && !bytes.includes(colon)) return bytes;
    const text = this.#held + Buffer.from(bytes).toString("latin1");
    const clean = text.replace(complaint, "");
    const at = clean.search(beginning);
    this.#held = at < 0 ? "" : clean.slice(at);
    return Buffer.from(at < 0 ? clean : clean.slice(0, at), "latin1");
  }

  /** Returns the withheld bytes, which are not part of such a message. */
  end(): Uint8Array {
    return Buffer.from(this.#held, "latin1");
  }
}

const colon = ":".charCodeAt(0);
const complaint = /(?:\/[^\s:]{0,200}\/)?bash: \[\d+: \d+ \(\d+\)\] tcsetattr: [^\n]{1,80}\n/g;
const beginning = /(?:\/[^\s:]{0,200}\/)?bash: (?:\[[\d: ()]{0,60}(?:\] (?:tcsetattr[^\n]{0,90})?)?)?$/;

/** Creates named pipes that only processes of this user can open. */
export async function makePipes(environment: Environment, paths: readonly string[]): Promise<void> {
  const made = await environment.start("mkfifo", {
    args: ["-m", "600", "--", ...paths],
    confinement: "ours",
    signal: new AbortController().signal,
  });
  const { code } = await made.exit;
  if (code !== 0) throw new ToolError("unavailable", "The pipes for a command could not be created");
}
