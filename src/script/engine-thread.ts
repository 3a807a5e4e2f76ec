import { MessageChannel, type MessagePort, Worker } from "node:worker_threads";
import { ToolError } from "../contract/error.ts";
import type { ScriptResult } from "../contract/script.ts";
import { abortError, throwIfAborted } from "../lib/async/abort.ts";
import { packageFile } from "../system/package-file.ts";
import { closed } from "../workers/channel.ts";
import { type ScriptRun, stoppedScript } from "./run-script.ts";
import {
  answerKinds,
  type FromThread,
  type ProgramAnswer,
  resultFields,
  type ScriptEnd,
  type SharedState,
  type ThreadParts,
  type ToThread,
} from "./thread/protocol.ts";
import { Ring, type RingMessage } from "./thread/ring.ts";

/** Runs one program at a time, in a thread that starts with the first one. */
export class ScriptEngine {
  readonly #computeMs: number;
  #thread: EngineThread | undefined;
  #idle: NodeJS.Timeout | undefined;
  #isBusy = false;

  constructor(computeMs: number) {
    this.#computeMs = computeMs;
  }

  get isBusy(): boolean {
    return this.#isBusy;
  }

  async run(program: string, run: ScriptRun, signal: AbortSignal): Promise<ScriptResult> {
    clearTimeout(this.#idle);
    this.#isBusy = true;
    const thread = this.#thread === undefined || this.#thread.hasEnded ? new EngineThread() : this.#thread;
    this.#thread = thread;
    // The engine may be in the middle of a long operation.
    const cancel = () => void thread.end(abortError(signal, "The script was cancelled"));
    signal.addEventListener("abort", cancel, { once: true });
    try {
      throwIfAborted(signal);
      return run.result(await thread.run(program, this.#computeMs, run));
    } finally {
      signal.removeEventListener("abort", cancel);
      if (thread.hasEnded) this.#thread = undefined;
      else this.#idle = setTimeout(() => this.close(), idleMs).unref();
      await run.end();
      this.#isBusy = false;
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const thread = this.#thread;
    // The next program may start a thread before this one has ended.
    this.#thread = undefined;
    await thread?.end(closed());
  }
}

/** How long a thread waits for the next program before it ends. */
const idleMs = 120_000;

class EngineThread {
  readonly #port: MessagePort;
  readonly #worker: Worker;
  readonly #shared: SharedState = {
    toThread: Ring.memory(),
    fromThread: Ring.memory(),
    isAsleep: new Int32Array(new SharedArrayBuffer(4)),
    posted: new Int32Array(new SharedArrayBuffer(4)),
    deadline: new BigInt64Array(new SharedArrayBuffer(8)),
  };
  readonly #outgoing = new Ring(this.#shared.toThread);
  readonly #incoming = new Ring(this.#shared.fromThread);
  #current: (PromiseWithResolvers<ScriptEnd> & { readonly run: ScriptRun }) | undefined;
  #ended: Promise<unknown> | undefined;
  #runs = 0;
  #pollUntil = 0;
  #isPolling = false;

  constructor() {
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    const program = packageFile(import.meta.url, {
      source: "thread/main.ts",
      built: "script-thread/main.cjs",
    });
    this.#worker = new Worker(program, {
      workerData: { port: port2, shared: this.#shared } satisfies ThreadParts,
      transferList: [port2],
      // The engine needs nothing of this process.
      env: {},
      argv: [],
      execArgv: ["--disable-warning=ExperimentalWarning"],
      stdin: false,
      stdout: true,
      stderr: true,
      // The limits of the engine are far lower. V8 can end the whole process when a thread reaches the limit of its heap.
      resourceLimits: { maxOldGenerationSizeMb: 1_024, stackSizeMb: 4 },
    });
    port1.on("message", (message: FromThread) => this.#receive(message));
    this.#worker.on("error", (error) => void this.end(crashed(error)));
    this.#worker.on("exit", (code) => void this.end(crashed(new Error(`exit code ${code}`))));
    this.#keepsUsAlive(false);
  }

  get hasEnded(): boolean {
    return this.#ended !== undefined;
  }

  /** Runs a program to its end. Rejects when the thread ends before. */
  async run(program: string, computeMs: number, run: ScriptRun): Promise<ScriptEnd> {
    const current = { ...Promise.withResolvers<ScriptEnd>(), run };
    this.#current = current;
    this.#keepsUsAlive(true);
    const watching = setInterval(() => this.#watch(), watchMs);
    this.#runs += 1;
    this.#post({ kind: "run", run: this.#runs, program, computeMs });
    try {
      return await current.promise;
    } finally {
      clearInterval(watching);
      this.#current = undefined;
      this.#keepsUsAlive(false);
    }
  }

  /** Ends the thread, whatever it does, and with it the program. */
  async end(reason: ToolError): Promise<void> {
    this.#current?.reject(reason);
    this.#ended ??= this.#worker.terminate();
    this.#port.close();
    await this.#ended;
  }

  /** Ends the thread of an engine that does not stop although its time is over. */
  #watch(): void {
    const deadline = Atomics.load(this.#shared.deadline, 0);
    if (deadline !== 0n && BigInt(Date.now()) > deadline) void this.end(stoppedScript("time"));
  }

  #answer(answer: Omit<ProgramAnswer, "run">): void {
    const { kind, id, text, isGiven, isHeld, failed } = answer;
    const isPlain = isGiven && isHeld && failed === undefined;
    if (isPlain && this.#outgoing.write([this.#runs, id, answerKinds.indexOf(kind)], String(text)))
      this.#wake();
    else this.#post({ ...answer, run: this.#runs });
  }

  #post(message: ToThread): void {
    if (this.hasEnded) return;
    this.#port.postMessage(message);
    this.#wake();
  }

  #wake(): void {
    Atomics.add(this.#shared.posted, 0, 1);
    Atomics.notify(this.#shared.posted, 0);
    this.#poll();
  }

  /** Looks for messages for a short time, because the thread often answers within less than it takes to wake this one. */
  #poll(): void {
    Atomics.store(this.#shared.isAsleep, 0, 0);
    this.#pollUntil = performance.now() + pollMs;
    if (this.#isPolling) return;
    this.#isPolling = true;
    const look = () => {
      this.#readAll();
      if (this.#current !== undefined && performance.now() < this.#pollUntil) return setImmediate(look);
      this.#isPolling = false;
      Atomics.store(this.#shared.isAsleep, 0, 1);
      // A message may have been written just before.
      this.#readAll();
    };
    setImmediate(look);
  }

  #readAll(): void {
    for (let short = this.#incoming.read(); short !== undefined; short = this.#incoming.read())
      this.#request(short.numbers, short.bytes.toString("utf8"));
  }

  #receive(message: FromThread): void {
    // The messages in shared memory are older.
    this.#readAll();
    if (message.kind === "end") {
      this.#current?.resolve(message.end);
      if (message.isLast) void this.end(closed());
    } else if (message.kind === "long") this.#request(message.numbers, message.text);
    else this.#poll();
  }

  /** Everything in a request may be made up by the program. */
  #request([isTake, id, field]: RingMessage["numbers"], text: string): void {
    const run = this.#current?.run;
    if (run === undefined) return;
    try {
      if (isTake === 1) this.#post({ kind: "field", text: run.take(id, resultFields[field]!) });
      else run.ask(text, (answer) => this.#answer(answer));
    } catch (error) {
      void this.end(error instanceof ToolError ? error : crashed(error as Error));
    }
  }

  #keepsUsAlive(wanted: boolean): void {
    const how = wanted ? "ref" : "unref";
    this.#worker[how]();
    this.#port[how]();
  }
}

const watchMs = 100;
/** Longer than a program usually computes between two calls. */
const pollMs = 0.2;

function crashed(error: Error & { code?: string }): ToolError {
  if (error.code === "ERR_WORKER_OUT_OF_MEMORY") return stoppedScript("memory");
  return new ToolError("unavailable", `The engine of scripts crashed (${error.message})`, {
    hint: "Simplify the program, or call the tools one by one.",
    cause: error,
  });
}
