export interface FoundLoop {
  readonly action: "warned" | "stopped";
  /**
   * `cycle`: the same calls get the same answers. `polling`: so do calls that wait for something. `error`: one tool
   * fails the same way with any arguments. `fault`: replies cannot be parsed.
   */
  readonly kind: "cycle" | "polling" | "error" | "fault";
  readonly calls: readonly string[];
  readonly times: number;
}

/**
 * Detects repetition: one to three calls in turn with the same answers, or one tool that keeps failing the same way. A
 * different answer is progress. Warns first, and stops the model only if it continues. Constant cost per call.
 */
export class LoopWatch {
  readonly #recent: { readonly signature: string; readonly text: string; readonly polls: boolean }[] = [];
  /** How many calls in a row equal the call one period before, by period. */
  readonly #repeats = new Map<number, number>();
  readonly #failures = new Map<string, Failures>();
  #faults = 0;
  /** The round of each warning, by key. */
  readonly #warnings = new Map<string, number>();

  /** Takes the calls of one reply, with their answers. `round` always grows. */
  note({ calls, isFault = false, round }: WatchedReply): FoundLoop | undefined {
    const found = calls.map((call) => {
      const failure = this.#noteFailure(call, round);
      return this.#noteCall(call) ?? failure;
    });
    const loops = [...found, this.#noteFault(isFault)].filter((loop) => loop !== undefined);
    const over = loops.find(({ key, isOver }) => isOver && this.#wasWarned(key, round));
    const loop = over ?? loops.findLast(({ key }) => !this.#wasWarned(key, round));
    if (loop === undefined) return undefined;
    const { kind, calls: repeated, times } = loop;
    if (over === undefined) this.#warnings.set(loop.key, round);
    return { action: over ? "stopped" : "warned", kind, calls: repeated, times };
  }

  /** Forgets earlier calls, because the user sent a message. */
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
    this.#recent.push({ signature, text: formatCall(call), polls: isPolling(call) });
    if (this.#recent.length > periods.length) this.#recent.shift();
    for (const period of periods) {
      const repeated = this.#repeats.get(period)!;
      // Count only complete cycles.
      if (repeated === 0 || repeated % period !== 0) continue;
      const cycle = this.#recent.slice(-period);
      const polls = cycle.some((each) => each.polls);
      const { warnAt, stopAt } = polls ? ofPolling : ofCycles;
      const times = repeated / period + 1;
      if (times < warnAt) continue;
      const calls = cycle.map(({ text }) => text);
      const key = calls.toSorted().join("\n");
      return { kind: polls ? "polling" : "cycle", calls, times, key, isOver: times >= stopAt };
    }
    return undefined;
  }

  /** Several failures in one round count once, because the model had not seen the first. */
  #noteFailure(call: WatchedCall, round: number): Candidate | undefined {
    const { canonical, failure, content } = call;
    if (failure === undefined) {
      this.#failures.delete(canonical);
      return undefined;
    }
    const text = withoutTimes(content);
    const before = this.#failures.get(canonical);
    // A failed command has no error code: it failed the same way when its output is the same.
    const isSame = before?.failure === failure && (failure !== "failed" || before.text === text);
    if (isSame && before.round === round) return undefined;
    const times = isSame ? before.times + 1 : 1;
    const sameMessages = isSame && before.text === text ? before.sameMessages + 1 : 1;
    this.#failures.set(canonical, { failure, times, text, sameMessages, round });
    if (times < ofFailures.warnAt) return undefined;
    const key = `${canonical}: ${failure}`;
    // A model that searches in many places gets a different message each time, and is only warned.
    const isOver = sameMessages >= ofFailures.stopAt;
    return { kind: "error", calls: [formatCall(call)], times, key, isOver };
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

interface Failures {
  readonly failure: string;
  readonly times: number;
  readonly text: string;
  readonly sameMessages: number;
  readonly round: number;
}

interface Candidate extends Omit<FoundLoop, "action"> {
  /** Each key is warned about once. */
  readonly key: string;
  readonly isOver: boolean;
}

/** The lengths of cycles that are detected. */
const periods = [1, 2, 3] as const;

const ofCycles = { warnAt: 3, stopAt: 5 };
/** Polling tools are meant to be called again. */
const ofPolling = { warnAt: 12, stopAt: 40 };
const ofFailures = { warnAt: 4, stopAt: 8 };

/** A call that was made, with its answer. */
export interface WatchedCall {
  readonly name: string;
  readonly canonical: string;
  readonly input: unknown;
  /** The result that the model saw. */
  readonly content: string;
  readonly failure: string | undefined;
}

function callSignature({ name, input, content }: WatchedCall): string {
  return `${name}\n${JSON.stringify(input)}\n${withoutTimes(content)}`;
}

function formatCall({ name, input }: WatchedCall): string {
  const given = JSON.stringify(input) ?? "";
  return `${name}(${given.length > longest ? `${given.slice(0, longest - 1)}…` : given})`;
}

/** Whether the call asks for progress, so that the same answer may be right for a while. */
function isPolling({ canonical, input }: WatchedCall): boolean {
  if (pollingTools.has(canonical)) return true;
  if (!/^(?:shell\.|process\.start$)/.test(canonical)) return false;
  return Object.values(input ?? {}).some((value) => typeof value === "string" && waits.test(value));
}

/** Matches only at the position of a command, not in a path or a text. */
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
 * Removes durations and output handles, which differ each time. Looks only near the ends, where Toolcrib writes them:
 * a time that a program prints is progress.
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

/** Returns the notice to a model that repeats itself. */
export function loopNotice({ kind, calls, times }: FoundLoop): string {
  const shown = calls.map((call) => `- ${call}`).join("\n");
  switch (kind) {
    case "cycle": {
      const what = calls.length === 1 ? "this call" : `these ${calls.length} calls in turn`;
      return `You made ${what} ${times} times, with the same result each time:\n${shown}\nRepeating it will not change the result. Use what you already know, try something else, or say what blocks you.`;
    }
    case "polling":
      return `You polled ${times} times, and nothing changed:\n${shown}\nWait longer in one call, find out what it is waiting for, stop it, or say what blocks you.`;
    case "error":
      return `This tool failed ${times} times in the same way, most recently with:\n${shown}\nRead the error message, check your assumptions before you try again, try something else, or say what blocks you.`;
    case "fault":
      return `None of your last ${times} replies could be parsed. Read again how to write a call, make one small call, or answer in plain text.`;
  }
}
