import type { ProcessExit, RunningProcess } from "../contract/environment.ts";
import { ToolError } from "../contract/error.ts";
import type { Outputs } from "../contract/output.ts";
import type {
  OutputRequest,
  ProcessInput,
  ProcessOutput,
  ProcessStatus,
  Waiting,
} from "../contract/process.ts";
import { monotonicMs } from "../lib/clock.ts";
import { explainConfinedFailure } from "../lib/explain-confined-failure.ts";
import { OutputLog, type Redactor, readOutput, WholeOutput } from "./output-log.ts";
import { readLog } from "./read-log.ts";
import type { AwaitReadiness } from "./readiness.ts";
import { within } from "./within.ts";

interface BackgroundProcessParts {
  readonly name: string;
  readonly command: string;
  readonly running: RunningProcess;
  readonly terminal: boolean;
  readonly readsInput: boolean;
  readonly awaitReadiness: AwaitReadiness | undefined;
  /** Whether the command may connect to at least one host. */
  readonly hasNetwork: boolean;
  readonly remarks: readonly string[];
  readonly outputs: Outputs | undefined;
  readonly redactor: () => Redactor;
}

/** A process that runs in the background, or has ended, and its output. */
export class BackgroundProcess {
  readonly name: string;
  readonly running: RunningProcess;
  readonly terminal: boolean;
  readonly readsInput: boolean;
  readonly log: OutputLog = new OutputLog();
  /** Resolves when the process has ended and all output is in the log. */
  readonly ended: Promise<void>;
  /** True when it is ready, false when it ended first; undefined without a readiness condition. */
  readonly ready: Promise<boolean> | undefined;
  readonly #command: string;
  readonly #hasNetwork: boolean;
  readonly #remarks: string[];
  readonly #whole: WholeOutput;
  readonly #startedAt = Date.now();
  readonly #began = monotonicMs();
  readonly #end = new AbortController();
  readonly #ports = new Map<number, string>();
  #spoke = monotonicMs();
  #endedAfterMs: number | undefined;
  #exit: ProcessExit | undefined;
  #isReady = false;
  #shownTo = 0;

  constructor({ name, command, running, terminal, awaitReadiness, ...parts }: BackgroundProcessParts) {
    this.name = name;
    this.running = running;
    this.terminal = terminal;
    this.readsInput = parts.readsInput;
    this.#command = command;
    this.#hasNetwork = parts.hasNetwork;
    this.#remarks = [...parts.remarks];
    this.#whole = new WholeOutput(this.log, parts.outputs);
    this.ended = this.#follow(parts.redactor);
    this.ready = awaitReadiness && this.#becomeReady(awaitReadiness);
    // The caller that waits for readiness gets the error.
    this.ready?.catch(() => {});
  }

  get hasEnded(): boolean {
    return this.#exit !== undefined;
  }

  /** Returns the output after a cursor and marks it as shown. */
  async show({ cursor, ...request }: OutputRequest): Promise<ProcessOutput> {
    const output = readLog(this.log, { ...request, cursor: cursor === "last" ? this.#shownTo : cursor });
    this.#shownTo = Math.max(this.#shownTo, output.cursor);
    return { ...output, status: await this.status() };
  }

  remark(remark: string): void {
    this.#remarks.push(remark);
  }

  /** Time since the last output. */
  get quietMs(): number {
    return this.hasEnded ? 0 : Math.round(monotonicMs() - this.#spoke);
  }

  async status(): Promise<ProcessStatus> {
    const isResting = this.quietMs >= restingMs;
    // A process that has just printed something does not wait for input, and the check is slow.
    const isWaiting = isResting && (await this.running.waitsForInput().catch(() => undefined)) === true;
    return { ...this.knownStatus, waitsForInput: isWaiting && !this.hasEnded };
  }

  /** The status without asking the process whether it waits for input. */
  get knownStatus(): ProcessStatus {
    const exit = this.#exit;
    return {
      name: this.name,
      kind: "process",
      command: this.#command,
      pid: this.running.pid,
      state: this.#state,
      exitCode: exit?.code ?? null,
      signal: exit?.signal ?? null,
      startedAt: this.#startedAt,
      durationMs: Math.round(this.#endedAfterMs ?? monotonicMs() - this.#began),
      sandbox: this.running.sandbox,
      ports: Array.from(this.#ports, ([port, address]) => ({ port, address })),
      cursor: this.log.end,
      quietMs: this.quietMs,
      waitsForInput: false,
      output: this.#whole.handle,
      remarks: [...this.#remarks, ...(exit?.remarks ?? [])],
    };
  }

  get #state(): ProcessStatus["state"] {
    if (this.hasEnded) return "ended";
    if (this.ready === undefined) return "running";
    return this.#isReady ? "ready" : "starting";
  }

  async #follow(redactor: () => Redactor): Promise<void> {
    const { log, running } = this;
    const onOutput = () => {
      this.#spoke = monotonicMs();
    };
    const read = (stream: "stdout" | "stderr") =>
      readOutput(stream, running[stream], { log, whole: this.#whole, redactor: redactor(), onOutput });
    const [exit] = await Promise.all([running.exit.catch(failedExit), read("stdout"), read("stderr")]);
    await this.#whole.end();
    this.#endedAfterMs = monotonicMs() - this.#began;
    this.#exit = { ...exit, remarks: [...this.#explain(exit), ...exit.remarks] };
    this.#end.abort();
  }

  #explain({ code }: ProcessExit): readonly string[] {
    // A process that was stopped has not failed.
    if (code === undefined) return [];
    return explainConfinedFailure({
      command: this.#command,
      output: readLog(this.log, { maxChars: 32_000 }).text,
      exitCode: code,
      sandbox: this.running.sandbox,
      hasNetwork: this.#hasNetwork,
    });
  }

  async #becomeReady(awaitReadiness: AwaitReadiness): Promise<boolean> {
    const { running, log } = this;
    const found = ({ port, address }: ProcessStatus["ports"][number]) => this.#ports.set(port, address);
    this.#isReady = await awaitReadiness({ running, log, found, signal: this.#end.signal });
    return this.#isReady;
  }
}

const restingMs = 200;

/** Turns an error at the end into a remark, because no caller may be waiting for the process. */
function failedExit(error: unknown): ProcessExit {
  const reason = error instanceof Error ? error.message : String(error);
  return { code: undefined, signal: undefined, remarks: [`Its sandbox was not cleaned up: ${reason}`] };
}

/** Returns "ended with exit code 1", "was ended by SIGKILL" or "has ended". */
export function describeEnd({ exitCode, signal }: Pick<ProcessStatus, "exitCode" | "signal">): string {
  if (signal !== null) return `was ended by ${signal}`;
  return exitCode === null ? "has ended" : `ended with exit code ${exitCode}`;
}

/** Writes to the input of a process and waits for its answer: output, then a pause. */
export async function giveInput(
  kept: BackgroundProcess,
  input: ProcessInput,
  waiting: Waiting,
): Promise<void> {
  const { running, log } = kept;
  if (kept.hasEnded) throw readsNoMore(kept);
  if (!kept.readsInput) throw readsNothing(kept.name);
  if (!kept.terminal && keys.some((key) => input.text.includes(key))) throw noTerminal(kept.name);
  const before = log.end;
  if (input.text !== "" && !(await within(running.write(Buffer.from(input.text)), unreadMs, waiting)))
    throw doesNotRead(kept.name);
  if (input.end === true) running.endInput();
  if (input.waitMs !== undefined) {
    await within(kept.ended, input.waitMs, waiting);
    return;
  }
  const began = Date.now();
  for (;;) {
    if (await within(kept.ended, lookMs, waiting)) return;
    const elapsed = Date.now() - began;
    const hasAnswered = log.end > before;
    if (hasAnswered && kept.quietMs >= answeredMs) return;
    if (elapsed >= (hasAnswered ? longestMs : silentMs)) return;
  }
}

/** The keys Ctrl-C, Ctrl-Z and Ctrl-\\. */
const keys = ["\u0003", "\u001a", "\u001c"];

const unreadMs = 5_000;
const lookMs = 50;
/** The pause that ends an answer, and the longer wait for any output. */
const answeredMs = 300;
const silentMs = 1_000;
const longestMs = 5_000;

function readsNoMore({ name, knownStatus }: BackgroundProcess): ToolError {
  return new ToolError("unavailable", `${name} ${describeEnd(knownStatus)} and reads no more input`, {
    hint: "See its output with process.output, or start it again with process.start.",
  });
}

function readsNothing(name: string): ToolError {
  return new ToolError("unsupported", `${name} was started without standard input`, {
    hint: "End it with process.stop. Start it again with a terminal, or with open input.",
  });
}

function doesNotRead(name: string): ToolError {
  return new ToolError("timeout", `${name} does not read its input`, {
    hint: "See its output with process.output, or end it with process.stop.",
  });
}

function noTerminal(name: string): ToolError {
  return new ToolError("unsupported", `Keys such as Ctrl-C do not work in ${name}: it has no terminal`, {
    hint: 'End it with process.stop, or start it with "terminal": true.',
  });
}
