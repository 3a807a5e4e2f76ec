import type { ToolError } from "../contract/error.ts";
import { untilAborted } from "../lib/abort.ts";
import { Turns, whileReading } from "../lib/turns.ts";
import { type AnswerOf, Channel, closed, type InputOf, type ServiceOf } from "./channel.ts";
import { startWorker, type WorkerEnd, type WorkerProcess } from "./start-worker.ts";

export interface WorkerOptions {
  /** The file that it runs; it calls `serveStarter`. */
  readonly program: string;
  /** What it is for, and about what. */
  readonly args: readonly string[];
  /** For Node and V8. */
  readonly flags?: readonly string[];
  /** How a question fails that it cannot answer. */
  readonly failures: WorkerFailures;
  /**
   * How many questions it is given at once; the others wait. With one it is known which question ended it, and one that
   * is not wanted any more and goes on is ended with it.
   */
  readonly concurrency: number;
  /** What it may ask us. */
  readonly ours?: object;
  /** A question that takes longer ends it. */
  readonly limitMs?: number;
  /** It ends when nobody has asked it anything for so long. */
  readonly idleMs?: number;
  /** It is given so long to end by itself when it is closed. */
  readonly patienceMs?: number;
}

/** `about` is the file, or what else was asked about. */
interface WorkerFailures {
  /** It took longer than `limitMs`. */
  tooSlow(about: string): ToolError;
  /** The process ended on the way; `otherWay` is what the asker has said to do then. */
  brokeDown(about: string, end: WorkerEnd, otherWay?: string): ToolError;
}

export interface AskOptions {
  /** The file, or what else the question is about: named in errors. */
  readonly about: string;
  /** What to do when it cannot be answered, if that is not what usually helps. */
  readonly otherWay?: string;
  readonly signal: AbortSignal;
}

/** What a question needs to know of the process that will answer it. */
export interface Answering {
  /** Another number for each process, from 1: what one was told, the next does not know. */
  readonly process: number;
}

/**
 * A program of ours in a process of its own: what fails there cannot harm us. It is started by the first question, and
 * again by the one after that which ended it.
 */
export class Worker<Theirs extends ServiceOf<Theirs>> {
  readonly #options: WorkerOptions;
  readonly #turns: Turns;
  readonly #all = new Set<Running<Theirs>>();
  #current: Running<Theirs> | undefined;
  #started = 0;
  #isClosed = false;

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#turns = new Turns(options.concurrency);
  }

  /** `input` is made when its turn has come, for the process that gets it. */
  async ask<Name extends keyof Theirs & string>(
    name: Name,
    input: (answering: Answering) => InputOf<Theirs[Name]>,
    asking: AskOptions,
  ): Promise<AnswerOf<Theirs[Name]>> {
    const { about, signal } = asking;
    const release = await this.#turns.take(signal, about);
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
    // Who cancels need not wait until it is answered, but the next question must.
    const ended = work.finally(release);
    ended.catch(() => {});
    return await untilAborted(ended, signal, whileReading(about));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#all].map((running) => running.end(this.#options.patienceMs ?? 0)));
  }

  #running(): Running<Theirs> {
    if (this.#current) return this.#current;
    const { ours = {}, flags = [], limitMs, idleMs = 120_000, ...others } = this.#options;
    const forget = () => {
      if (this.#current === running) this.#current = undefined;
    };
    const number = ++this.#started;
    const running = new Running<Theirs>({ ...others, number, ours, flags, limitMs, idleMs, forget });
    this.#current = running;
    this.#all.add(running);
    void running.ended.then(() => {
      forget();
      this.#all.delete(running);
    });
    return running;
  }
}

interface RunningOptions
  extends Required<
    Pick<WorkerOptions, "program" | "args" | "flags" | "failures" | "concurrency" | "ours" | "idleMs">
  > {
  readonly number: number;
  readonly limitMs: number | undefined;
  /** Nothing more is asked of it. */
  readonly forget: () => void;
}

class Running<Theirs extends ServiceOf<Theirs>> {
  readonly number: number;
  readonly ended: Promise<WorkerEnd>;
  readonly #process: WorkerProcess;
  readonly #channel: Channel<Theirs>;
  readonly #options: RunningOptions;
  #asked = 0;
  #isRetired = false;
  #isClosed = false;
  #idle: NodeJS.Timeout | undefined;

  constructor(options: RunningOptions) {
    this.#options = options;
    this.number = options.number;
    const { program, args: words, flags } = options;
    this.#process = startWorker({
      program,
      words,
      flags,
      onMessage: (message) => {
        if (message === "retire") this.#retire();
        else this.#channel.receive(message);
      },
    });
    this.#channel = new Channel((message) => this.#process.send(message), options.ours);
    this.ended = this.#process.ended;
    void this.ended.then((end) => {
      clearTimeout(this.#idle);
      this.#channel.end(new WorkerEnded(end));
    });
  }

  async ask<Name extends keyof Theirs & string>(
    name: Name,
    input: InputOf<Theirs[Name]>,
    { about, otherWay, signal }: AskOptions,
  ): Promise<AnswerOf<Theirs[Name]>> {
    const { concurrency: atOnce, limitMs, failures } = this.#options;
    clearTimeout(this.#idle);
    this.#asked += 1;
    this.#process.keepsUsAlive(true);
    let isLate = false;
    const timers = new Set<NodeJS.Timeout>();
    const killAfter = (milliseconds: number, why?: () => void) =>
      timers.add(
        setTimeout(() => {
          why?.();
          this.#process.kill();
        }, milliseconds),
      );
    const onAbort = () => {
      if (atOnce === 1) killAfter(cancelMs);
    };
    signal.addEventListener("abort", onAbort, { once: true });
    if (limitMs !== undefined)
      killAfter(limitMs, () => {
        isLate = true;
      });
    try {
      return await this.#channel.ask(name, input, { signal });
    } catch (error) {
      if (!(error instanceof WorkerEnded)) throw error;
      if (this.#isClosed) throw closed();
      if (isLate) throw failures.tooSlow(about);
      throw failures.brokeDown(about, error.end, otherWay);
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

  #rest(): void {
    this.#process.keepsUsAlive(false);
    if (this.#isRetired) this.#process.leave();
    else this.#idle = setTimeout(() => this.#retire(), this.#options.idleMs).unref();
  }

  #retire(): void {
    this.#isRetired = true;
    this.#options.forget();
    if (this.#asked === 0) this.#process.leave();
  }
}

/** So long a question that is not wanted any more may go on before it is ended with the process. */
const cancelMs = 300;

class WorkerEnded extends Error {
  readonly end: WorkerEnd;

  constructor(end: WorkerEnd) {
    super(end.how);
    this.end = end;
  }
}
