import type { ToolError } from "../contract/error.ts";
import { untilAborted } from "../lib/async/abort.ts";
import { Semaphore, whileReading } from "../lib/async/semaphore.ts";
import { packageFile } from "../system/package-file.ts";
import { type AnswerOf, Channel, closed, type InputOf, type ServiceOf } from "./channel.ts";
import { startWorker, type WorkerEnd, type WorkerProcess } from "./start-worker.ts";

export interface WorkerOptions {
  /** The file to run; it calls `serveParent`. */
  readonly program: string;
  readonly args: readonly string[];
  readonly flags?: readonly string[];
  readonly failures: WorkerFailures;
  /**
   * Maximum number of concurrent requests. With 1, a crash has a known cause, and a request that ignores its
   * cancellation is killed.
   */
  readonly concurrency: number;
  readonly ours?: object;
  /** The worker is killed when a request takes longer. */
  readonly limitMs?: number;
  /** The worker ends after this long without a request. Default: 120 s. */
  readonly idleMs?: number;
  /** How long the worker may take to end by itself when closed. */
  readonly patienceMs?: number;
}

interface WorkerFailures {
  tooSlow(about: string): ToolError;
  /** The process ended during the request. */
  crashed(about: string, end: WorkerEnd, hint?: string): ToolError;
}

/** Returns the path of a worker's program: next to its module as source, in a folder of its own in a build. */
export function workerProgram(folder: string, module: string): string {
  return packageFile(module, { source: "main.ts", built: `${folder}/main.cjs` });
}

interface AskOptions {
  readonly about: string;
  /** Replaces the default hint when the process crashes. */
  readonly hint?: string;
  readonly signal: AbortSignal;
}

export interface Answering {
  /** Counts the processes from 1: a new process knows nothing of the one before. */
  readonly process: number;
}

/** Runs a program in a child process, which may crash. A request starts it when it does not run. */
export class Worker<Theirs extends ServiceOf<Theirs>> {
  readonly #options: WorkerOptions;
  readonly #turns: Semaphore;
  readonly #all = new Set<Running<Theirs>>();
  #current: Running<Theirs> | undefined;
  #started = 0;
  #isClosed = false;

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#turns = new Semaphore(options.concurrency);
  }

  /** `input` is called for the process that gets the request, when its turn has come. */
  async ask<Name extends keyof Theirs & string>(
    name: Name,
    input: (answering: Answering) => InputOf<Theirs[Name]>,
    asking: AskOptions,
  ): Promise<AnswerOf<Theirs[Name]>> {
    const { about, signal } = asking;
    const release = await this.#turns.take(signal, whileReading(about));
    let work: Promise<AnswerOf<Theirs[Name]>>;
    try {
      if (this.#isClosed) throw closed();
      if (signal.aborted) throw whileReading(about)(signal);
      const running = this.#running();
      work = running.ask(name, input({ process: running.number }), asking);
    } catch (error) {
      release();
      throw error;
    }
    // A cancelled caller need not wait for the answer; the next request must.
    const ended = work.finally(release);
    ended.catch(() => {});
    return await untilAborted(ended, signal, whileReading(about));
  }

  /** Ends the process after its requests. The next request starts another. */
  retire(): void {
    this.#current?.retire();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#all].map((running) => running.end(this.#options.patienceMs ?? 0)));
  }

  #running(): Running<Theirs> {
    if (this.#current) return this.#current;
    const forget = () => {
      if (this.#current === running) this.#current = undefined;
    };
    const running = new Running<Theirs>(this.#options, ++this.#started, forget);
    this.#current = running;
    this.#all.add(running);
    void running.ended.then(() => {
      forget();
      this.#all.delete(running);
    });
    return running;
  }
}

class Running<Theirs extends ServiceOf<Theirs>> {
  readonly number: number;
  readonly ended: Promise<WorkerEnd>;
  readonly #process: WorkerProcess;
  readonly #channel: Channel<Theirs>;
  readonly #options: WorkerOptions;
  readonly #forget: () => void;
  #asked = 0;
  #isRetired = false;
  #isClosed = false;
  #idle: NodeJS.Timeout | undefined;

  constructor(options: WorkerOptions, number: number, forget: () => void) {
    this.#options = options;
    this.number = number;
    this.#forget = forget;
    const { program, args, flags = [], ours = {} } = options;
    this.#process = startWorker({
      program,
      args,
      flags,
      onMessage: (message) => {
        if (message === "retire") this.retire();
        else this.#channel.receive(message);
      },
    });
    this.#channel = new Channel((message) => this.#process.send(message), ours);
    this.ended = this.#process.ended;
    void this.ended.then((end) => {
      clearTimeout(this.#idle);
      this.#channel.end(new WorkerEnded(end));
    });
  }

  async ask<Name extends keyof Theirs & string>(
    name: Name,
    input: InputOf<Theirs[Name]>,
    { about, hint, signal }: AskOptions,
  ): Promise<AnswerOf<Theirs[Name]>> {
    const { concurrency, limitMs, failures } = this.#options;
    clearTimeout(this.#idle);
    this.#asked += 1;
    this.#process.keepsUsAlive(true);
    let isLate = false;
    const timers: NodeJS.Timeout[] = [];
    const kill = () => {
      // Its answer may still arrive, but no other request may be sent to it.
      this.#forget();
      this.#process.kill();
    };
    const killLate = () => {
      isLate = true;
      kill();
    };
    const onAbort = () => {
      if (concurrency === 1) timers.push(setTimeout(kill, cancelMs));
    };
    signal.addEventListener("abort", onAbort, { once: true });
    if (limitMs !== undefined) timers.push(setTimeout(killLate, limitMs));
    try {
      return await this.#channel.ask(name, input, { signal });
    } catch (error) {
      if (!(error instanceof WorkerEnded)) throw error;
      if (this.#isClosed) throw closed();
      if (isLate) throw failures.tooSlow(about);
      throw failures.crashed(about, error.end, hint);
    } finally {
      signal.removeEventListener("abort", onAbort);
      for (const timer of timers) clearTimeout(timer);
      this.#asked -= 1;
      if (this.#asked === 0) this.#rest();
    }
  }

  async end(patienceMs: number): Promise<void> {
    this.#isClosed = true;
    this.#process.keepsUsAlive(true);
    this.#process.leave();
    const timer = setTimeout(() => this.#process.kill(), patienceMs);
    await this.ended;
    clearTimeout(timer);
  }

  retire(): void {
    this.#isRetired = true;
    this.#forget();
    if (this.#asked === 0) this.#process.leave();
  }

  #rest(): void {
    this.#process.keepsUsAlive(false);
    if (this.#isRetired) this.#process.leave();
    else this.#idle = setTimeout(() => this.retire(), this.#options.idleMs ?? 120_000).unref();
  }
}

/** How long a cancelled request may continue before the process is killed. */
const cancelMs = 300;

class WorkerEnded extends Error {
  readonly end: WorkerEnd;

  constructor(end: WorkerEnd) {
    super(end.how);
    this.end = end;
  }
}
