import { execFile } from "node:child_process";
import { closeSync, constants, fstatSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { promisify } from "node:util";
import { isMainThread } from "node:worker_threads";

/** One output of a program. */
export interface OutputPipe {
  /** Ends when nobody holds the other end any more. */
  readonly readEnd: Readable;
  /** For the program; whoever starts it closes it then. */
  readonly writeEnd: number;
  /** Nothing is left of the program, which could have kept a way to open it: then it may be another's. */
  release(): void;
}

/**
 * Real pipes. Those of Node are sockets, which nobody can open again: `> /dev/stderr` and `tee /dev/stdout` would fail,
 * and a program that tries to read its output, as editors do, would wait for ever instead of being told that it cannot.
 * They are made as named pipes, lose their names at once, and are used again when nobody holds them.
 */
export class OutputPipes {
  readonly #findProgram: (name: string) => Promise<string>;
  /** By the directory that they were made in: descriptors that stand for pipes without opening them. */
  readonly #free = new Map<string, number[]>();
  // In other threads Node keeps a list of what was opened, and closes it at their end, whoever has the number by then.
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
    // No descriptors are left, and the start will tell.
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
    // Whoever opens a pipe to write waits for a reader.
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

/** Stands for a pipe; whatever else may be there by now is not touched. */
function openPipe(path: string): number {
  const handle = openSync(path, withoutOpening | constants.O_NOFOLLOW);
  if (fstatSync(handle).isFIFO()) return handle;
  closeSync(handle);
  throw new Error(`${path} is no pipe`);
}

// O_PATH, which Node has no name for.
const withoutOpening = 0o10000000;
