import { serialize } from "node:v8";
import { type ErrorCode, errorCodes, ToolError } from "../contract/error.ts";
import type { InnerCalls, InnerError, ScriptResult, ScriptTool } from "../contract/script.ts";
import { abortError, untilAborted } from "../lib/async/abort.ts";
import { Semaphore } from "../lib/async/semaphore.ts";
import { tryParseJson } from "../lib/json/try-parse-json.ts";
import { counted, showSize } from "../lib/text/format-quantity.ts";
import { nearest } from "../lib/text/nearest.ts";
import { truncateText } from "../lib/text/truncate.ts";
import { declareTool } from "./declare-tool.ts";
import { limits } from "./limits.ts";
import type { ScriptEnd, ScriptFailure } from "./worker/protocol.ts";

/** The answer to a call of a program. */
export type CallAnswer =
  | {
      readonly kind: "result";
      readonly text: string;
      readonly data: Uint8Array;
      readonly failed: string | undefined;
    }
  | { readonly kind: "help"; readonly text: string }
  | { readonly kind: "error"; readonly error: InnerError };

/** The calls of one running program. Its worker may be under the control of the program, so every limit is kept here. */
export class ScriptRun {
  readonly #calls: InnerCalls;
  readonly #ending = new AbortController();
  readonly #signal: AbortSignal;
  readonly #turns = new Semaphore(limits.callsAtOnce);
  readonly #running = new Set<Promise<unknown>>();
  #tools: Promise<readonly ScriptTool[]> | undefined;
  #made = 0;
  #failed = 0;
  #helped = 0;

  constructor(calls: InnerCalls, signal: AbortSignal) {
    this.#calls = calls;
    this.#signal = AbortSignal.any([signal, this.#ending.signal]);
  }

  /** Makes a call, and counts it until `deliver` has passed its answer on. */
  call(name: unknown, input: string, deliver: Deliver): Promise<void> {
    return this.#run(async () => {
      this.#made += 1;
      const refused = this.#refusal(name, input);
      if (refused) return this.#answer(refused, deliver);
      const release = await this.#turns.take(this.#signal, cancelled);
      try {
        await this.#answer(await this.#call(String(name), JSON.parse(input)), deliver);
      } finally {
        release();
      }
    });
  }

  help(name: unknown, deliver: Deliver): Promise<void> {
    return this.#run(async () => {
      this.#helped += 1;
      if (this.#helped > limits.helps)
        return deliver(failed("too-large", `A script may call help ${limits.helps} times`));
      this.#tools ??= this.#calls.tools();
      await this.#deliver(explain(String(name), await this.#tools), deliver);
    });
  }

  /** Cancels the calls that still run, and waits for them. Later ones are refused. */
  async end(): Promise<void> {
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

  #refusal(name: unknown, input: string): CallAnswer | undefined {
    if (this.#made > limits.calls)
      return failed(
        "too-large",
        `A script may make ${limits.calls} calls`,
        "Return what you have, and continue in another script.",
      );
    if (typeof name !== "string" || name.length > limits.nameChars)
      return failed("not-found", `The name of a tool may have ${limits.nameChars} characters`);
    if (input.length > limits.inputChars)
      return failed("too-large", `The argument of a call may have ${limits.inputChars} characters`);
    return undefined;
  }

  async #call(name: string, input: unknown): Promise<CallAnswer> {
    const result = await this.#calls.call(name, input, { signal: this.#signal });
    if (!result.ok) return { kind: "error", error: result.error };
    const { text, failed: failure } = result;
    const data = toBytes(result.data);
    if (Buffer.byteLength(text) + data.length <= limits.resultBytes)
      return { kind: "result", text, data, failed: failure };
    return failed(
      "too-large",
      `The result of ${name} is larger than ${showSize(limits.resultBytes)}`,
      "Ask for a part of it.",
    );
  }

  #answer(answer: CallAnswer, deliver: Deliver): Promise<void> {
    if (answer.kind === "error") this.#failed += 1;
    return this.#deliver(answer, deliver);
  }

  /** Passes an answer on. A program that has ended reads no more of it, so its end does not wait for that. */
  #deliver(answer: CallAnswer, deliver: Deliver): Promise<void> {
    return untilAborted(deliver(answer), this.#signal, cancelled);
  }

  #run(act: () => Promise<void>): Promise<void> {
    if (this.#signal.aborted) return Promise.reject(cancelled(this.#signal));
    const work = act();
    this.#running.add(work);
    const remove = () => this.#running.delete(work);
    work.then(remove, remove);
    return work;
  }
}

type Deliver = (answer: CallAnswer) => Promise<void>;

/** Describes the tools with this name or in this family; lists all for "". */
function explain(name: string, tools: readonly ScriptTool[]): CallAnswer {
  const names = tools.map((tool) => tool.name);
  if (name === "") return { kind: "help", text: names.join("\n") };
  const found = tools.filter((tool) => tool.name === name || tool.name.startsWith(`${name}.`));
  if (found.length > 0) return { kind: "help", text: found.map(declareTool).join("\n\n") };
  const near = nearest(name, names);
  const hint = near === undefined ? "help() lists the tools." : `Did you mean "${near}"?`;
  return failed("not-found", `Unknown tool "${name.slice(0, 100)}"`, hint);
}

/** Writes data for the worker. This takes a fifth of the time of JSON, which few programs need. */
function toBytes(data: unknown): Uint8Array {
  try {
    return serialize(data);
  } catch {
    return serialize(JSON.parse(JSON.stringify(data)));
  }
}

function failed(code: ErrorCode, message: string, hint?: string): CallAnswer {
  return { kind: "error", error: { code, message, hint } };
}

function cancelled(signal: AbortSignal): ToolError {
  return abortError(signal, "The call was cancelled, because its script has ended");
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

/** The error of a program that its worker did not survive. */
export function stoppedScript(kind: "time" | "memory"): ToolError {
  return toError({ kind, message: "", line: undefined }, "");
}
