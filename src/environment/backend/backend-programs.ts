import type { Backend, BackendExit } from "../../contract/backend.ts";
import type { ProcessExit, ProcessStartOptions, RunningProcess } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import { shellQuote } from "../../lib/text/shell-quote.ts";
import { programUnavailable } from "../../system/file-errors.ts";
import { backendFailed } from "./backend-view.ts";

/** The programs that run in a backend. Nothing confines them but the backend itself. */
export class BackendPrograms {
  readonly #exec: NonNullable<Backend["exec"]>;
  readonly #workspace: string;
  /** Whether a program is installed there. */
  readonly #installed = new Map<string, Promise<boolean>>();
  readonly #running = new Set<BackendProcess>();

  constructor(backend: Backend) {
    this.#exec = backend.exec!.bind(backend);
    this.#workspace = backend.workspace;
  }

  async start(
    program: string,
    options: ProcessStartOptions & { readonly cwd: string },
  ): Promise<RunningProcess> {
    if (!(await this.#isInstalled(program))) throw programUnavailable(program);
    const { args, cwd, env = {}, input, signal } = options;
    const command = `exec ${[program, ...args].map(shellQuote).join(" ")}`;
    const running = new BackendProcess(signal, (onOutput, ended) =>
      this.#exec(command, {
        cwd,
        env,
        input: input === "open" ? undefined : input,
        onOutput,
        signal: ended,
      }),
    );
    this.#running.add(running);
    void running.exit.then(() => this.#running.delete(running));
    return running;
  }

  async close(): Promise<void> {
    for (const process of this.#running) process.stop();
    await Promise.all([...this.#running].map(({ exit }) => exit));
  }

  /** Asks once. A failed question is asked again. */
  async #isInstalled(program: string): Promise<boolean> {
    if (program === "sh" || program === "/bin/sh") return true;
    const known = this.#installed.get(program) ?? this.#ask(program);
    this.#installed.set(program, known);
    try {
      return await known;
    } catch (error) {
      this.#installed.delete(program);
      throw backendFailed(error);
    }
  }

  async #ask(program: string): Promise<boolean> {
    const code = await exitOf(() =>
      this.#exec(`command -v ${shellQuote(program)}`, {
        cwd: this.#workspace,
        env: {},
        onOutput: async () => {},
        signal: AbortSignal.timeout(30_000),
      }),
    );
    return code === 0;
  }
}

/** Runs `exec`, which may throw at once, and checks its answer. */
async function exitOf(run: () => Promise<BackendExit>): Promise<number | undefined> {
  const exit: Partial<BackendExit> | undefined = await run();
  if (exit && (exit.code === undefined || Number.isSafeInteger(exit.code))) return exit.code;
  throw new Error("exec must resolve to { code }, a number");
}

type Run = (
  onOutput: (bytes: Uint8Array, stream: "stdout" | "stderr") => Promise<void>,
  ended: AbortSignal,
) => Promise<BackendExit>;

class BackendProcess implements RunningProcess {
  readonly stdout: OutputQueue = new OutputQueue();
  readonly stderr: OutputQueue = new OutputQueue();
  readonly exit: Promise<ProcessExit>;
  /** The processes of a backend have no number here. */
  readonly pid = 0;
  readonly sandbox = "none";
  readonly #ended = new AbortController();

  constructor(signal: AbortSignal, run: Run) {
    const ended = AbortSignal.any([signal, this.#ended.signal]);
    // A backend that ignores the signal must not hold the call.
    const overdue = new Promise<ProcessExit>((resolve) =>
      ended.addEventListener("abort", () => setTimeout(() => resolve(unconfirmed), overdueMs).unref(), {
        once: true,
      }),
    );
    const done = exitOf(() => run((bytes, stream) => this[stream].push(bytes), ended)).then(
      (code): ProcessExit => ({ code, signal: ended.aborted ? "SIGKILL" : undefined, remarks: [] }),
      (error: unknown): ProcessExit => {
        if (ended.aborted) return { code: undefined, signal: "SIGKILL", remarks: [] };
        void this.stderr.push(Buffer.from(`${backendFailed(error).message}\n`));
        return { code: undefined, signal: undefined, remarks: ["The backend failed to run the command."] };
      },
    );
    this.exit = Promise.race([done, overdue]).finally(() => {
      this.stdout.end();
      this.stderr.end();
    });
  }

  async write(): Promise<void> {
    throw new ToolError("unavailable", "Programs in this backend have no standard input", {
      hint: "Pass the input in the command: printf '…' | command",
    });
  }

  endInput(): void {}

  async waitsForInput(): Promise<undefined> {
    return undefined;
  }

  async answers(): Promise<boolean> {
    return false;
  }

  terminate(): void {
    this.stop();
  }

  stop(): void {
    this.#ended.abort();
  }
}

const overdueMs = 5_000;
const unconfirmed: ProcessExit = {
  code: undefined,
  signal: "SIGKILL",
  remarks: ["The backend did not confirm that the command has ended."],
};

/** Output on its way to a reader. A writer waits while much is unread. */
class OutputQueue implements AsyncIterable<Uint8Array> {
  #chunks: Uint8Array[] = [];
  #bytes = 0;
  #isEnded = false;
  #changed = Promise.withResolvers<void>();

  async push(bytes: Uint8Array): Promise<void> {
    if (this.#isEnded) return;
    this.#chunks.push(bytes);
    this.#bytes += bytes.length;
    this.#notify();
    while (this.#bytes > maxUnread && !this.#isEnded) await this.#changed.promise;
  }

  end(): void {
    this.#isEnded = true;
    this.#notify();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (;;) {
      const chunk = this.#chunks.shift();
      if (chunk !== undefined) {
        this.#bytes -= chunk.length;
        this.#notify();
        yield chunk;
      } else if (this.#isEnded) return;
      else await this.#changed.promise;
    }
  }

  #notify(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}

const maxUnread = 1024 * 1024;
