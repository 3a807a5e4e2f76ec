import { execFile } from "node:child_process";
import { closeSync, constants, fstatSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { promisify } from "node:util";
import { isMainThread } from "node:worker_threads";

// How much may wait for a reader before the program has to wait, and how much is kept of an output without a reader.
const waitingBytes = 1024 * 1024;

// After the program has gone, what it left in the pipe is read until it is quiet for a round, for some rounds at most.
const roundMs = 50;
const maxRounds = 4;

/**
 * One output of a program, for one reader. A reader that falls behind makes the program wait, so nothing is lost and
 * memory stays bounded. Of an output without a reader, the first megabyte is kept and the rest dropped:
 * the program must not hang because its output is not read. The same when a reader leaves.
 */
export class OutputStream implements AsyncIterable<Uint8Array> {
  readonly #stream: Readable;
  readonly #onData: (bytes: Uint8Array) => void;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #reader: "expected" | "reading" | "gone" = "expected";
  #receivedBytes = 0;
  #hasEnded = false;
  #wake: (() => void) | undefined;

  /** `onData` gets all output, whether it is read or not. */
  constructor(stream: Readable, onData: (bytes: Uint8Array) => void = () => {}) {
    this.#stream = stream;
    this.#onData = onData;
    stream.on("data", (bytes: Uint8Array) => this.#take(bytes));
    for (const event of ["end", "close", "error"]) stream.on(event, () => this.#end());
  }

  /** The program has gone, but something it started may hold the pipe for ever. */
  endSoon(): void {
    let rounds = 0;
    let receivedBefore = -1;
    const look = () => {
      if (this.#hasEnded) return;
      const isQuiet = this.#receivedBytes === receivedBefore && !this.#stream.isPaused();
      receivedBefore = this.#receivedBytes;
      if (isQuiet || rounds >= maxRounds) {
        this.#stream.destroy();
        return;
      }
      // While the reader is behind, the pipe is not being emptied.
      if (!this.#stream.isPaused()) rounds += 1;
      // Timers come before reading in a turn, immediates after it: what is in the pipe has had its chance then.
      setTimeout(() => setImmediate(look), roundMs).unref();
    };
    look();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    if (this.#reader !== "expected") throw new Error("The output of a program has one reader");
    this.#reader = "reading";
    try {
      for (;;) {
        const next = this.#waiting.shift();
        if (next !== undefined) {
          this.#waitingBytes -= next.length;
          if (this.#waitingBytes < waitingBytes) this.#stream.resume();
          yield next;
        } else if (this.#hasEnded) {
          return;
        } else {
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
        }
      }
    } finally {
      this.#reader = "gone";
      this.#waiting = [];
      this.#stream.resume();
    }
  }

  #take(bytes: Uint8Array): void {
    this.#receivedBytes += bytes.length;
    this.#onData(bytes);
    const isFull = this.#waitingBytes >= waitingBytes;
    if (this.#reader === "gone" || (this.#reader === "expected" && isFull)) return;
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    if (this.#reader === "reading" && this.#waitingBytes >= waitingBytes) this.#stream.pause();
    this.#wake?.();
  }

  #end(): void {
    this.#hasEnded = true;
    this.#wake?.();
  }
}

/** One output of a program. */
export interface OutputPipe {
  /** Ends when no process has the other end open any more. */
  readonly readEnd: Readable;
  /** For the program; the caller that starts it closes it then. */
  readonly writeEnd: number;
  /** Nothing is left of the program, which could have kept a way to open it: then it may be another's. */
  release(): void;
}

/**
 * Real pipes. Those of Node are sockets, which cannot be opened again: `> /dev/stderr` and `tee /dev/stdout` would fail,
 * and a program that tries to read its output, as editors do, would wait for ever instead of getting an error.
 * They are made as named pipes, lose their names at once, and are reused when no process has them open.
 */
export class OutputPipes {
  readonly #findProgram: (name: string) => Promise<string>;
  /** By the directory that they were made in: descriptors that refer to pipes without opening them. */
  readonly #free = new Map<string, number[]>();
  // In worker threads Node lists opened descriptors and closes them at the end, also when the number was reused.
  #cannotBeMade = process.platform !== "linux" || !isMainThread;

  constructor(findProgram: (name: string) => Promise<string>) {
    this.#findProgram = findProgram;
  }

  /** For stdout and stderr, made in a directory that the program may write; undefined where none can be made. */
  async take(directory: string = tmpdir()): Promise<readonly [OutputPipe, OutputPipe] | undefined> {
    const free = this.#free.get(directory) ?? [];
    this.#free.set(directory, free);
    while (free.length < 2 && !this.#cannotBeMade) {
      for (const pipe of await this.#make(directory)) this.#keep(pipe, free);
    }
    const [stdout, stderr] = this.#cannotBeMade ? [] : free.splice(-2);
    if (stdout === undefined || stderr === undefined) return undefined;
    const opened = this.#open(stdout, free);
    const other = opened && this.#open(stderr, free);
    if (opened !== undefined && other !== undefined) return [opened, other];
    // No descriptors are left; the start will fail with that.
    if (opened === undefined) closeSync(stderr);
    else giveUp(opened);
    return undefined;
  }

  close(): void {
    this.#cannotBeMade = true;
    for (const free of this.#free.values()) for (const pipe of free.splice(0)) closeSync(pipe);
  }

  async #make(directory: string): Promise<readonly number[]> {
    let place: string | undefined;
    try {
      place = mkdtempSync(join(directory, "toolcrib-pipes."));
      const paths = ["1", "2", "3", "4"].map((name) => join(place!, name));
      await promisify(execFile)(await this.#findProgram("mkfifo"), ["-m", "600", ...paths], { env: {} });
      return paths.map(openPipe);
    } catch {
      this.#cannotBeMade = true;
      return [];
    } finally {
      if (place !== undefined) rmSync(place, { recursive: true, force: true });
    }
  }

  #keep(pipe: number, free: number[]): void {
    if (free.length < mostFree && !this.#cannotBeMade) free.push(pipe);
    else closeSync(pipe);
  }

  #open(pipe: number, free: number[]): OutputPipe | undefined {
    const ends = openEnds(`/proc/self/fd/${pipe}`);
    if (ends === undefined) {
      closeSync(pipe);
      return undefined;
    }
    const readEnd = new Socket({ fd: ends.reading, readable: true, writable: false });
    const ended = new Promise<boolean>((resolve) => {
      let isLetGo = false;
      readEnd.once("end", () => {
        isLetGo = true;
      });
      readEnd.once("close", () => resolve(isLetGo));
    });
    const release = () => void ended.then((isLetGo) => (isLetGo ? this.#keep(pipe, free) : closeSync(pipe)));
    return { readEnd, writeEnd: ends.writing, release };
  }
}

// As many as are made together: what many commands at once have needed is not kept.
const mostFree = 4;

function openEnds(path: string): { readonly reading: number; readonly writing: number } | undefined {
  let reading: number | undefined;
  try {
    // Opening a pipe for writing waits for a reader.
    reading = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    return { reading, writing: openSync(path, constants.O_WRONLY) };
  } catch {
    if (reading !== undefined) closeSync(reading);
    return undefined;
  }
}

function giveUp({ readEnd, writeEnd, release }: OutputPipe): void {
  closeSync(writeEnd);
  readEnd.destroy();
  release();
}

/** Refers to a pipe; anything else that is there by now is not touched. */
function openPipe(path: string): number {
  const handle = openSync(path, withoutOpening | constants.O_NOFOLLOW);
  if (fstatSync(handle).isFIFO()) return handle;
  closeSync(handle);
  throw new Error(`${path} is no pipe`);
}

// O_PATH, which Node has no name for.
const withoutOpening = 0o10000000;
