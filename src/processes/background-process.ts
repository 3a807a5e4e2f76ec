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
  /** There is a host that it could reach. */
  readonly hasNetwork: boolean;
  readonly remarks: readonly string[];
  readonly outputs: Outputs | undefined;
  readonly redactor: () => Redactor;
}

/** One process that runs beside the calls, or has ended, and what it has said. */
export class BackgroundProcess {
  readonly name: string;
  readonly running: RunningProcess;
  readonly terminal: boolean;
  /** It can be given something to read. */
  readonly readsInput: boolean;
  readonly log: OutputLog = new OutputLog();
  /** When all that it said is on record, too. */
  readonly ended: Promise<void>;
  /** True when it is ready, false when it has ended before; undefined when nobody said how to know. */
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
    // Who waits for it hears of it.
    this.ready?.catch(() => {});
  }

  get hasEnded(): boolean {
    return this.#exit !== undefined;
  }

  /** What it has said after a cursor, which from now on has been shown. */
  show({ cursor, ...request }: OutputRequest): ProcessOutput {
    const output = readLog(this.log, { ...request, cursor: cursor === "last" ? this.#shownTo : cursor });
    this.#shownTo = Math.max(this.#shownTo, output.cursor);
    return { ...output, status: this.status };
  }

  /** Puts on record what else is worth knowing. */
  remark(remark: string): void {
    this.#remarks.push(remark);
  }

  /** How long it has said nothing. */
  get quietMs(): number {
    return this.hasEnded ? 0 : Math.round(monotonicMs() - this.#spoke);
  }

  get status(): ProcessStatus {
    const exit = this.#exit;
    const { quietMs } = this;
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
      quietMs,
      // Who has just spoken does not wait; to find out costs.
      waitsForInput: quietMs >= restingMs && this.running.waitsForInput() === true,
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
    const heard = () => {
      this.#spoke = monotonicMs();
    };
    const read = (stream: "stdout" | "stderr") =>
      readOutput(stream, running[stream], { log, whole: this.#whole, redactor: redactor(), heard });
    const [exit] = await Promise.all([running.exit.catch(untold), read("stdout"), read("stderr")]);
    await this.#whole.end();
    this.#endedAfterMs = monotonicMs() - this.#began;
    this.#exit = { ...exit, remarks: [...this.#explain(exit), ...exit.remarks] };
    this.#end.abort();
  }

  #explain({ code }: ProcessExit): readonly string[] {
    // Who was ended has not failed.
    if (code === undefined) return [];
    const { text } = readLog(this.log, { maxChars: explainedChars });
    const { sandbox } = this.running;
    const hasNetwork = this.#hasNetwork;
    return explainConfinedFailure({
      command: this.#command,
      output: text,
      exitCode: code,
      sandbox,
      hasNetwork,
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

/** Nobody may be waiting for it to end. */
function untold(error: unknown): ProcessExit {
  const reason = error instanceof Error ? error.message : String(error);
  return { code: undefined, signal: undefined, remarks: [`What it ran in was not cleared away: ${reason}`] };
}
const explainedChars = 32_000;

/** How a process has ended: "ended with exit code 1", "was ended by SIGKILL". */
export function describeEnd({ exitCode, signal }: Pick<ProcessStatus, "exitCode" | "signal">): string {
  if (signal !== null) return `was ended by ${signal}`;
  return exitCode === null ? "has ended" : `ended with exit code ${exitCode}`;
}

/** Gives a process something to read and waits until it has answered: has said something and then nothing for a while. */
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
    const hasSpoken = log.end > before;
    if (hasSpoken && kept.quietMs >= answeredMs) return;
    if (elapsed >= (hasSpoken ? longestMs : silentMs)) return;
  }
}

/** Ctrl-C, Ctrl-Z, Ctrl-\\. */
const keys = ["\u0003", "\u001a", "\u001c"];

const unreadMs = 5_000;
const lookMs = 50;
/** After an answer it is quiet this long; who says nothing at all is waited for a little longer. */
const answeredMs = 300;
const silentMs = 1_000;
const longestMs = 5_000;

function readsNoMore({ name, status }: BackgroundProcess): ToolError {
  return new ToolError("unavailable", `${name} ${describeEnd(status)}: it reads no more`, {
    hint: "Start it again with process.start; what it said is still there, see process.output.",
  });
}

function readsNothing(name: string): ToolError {
  return new ToolError("unsupported", `${name} was started with nothing to read`, {
    hint: "End it with process.stop. Start it again with a terminal, or with its input left open.",
  });
}

function doesNotRead(name: string): ToolError {
  return new ToolError("timeout", `${name} does not read what it is given`, {
    hint: "It will find it when it reads. See what it does with process.output, or end it with process.stop.",
  });
}

function noTerminal(name: string): ToolError {
  return new ToolError("unsupported", `Keys such as Ctrl-C mean nothing to ${name}: it has no terminal`, {
    hint: 'End it with process.stop, or start it with "terminal": true.',
  });
}
