import { type ErrorCode, errorCodes, ToolError } from "../contract/error.ts";
import type { InnerCalls, InnerError, ScriptResult, ScriptTool } from "../contract/script.ts";
import { countValues } from "../lib/json/count-values.ts";
import { tryParseJson } from "../lib/json/try-parse-json.ts";
import { counted, showSize } from "../lib/text/format-quantity.ts";
import { nearest } from "../lib/text/nearest.ts";
import { truncateText } from "../lib/text/truncate.ts";
import { declareTool } from "./declare-tool.ts";
import { estimateBytes, HeldResults } from "./held-results.ts";
import { limits } from "./limits.ts";
import type { ProgramAnswer, ResultField, ScriptEnd, ScriptFailure } from "./thread/protocol.ts";

/** The calls of one running program. Its engine may be under the control of the program, so every limit is kept here. */
export class ScriptRun {
  readonly #calls: InnerCalls;
  readonly #ending = new AbortController();
  readonly #stopListening: () => void;
  /** The calls so far, without those that have started: their places stay empty, because removing them would take long. */
  readonly #asked: ((() => Promise<void>) | undefined)[] = [];
  #started = 0;
  #waitingChars = 0;
  readonly #running = new Set<Promise<unknown>>();
  readonly #results = new HeldResults();
  #tools: Promise<readonly ScriptTool[]> | undefined;
  #made = 0;
  #failed = 0;
  #helped = 0;

  constructor(calls: InnerCalls, signal: AbortSignal) {
    this.#calls = calls;
    const cancel = () => this.#ending.abort(signal.reason);
    signal.addEventListener("abort", cancel, { once: true });
    if (signal.aborted) cancel();
    this.#stopListening = () => signal.removeEventListener("abort", cancel);
  }

  /**
   * Makes the calls of a message from the engine. A call that is cancelled has no answer: its program has ended. Throws when
   * the program must end.
   */
  ask(asks: string, deliver: (answer: Omit<ProgramAnswer, "run">) => void): void {
    const { signal } = this.#ending;
    for (const line of asks.split("\n").slice(0, -1)) {
      if (this.#asked.length >= limits.asks)
        throw new ToolError(tooManyCalls.code, tooManyCalls.message, { hint: tooManyCalls.hint });
      const [number, kind, quoted = "", input = ""] = line.split("\t");
      const id = Number(number);
      const isHelp = kind === '"help"';
      const isKept = this.#waitingChars + line.length <= limits.waitingChars;
      const chars = isKept ? line.length : 0;
      const name: unknown = isKept ? JSON.parse(quoted) : "";
      // The parts of a line would keep the whole message in memory.
      const kept = isKept ? input : undefined;
      this.#waitingChars += chars;
      this.#asked.push(async () => {
        this.#waitingChars -= chars;
        const work = isHelp ? this.#help(name) : this.#call(id, name, kept);
        const answer = await work.catch((thrown: Error) => refused("internal", thrown.message));
        if (!signal.aborted) deliver({ id, isGiven: true, isHeld: true, ...answer });
      });
    }
    this.#startCalls();
  }

  /** Starts the calls that wait, as many as may run at once. */
  #startCalls(): void {
    while (this.#running.size < limits.callsAtOnce && !this.#ending.signal.aborted) {
      const start = this.#asked[this.#started];
      if (start === undefined) return;
      this.#asked[this.#started] = undefined;
      this.#started += 1;
      const work = start();
      this.#running.add(work);
      const end = () => {
        this.#running.delete(work);
        this.#startCalls();
      };
      work.then(end, end);
    }
  }

  /** Returns a field of a result that the program has not read. */
  take(id: number, field: ResultField): string {
    return this.#results.take(id, field);
  }

  /** Cancels the calls that still run, and waits for them. Later ones are refused. */
  async end(): Promise<void> {
    this.#stopListening();
    this.#ending.abort();
    await Promise.allSettled(this.#running);
  }

  /** Returns the result of a program. Throws when it failed. */
  result(end: ScriptEnd): ScriptResult {
    if (!end.ok) throw toError(end.failure, String(end.printed));
    const { printed, value, text } = end;
    return {
      printed,
      text,
      value: value === undefined ? undefined : tryParseJson(value),
      calls: this.#made,
      failedCalls: this.#failed,
    };
  }

  #refusal(name: unknown, input: string | undefined): Answer | undefined {
    if (this.#made > limits.calls) return error(tooManyCalls);
    if (input === undefined)
      return refused(
        "too-large",
        `The calls that wait may have ${limits.waitingChars} characters`,
        "Await calls before you make others.",
      );
    if (typeof name !== "string" || name.length > limits.nameChars) return refused("not-found", longName);
    if (input.length > limits.inputChars)
      return refused("too-large", `The argument of a call may have ${limits.inputChars} characters`);
    if (countValues(input, limits.inputValues) > limits.inputValues)
      return refused("too-large", `The argument of a call may have ${limits.inputValues} values`);
    return undefined;
  }

  async #call(id: number, name: unknown, input: string | undefined): Promise<Answer> {
    this.#made += 1;
    const answer =
      this.#refusal(name, input) ?? (await this.#make(id, String(name), JSON.parse(String(input))));
    if (answer.kind === "error") this.#failed += 1;
    return answer;
  }

  async #make(id: number, name: string, input: unknown): Promise<Answer> {
    const result = await this.#calls.call(name, input, { signal: this.#ending.signal });
    if (!result.ok) {
      const { code, message, hint } = result.error;
      return refused(code, shortened(message), hint === undefined ? undefined : shortened(hint));
    }
    const { text, data, failed } = result;
    const dataBytes = estimateBytes(data, limits.resultBytes);
    if (text.length + dataBytes <= limits.resultBytes)
      return (
        this.#results.keep(id, { text, data, failed }, dataBytes) ??
        refused(
          "too-large",
          `The results that the script has not read are larger than ${showSize(limits.unreadBytes)}`,
          "Await calls and read their results before you make others.",
        )
      );
    return refused(
      "too-large",
      `The result of ${name} is larger than ${showSize(limits.resultBytes)}`,
      "Ask for a part of it.",
    );
  }

  async #help(name: unknown): Promise<Answer> {
    this.#helped += 1;
    if (this.#helped > limits.helps)
      return refused("too-large", `A script may call help ${limits.helps} times`);
    if (String(name).length > limits.nameChars) return refused("not-found", longName);
    this.#tools ??= this.#calls.tools();
    return explain(String(name), await this.#tools);
  }
}

const longName = `The name of a tool may have ${limits.nameChars} characters`;

const tooManyCalls: InnerError = {
  code: "too-large",
  message: `A script may make ${limits.calls} calls`,
  hint: "Return what you have, and continue in another script.",
};

type Answer = Pick<ProgramAnswer, "kind" | "text"> & Partial<ProgramAnswer>;

/** Describes the tools with this name or in this family; lists all for "". */
function explain(name: string, tools: readonly ScriptTool[]): Answer {
  const names = tools.map((tool) => tool.name);
  if (name === "") return { kind: "help", text: names.join("\n") };
  const found = tools.filter((tool) => tool.name === name || tool.name.startsWith(`${name}.`));
  if (found.length > 0) return { kind: "help", text: found.map(declareTool).join("\n\n") };
  const near = nearest(name, names);
  const hint = near === undefined ? "help() lists the tools." : `Did you mean "${near}"?`;
  return refused("not-found", `Unknown tool "${name.slice(0, 100)}"`, hint);
}

function refused(code: ErrorCode, message: string, hint?: string): Answer {
  return error({ code, message, hint });
}

function error(failure: InnerError): Answer {
  return { kind: "error", text: JSON.stringify(failure) };
}

/** Returns the error of a program. Its texts and its code come from the program. */
function toError({ kind, message: given, line, code, hint }: ScriptFailure, output: string): ToolError {
  const message = shortened(given);
  const at = line === undefined ? "" : `Line ${line}: `;
  const options = { output: output === "" ? undefined : output };
  switch (kind) {
    case "syntax":
      return new ToolError("invalid-input", `${at}${message}`, {
        ...options,
        hint: "Correct the program. It is the body of an async function: no import, no export.",
      });
    case "call":
      return new ToolError(errorCodes.find((known) => known === code) ?? "invalid-input", `${at}${message}`, {
        ...options,
        hint:
          typeof hint === "string" ? shortened(hint) : "Catch the error in the program if it may continue.",
      });
    case "time":
      return new ToolError(
        "timeout",
        `The script computed for more than ${counted(limits.computeMs / 1000, "second")}`,
        {
          ...options,
          hint: "Look for an endless loop, or process less at a time.",
        },
      );
    case "memory":
      return new ToolError(
        "too-large",
        `${at}The script needs more than ${showSize(limits.memoryBytes)} of memory`,
        {
          ...options,
          hint: "Process less at a time.",
        },
      );
    case "stack":
      return new ToolError("too-large", `${at}The script recurses too deeply`, {
        ...options,
        hint: "Use a loop.",
      });
    default:
      return new ToolError("invalid-input", `${at}${message}`, { ...options, hint: "Correct the program." });
  }
}

/** Cuts a text of an error, because only the output of an error is limited later. */
function shortened(text: string): string {
  const limit = { maxChars: limits.messageChars, keep: "head" } as const;
  return truncateText(String(text), limit, ({ chars }) => `[… ${chars} characters cut …]`).text;
}

/** The error of a program that its thread did not survive. */
export function stoppedScript(kind: "time" | "memory"): ToolError {
  return toError({ kind, message: "", line: undefined }, "");
}
