/** What a model was caught at. */
export interface FoundLoop {
  readonly action: "warned" | "stopped";
  /**
   * `cycle`: the same calls with the same answers; `polling`: the same, of calls that wait for something; `error`: one tool
   * fails in the same way, with whatever arguments; `fault`: replies that cannot be understood.
   */
  readonly kind: "cycle" | "polling" | "error" | "fault";
  readonly calls: readonly string[];
  readonly times: number;
}

/**
 * Watches the calls of a conversation for repetition: the same call, or the same two or three in turn, with the same answers;
 * one tool that fails again and again in the same way. A different answer is progress. Warns first, and stops only who goes on
 * after that. Constant cost per call.
 */
export class LoopWatch {
  /** The last calls, newest last. */
  readonly #recent: RecentCall[] = [];
  /** How many calls in a row were the same as the one so many before. */
  readonly #repeats = new Map<number, number>();
  readonly #failures = new Map<string, Failures>();
  /** Replies in a row that could not be understood. */
  #faults = 0;
  /** In which round there was a warning of what. */
  readonly #warnings = new Map<string, number>();

  /** The calls of one reply, with their answers, and whether it could be understood. `round` only ever grows. */
  note({ calls, isFault = false, round }: WatchedReply): FoundLoop | undefined {
    const found = calls.map((call) => {
      const failure = this.#noteFailure(call, round);
      return this.#noteCall(call) ?? failure;
    });
    const loops = [...found, this.#noteFault(isFault)].filter((loop) => loop !== undefined);
    const over = loops.find(({ key, isOver }) => isOver && this.#wasWarned(key, round));
    if (over) return tell(over, "stopped");
    const worst = loops.findLast(({ key }) => !this.#wasWarned(key, round));
    if (worst === undefined) return undefined;
    this.#warnings.set(worst.key, round);
    return tell(worst, "warned");
  }

  /** The person has said something: what comes now is another matter. */
  reset(): void {
    this.#recent.length = 0;
    this.#repeats.clear();
    this.#failures.clear();
    this.#faults = 0;
    this.#warnings.clear();
  }

  #wasWarned(key: string, round: number): boolean {
    return (this.#warnings.get(key) ?? round) < round;
  }

  #noteCall(call: WatchedCall): Candidate | undefined {
    const signature = callSignature(call);
    for (const period of periods) {
      const isSame = this.#recent.at(-period)?.signature === signature;
      this.#repeats.set(period, isSame ? (this.#repeats.get(period) ?? 0) + 1 : 0);
    }
    this.#recent.push({ signature, words: showCall(call), polls: isPolling(call) });
    if (this.#recent.length > longestPeriod) this.#recent.shift();
    for (const period of periods) {
      const repeated = this.#repeats.get(period)!;
      // Counted when it has come round.
      if (repeated === 0 || repeated % period !== 0) continue;
      const cycle = this.#recent.slice(-period);
      const polls = cycle.some((each) => each.polls);
      const { warnAt, stopAt } = polls ? ofPolling : ofCycles;
      const times = repeated / period + 1;
      if (times < warnAt) continue;
      const calls = cycle.map(({ words }) => words);
      const key = calls.toSorted().join("\n");
      return { kind: polls ? "polling" : "cycle", calls, times, key, isOver: times >= stopAt };
    }
    return undefined;
  }

  /** Several failures in one round are one: the model could not yet know. */
  #noteFailure(call: WatchedCall, round: number): Candidate | undefined {
    const { canonical, failure, content } = call;
    if (failure === undefined) {
      this.#failures.delete(canonical);
      return undefined;
    }
    const words = withoutTimes(content);
    const before = this.#failures.get(canonical);
    // A command that fails has no code: it fails in the same way when it says the same.
    const isSame = before?.failure === failure && (failure !== "failed" || before.words === words);
    if (isSame && before.round === round) return undefined;
    const times = isSame ? before.times + 1 : 1;
    const sameWords = isSame && before.words === words ? before.sameWords + 1 : 1;
    this.#failures.set(canonical, { failure, times, words, sameWords, round });
    if (times < ofFailures.warnAt) return undefined;
    const key = `${canonical}: ${failure}`;
    // Whoever looks for something in many places is told each time that it is not there.
    const isOver = sameWords >= ofFailures.stopAt;
    return { kind: "error", calls: [showCall(call)], times, key, isOver };
  }

  #noteFault(isFault: boolean): Candidate | undefined {
    this.#faults = isFault ? this.#faults + 1 : 0;
    const times = this.#faults;
    if (times < ofCycles.warnAt) return undefined;
    return { kind: "fault", calls: [], times, key: "fault", isOver: times >= ofCycles.stopAt };
  }
}

interface WatchedReply {
  readonly calls: readonly WatchedCall[];
  readonly isFault?: boolean;
  readonly round: number;
}

interface RecentCall {
  readonly signature: string;
  readonly words: string;
  readonly polls: boolean;
}

interface Failures {
  readonly failure: string;
  readonly times: number;
  readonly words: string;
  /** How often in a row it was told in these words. */
  readonly sameWords: number;
  readonly round: number;
}

interface Candidate extends Omit<FoundLoop, "action"> {
  /** What is warned of once. */
  readonly key: string;
  readonly isOver: boolean;
}

/** How many calls a cycle may have. */
const periods: readonly number[] = [1, 2, 3];
const longestPeriod = 3;

const ofCycles = { warnAt: 3, stopAt: 5 };
/** Who waits for something asks again: that is what those tools are for. */
const ofPolling = { warnAt: 12, stopAt: 40 };
const ofFailures = { warnAt: 4, stopAt: 8 };

function tell({ kind, calls, times }: Candidate, action: FoundLoop["action"]): FoundLoop {
  return { action, kind, calls, times };
}

/** A call that was made, with what matters for telling whether it leads anywhere. */
export interface WatchedCall {
  readonly name: string;
  /** The tool that was meant. */
  readonly canonical: string;
  readonly input: unknown;
  /** What the model was told. */
  readonly content: string;
  /** What kind of failure it was; undefined where it was none. */
  readonly failure: string | undefined;
}

/** What is the same for the same call with the same answer. */
function callSignature({ name, input, content }: WatchedCall): string {
  return `${name}\n${JSON.stringify(input)}\n${withoutTimes(content)}`;
}

/** The call as people and models read it. */
function showCall({ name, input }: WatchedCall): string {
  const given = JSON.stringify(input) ?? "";
  return `${name}(${given.length > longest ? `${given.slice(0, longest - 1)}…` : given})`;
}

/** Whether it asks how far something is: then the same answer may be all there is for a while. */
function isPolling({ canonical, input }: WatchedCall): boolean {
  if (pollingTools.has(canonical)) return true;
  if (!/^(?:shell\.|process\.start$)/.test(canonical)) return false;
  return Object.values(input ?? {}).some((value) => typeof value === "string" && waits.test(value));
}

/** Where a command stands, not in a path or in words. */
const waits = /(?:^|[;&|(\n]|\b(?:do|then|else)\b)\s*(?:sleep|wait)\b/;

const longest = 160;

const pollingTools: ReadonlySet<string> = new Set([
  "process.output",
  "process.wait",
  "process.list",
  "process.input",
  "agent.wait",
]);

/**
 * How long a call took and under which name its output is kept differ each time, and say nothing. Only what we say of it, near
 * the ends, is passed over: a time that a program tells is progress.
 */
function withoutTimes(content: string): string {
  if (content.length <= 2 * near) return strip(content);
  return strip(content.slice(0, near)) + content.slice(near, -near) + strip(content.slice(-near));
}

const near = 1_000;

function strip(text: string): string {
  return text
    .replace(/^(?:Wall time: [\d.]+ seconds|duration: \d+ ms|Chunk ID: \w+)$/gm, "")
    .replace(/\b((?:runs|open|nothing) for|ended(?: by \w+)? after) \d[\d.]* (?:ms|s|min|h)\b/g, "$1")
    .replace(/\b(?:out|call)_[a-z0-9]{6,}\b/g, "");
}

/** What a model that repeats itself is told. */
export function loopNotice({ kind, calls, times }: FoundLoop): string {
  const shown = calls.map((call) => `- ${call}`).join("\n");
  switch (kind) {
    case "cycle": {
      const what = calls.length === 1 ? "this call" : `these ${calls.length} calls in turn`;
      return `You have made ${what} ${times} times, with the same answer each time:\n${shown}\nMaking it again will not change the answer. Use what you know already, try something else, or say what keeps you from going on.`;
    }
    case "polling":
      return `You have asked ${times} times, and nothing has changed:\n${shown}\nWait longer in one call, look for what it is waiting for, end it, or say what keeps you from going on.`;
    case "error":
      return `This tool has failed ${times} times in the same way, the last time with:\n${shown}\nRead its message, find out what is there before you try again, use another way, or say what keeps you from going on.`;
    case "fault":
      return `None of your last ${times} replies could be understood. Read again how a call is written, make one small call, or answer in plain words.`;
  }
}
