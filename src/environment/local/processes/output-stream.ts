import { closeSync, constants, fstatSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { isMainThread } from "node:worker_threads";
import { isExhaustion } from "../../../lib/exhaustion.ts";
import { outputOfProgram } from "../../../system/start-program.ts";

// With so many buffered bytes the program has to wait. Without a reader, the rest of its output is dropped.
const waitingBytes = 1024 * 1024;

// After the program has ended, its pipe is read until a round brings no data, for a limited number of rounds.
const roundMs = 50;
const maxRounds = 4;

/**
 * One output of a program, for one reader. A slow reader makes the program wait, so no output is lost and memory stays
 * bounded. Without a reader the first megabyte is stored and the rest is dropped, so that the program does not hang.
 * After the reader has left, all output is dropped.
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

  /** `onData` gets all output, even without a reader. */
  constructor(stream: Readable, onData: (bytes: Uint8Array) => void = () => {}) {
    this.#stream = stream;
    this.#onData = onData;
    stream.on("data", (bytes: Uint8Array) => this.#take(bytes));
    for (const event of ["end", "close", "error"]) stream.on(event, () => this.#end());
  }

  /** Ends the stream soon after the program, because a process that it started may keep the pipe open forever. */
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
      // The pipe is not read while the reader is slow.
      if (!this.#stream.isPaused()) rounds += 1;
      // In a turn, timers run before reads and immediates after them.
      setTimeout(() => setImmediate(look), roundMs).unref();
    };
    look();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    if (this.#reader !== "expected") throw new Error("The output of a program can be read only once");
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

export interface OutputPipe {
  /** Ends when no process has the other end open any more. */
  readonly readEnd: Readable;
  /** The end for the program. The caller closes it after the start. */
  readonly writeEnd: number;
  /** Lets another program use the pipe. Call it when all processes of the program have ended. */
  release(): void;
}

/**
 * Creates real pipes. Node's pipes are sockets, which cannot be opened again: `> /dev/stderr` and `tee /dev/stdout`
 * would fail, and a program that tries to read its output, as editors do, would hang instead of getting an error. The
 * pipes are created as named pipes, lose their names at once, and are reused when no process has them open.
 */
export class OutputPipes {
  readonly #findProgram: (name: string) => Promise<string>;
  /** Descriptors that refer to pipes without opening them, by the directory of the pipes. */
  readonly #free = new Map<string, number[]>();
  // In a worker thread Node closes all opened descriptors at the end, even if a number was reused.
  #cannotBeMade = process.platform !== "linux" || !isMainThread;

  constructor(findProgram: (name: string) => Promise<string>) {
    this.#findProgram = findProgram;
  }

  /**
   * Returns pipes for stdout and stderr; undefined on failure. `writable`: a directory that the program may write, if it can
   * open only pipes from there.
   */
  async take(writable?: string): Promise<readonly [OutputPipe, OutputPipe] | undefined> {
    const directory = writable ?? tmpdir();
    const free = this.#free.get(directory) ?? [];
    this.#free.set(directory, free);
    while (free.length < 2 && !this.#cannotBeMade) {
      // Other environments can use pipes that no program has used.
      const made = writable === undefined ? unused.splice(-2) : [];
      if (made.length < 2) made.push(...(await this.#make(directory, writable === undefined ? 8 : 4)));
      if (made.length === 0) return undefined;
      if (writable === undefined) unused.push(...made.splice(2));
      for (const pipe of made) this.#keep(pipe, free);
    }
    const [stdout, stderr] = this.#cannotBeMade ? [] : free.splice(-2);
    if (stdout === undefined || stderr === undefined) return undefined;
    const opened = this.#open(stdout, free);
    const other = opened && this.#open(stderr, free);
    if (opened !== undefined && other !== undefined) return [opened, other];
    // There are too few descriptors. The start of the program fails with that error.
    if (opened === undefined) closeSync(stderr);
    else {
      closeSync(opened.writeEnd);
      opened.readEnd.destroy();
      opened.release();
    }
    return undefined;
  }

  close(): void {
    this.#cannotBeMade = true;
    for (const free of this.#free.values()) for (const pipe of free.splice(0)) closeSync(pipe);
  }

  async #make(directory: string, count: number): Promise<readonly number[]> {
    let folder: string | undefined;
    const made: number[] = [];
    try {
      folder = mkdtempSync(join(directory, "toolcrib-pipes."));
      const paths = Array.from({ length: count }, (_, index) => join(folder!, `${index}`));
      await outputOfProgram(await this.#findProgram("mkfifo"), ["-m", "600", ...paths], { env: {} });
      for (const path of paths) made.push(openPipe(path));
      return made.splice(0);
    } catch (error) {
      // After a lack of descriptors, a later attempt may succeed. After another error, none does.
      this.#cannotBeMade ||= !isExhaustion(error);
      return [];
    } finally {
      for (const pipe of made) closeSync(pipe);
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
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
    const closed = new Promise<boolean>((resolve) => {
      readEnd.once("close", () => resolve(readEnd.readableEnded));
    });
    const release = () =>
      void closed.then((hasEnded) => (hasEnded ? this.#keep(pipe, free) : closeSync(pipe)));
    return { readEnd, writeEnd: ends.writing, release };
  }
}

// Those of many concurrent commands are not kept.
const mostFree = 4;

/** Pipes for all environments of this process that no program has used. */
const unused: number[] = [];

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

/** Returns a descriptor that refers to a pipe. Throws when another entry has replaced it. */
function openPipe(path: string): number {
  const handle = openSync(path, withoutOpening | constants.O_NOFOLLOW);
  if (fstatSync(handle).isFIFO()) return handle;
  closeSync(handle);
  throw new Error(`${path} is not a pipe`);
}

// O_PATH, which Node does not define.
const withoutOpening = 0o10000000;
