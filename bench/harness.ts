import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";

/**
 * One contender of a case. Each contender runs in its own process (lane.ts), so that memory and compiled code of one
 * do not affect another. The contenders take turns round by round, so that a busy machine affects all of them.
 */
export interface Contender {
  /** Runs before each lap. It is not timed, but its processor time counts: keep it small. */
  readonly reset?: () => unknown;
  /** Runs one timed lap. Returns its result, to check that the contenders agree. */
  readonly run: () => unknown;
  /**
   * Runs after each lap, and waits for what the lap left running. Its processor time counts, the waiting does not.
   */
  readonly settle?: () => unknown;
  readonly close?: () => unknown;
  /** Laps in a round, if it differs from the case. */
  readonly laps?: number;
}

export interface Case {
  readonly name: string;
  /** What is done and compared, for the results page. */
  readonly about: string;
  /**
   * Opened on demand, in the lane. The first is the reference. Goals are for `toolcrib`, unless they name another.
   */
  readonly contenders: Readonly<Record<string, () => Contender | Promise<Contender>>>;
  readonly goals: readonly Goal[];
  readonly rounds: number;
  /** Default: 1. More for laps that are too short to be timed alone. */
  readonly lapsPerRound?: number;
  /** Default: 2. */
  readonly warmUpRounds?: number;
}

type Goal = {
  /** The contender that must reach the goal. */
  readonly of?: string;
} & (
  | { readonly measure: TimeMeasure; readonly timesReference: number }
  | { readonly measure: TimeMeasure; readonly atMostUs: number }
  | { readonly measure: TimeMeasure; readonly overReferenceUs: number }
  | { readonly measure: "peakMb" | "heapMb" | "residentMb"; readonly atMostMb: number }
);

export type TimeMeasure = "cpuMs" | "p50Ms" | "p10Ms" | "minMs";

export interface Group {
  /** Data sets that must exist first. */
  readonly needs: readonly string[];
  /** Other preparation, done once. */
  readonly prepare?: () => void;
  readonly cases: readonly Case[];
  /** Measurements that do not use contenders. */
  readonly run?: (options: GroupOptions) => AsyncGenerator<CaseResult>;
}

/** The options of the command line. */
interface GroupOptions {
  readonly only: string;
  /** How often something is tried. */
  readonly tries?: string | undefined;
  readonly engine?: string | undefined;
  readonly show?: string | undefined;
  /** Numbers of files and records, such as "1k,10k". */
  readonly sizes?: string | undefined;
  /** An embedding model, as in the setting `embeddings`. */
  readonly embeddings?: string | undefined;
  /** Checkouts to measure. Default: this one. */
  readonly subject?: readonly string[] | undefined;
}

/** The cost of one lap, and the growth of the process at the end. */
export interface Figures {
  /** Mean processor time of the process and its children. */
  readonly cpuMs: number;
  readonly p50Ms: number;
  readonly p10Ms: number;
  readonly minMs: number;
  /** Highest resident memory, less the memory after opening. */
  readonly peakMb: number;
  /** Heap and buffers still in use after a garbage collection, less those in use after opening. */
  readonly heapMb: number;
  /** The same for resident memory. */
  readonly residentMb: number;
  readonly answer: string;
}

export type ContenderResult =
  | (Figures & { readonly name: string })
  | { readonly name: string; readonly failure: string };

export interface Verdict {
  readonly goal: string;
  /** A number in the unit of the goal; missing when nothing could be measured. */
  readonly value?: number;
  readonly measured: string;
  readonly met: boolean;
}

export interface CaseResult {
  readonly group: string;
  readonly name: string;
  readonly about: string;
  readonly contenders: readonly ContenderResult[];
  /** Other figures than those of contenders: a header, then rows. */
  readonly table?: readonly (readonly string[])[];
  readonly verdicts: readonly Verdict[];
}

/** Runs all contenders of a case, in turns, and evaluates the goals. */
export async function measure(group: string, given: Case): Promise<CaseResult> {
  const lanes = Object.keys(given.contenders).map((name) => new Lane(group, given.name, name));
  try {
    for (const lane of lanes) await lane.ready;
    for (let round = -(given.warmUpRounds ?? 2); round < given.rounds; round++) {
      for (let turn = 0; turn < lanes.length; turn++) {
        // Each round begins with another contender, so that none always runs after the same one.
        const lane = lanes[(turn + Math.max(round, 0)) % lanes.length]!;
        await lane.round(given.lapsPerRound ?? 1, { counts: round >= 0 });
      }
    }
    const contenders: ContenderResult[] = [];
    for (const lane of lanes) contenders.push(await lane.result());
    const { name, about } = given;
    return { group, name, about, contenders, verdicts: judge(given.goals, contenders) };
  } finally {
    for (const lane of lanes) await lane.end();
  }
}

/** The message of a lane after a round. */
export interface RoundReport {
  readonly lapsMs: readonly number[];
  readonly cpuMs: number;
  readonly answer: string;
}

export type MemoryReport = Pick<Figures, "peakMb" | "heapMb" | "residentMb">;

export type LaneMessage =
  | { readonly type: "ready" }
  | ({ readonly type: "round" } & RoundReport)
  | ({ readonly type: "memory" } & MemoryReport)
  | { readonly type: "failure"; readonly message: string };

export type LaneRequest = { readonly laps: number } | "memory";

/** The process of one contender. After a failure it does nothing more. */
class Lane {
  readonly ready: Promise<unknown>;
  readonly #name: string;
  readonly #process: ChildProcess;
  readonly #rounds: RoundReport[] = [];
  #failure: string | undefined;

  constructor(group: string, caseName: string, contender: string) {
    this.#name = contender;
    this.#process = fork(new URL("lane.ts", import.meta.url), [group, caseName, contender], {
      execArgv: ["--expose-gc", "--disable-warning=ExperimentalWarning"],
    });
    this.ready = this.#next();
  }

  async round(laps: number, { counts }: { counts: boolean }): Promise<void> {
    const report = await this.#ask({ laps });
    if (report?.type === "round" && counts) this.#rounds.push(report);
  }

  async result(): Promise<ContenderResult> {
    const memory = await this.#ask("memory");
    if (memory?.type !== "memory") return { name: this.#name, failure: this.#failure ?? "no answer" };
    const laps = this.#rounds.flatMap((round) => round.lapsMs).sort((a, b) => a - b);
    const cpuMs = this.#rounds.reduce((sum, round) => sum + round.cpuMs, 0) / laps.length;
    const { peakMb, heapMb, residentMb } = memory;
    return {
      name: this.#name,
      cpuMs,
      p50Ms: laps[Math.floor(laps.length / 2)]!,
      p10Ms: laps[Math.floor(laps.length / 10)]!,
      minMs: laps[0]!,
      peakMb,
      heapMb,
      residentMb,
      answer: this.#rounds.at(-1)!.answer,
    };
  }

  async end(): Promise<void> {
    if (!this.#process.connected) return;
    const exit = once(this.#process, "exit");
    this.#process.disconnect();
    await exit;
  }

  async #ask(request: LaneRequest): Promise<LaneMessage | undefined> {
    if (this.#failure !== undefined) return undefined;
    const answer = this.#next();
    this.#process.send(request);
    return answer;
  }

  #next(): Promise<LaneMessage | undefined> {
    const { promise, resolve } = Promise.withResolvers<LaneMessage | undefined>();
    const settle = (message: LaneMessage | undefined) => {
      this.#process.off("message", settle);
      this.#process.off("exit", onExit);
      if (message?.type === "failure") this.#failure = message.message;
      resolve(message);
    };
    const onExit = () => {
      this.#failure ??= `its process ended (${this.#process.exitCode ?? this.#process.signalCode})`;
      settle(undefined);
    };
    this.#process.on("message", settle);
    this.#process.on("exit", onExit);
    return promise;
  }
}

function judge(goals: readonly Goal[], contenders: readonly ContenderResult[]): Verdict[] {
  const reference = contenders[0]!;
  return goals.map((goal) => {
    const ours = contenders.find(({ name }) => name === (goal.of ?? "toolcrib"));
    const description = describeGoal(goal, reference.name);
    if (!ours || "failure" in ours || "failure" in reference) {
      return { goal: description, measured: "not measured", met: false };
    }
    const { limit, value, unit } = compare(goal, ours, reference);
    return { goal: description, value, measured: shortNumber(value) + unit, met: value <= limit };
  });
}

function compare(goal: Goal, ours: Figures, reference: Figures) {
  if ("timesReference" in goal) {
    return { limit: goal.timesReference, value: ours[goal.measure] / reference[goal.measure], unit: " ×" };
  }
  if ("overReferenceUs" in goal) {
    const over = (ours[goal.measure] - reference[goal.measure]) * 1000;
    return { limit: goal.overReferenceUs, value: over, unit: " µs" };
  }
  if ("atMostMb" in goal) return { limit: goal.atMostMb, value: ours[goal.measure], unit: " MB" };
  return { limit: goal.atMostUs, value: ours[goal.measure] * 1000, unit: " µs" };
}

const measureNames = {
  cpuMs: "cpu",
  p50Ms: "p50",
  p10Ms: "p10",
  minMs: "min",
  peakMb: "peak memory",
  heapMb: "heap kept",
  residentMb: "resident memory kept",
} as const;

function describeGoal(goal: Goal, reference: string): string {
  const name = (goal.of === undefined ? "" : `${goal.of}: `) + measureNames[goal.measure];
  if ("timesReference" in goal) return `${name} ≤ ${goal.timesReference} × ${reference}`;
  if ("overReferenceUs" in goal) return `${name} ≤ ${reference} + ${goal.overReferenceUs} µs`;
  return "atMostMb" in goal ? `${name} ≤ +${goal.atMostMb} MB` : `${name} ≤ ${goal.atMostUs} µs`;
}

/** With three significant digits. */
export function shortNumber(value: number): string {
  if (value === 0) return "0";
  if (Math.abs(value) >= 100) return value.toFixed(0);
  return value.toFixed(Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value)))));
}
