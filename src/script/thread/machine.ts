import { pathToFileURL } from "node:url";
import ownVariant from "@jitl/quickjs-wasmfile-release-sync";
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
  type QuickJSSyncVariant,
  type QuickJSWASMModule,
} from "quickjs-emscripten-core";
import { readPackageFile } from "../../system/package-file.ts";
import { limits } from "../limits.ts";
import { EngineCalls } from "./engine-calls.ts";
import { type Prelude, prelude } from "./prelude.ts";
import type { AnswerKind, ProgramAnswer, ScriptEnd, ScriptFailure } from "./protocol.ts";
import { quickjsFile } from "./quickjs-file.ts";
import type { ThreadPort } from "./thread-port.ts";

/** The name of the program in stacks. */
export const sourceUrl = "script";

/** The compiled engine. The types of Node do not include WebAssembly. */
type Engine = object;
const { WebAssembly } = globalThis as unknown as {
  readonly WebAssembly: {
    readonly Module: new (bytes: Uint8Array) => Engine;
    readonly Memory: new (pages: { readonly initial: number; readonly maximum: number }) => object;
  };
};

// Its declarations are those of its CommonJS form.
const variant = ownVariant as unknown as QuickJSSyncVariant;

interface RunParts {
  /** The time in which the program may compute. */
  readonly computeMs: number;
  readonly calls: Pick<ThreadPort, "ask" | "answers" | "take">;
}

/**
 * An engine for one program: QuickJS in WebAssembly with memory of its own. The program reaches nothing outside but one
 * function, which takes texts and numbers.
 */
export class Machine {
  readonly #context: QuickJSContext;
  readonly #engine: EngineCalls;
  readonly #watchedUntil: BigInt64Array;
  readonly #kinds: Readonly<Record<AnswerKind, QuickJSHandle>>;
  /** The functions of the prelude. */
  readonly #inside: Readonly<Record<keyof Prelude, QuickJSHandle>>;
  readonly #printed: string[] = [];
  #calls: RunParts["calls"] | undefined;
  #outputChars = 0;
  #leftMs = 0;
  // The time of a program does not include that of the prelude.
  #deadlineMs = Number.POSITIVE_INFINITY;
  /** The number of answers that the program waits for. */
  #pending = 0;
  /** The result of the program, which ends when all of its calls have ended. */
  #result: ScriptEnd | undefined;
  #ended: ScriptEnd | undefined;

  /** Compiles the engine, once per thread. */
  static async compile(): Promise<Engine> {
    return new WebAssembly.Module(await readPackageFile(pathToFileURL(quickjsFile())));
  }

  /** Opens an engine that is ready for a program. */
  static async open(engine: Engine, deadline: BigInt64Array): Promise<Machine> {
    const wasmMemory = new WebAssembly.Memory({ initial: firstPages, maximum: limits.memoryPages });
    // The engine prints when it aborts, which is of no use to the program.
    const emscriptenModule = { print: () => {}, printErr: () => {} };
    const quickjs = await newQuickJSWASMModuleFromVariant(
      newVariant(variant, {
        wasmModule: engine as never,
        wasmMemory: wasmMemory as never,
        emscriptenModule: emscriptenModule as never,
      }),
    );
    copyTextsFast(quickjs);
    const runtime = quickjs.newRuntime();
    runtime.setMemoryLimit(limits.memoryBytes);
    runtime.setMaxStackSize(limits.stackBytes);
    return new Machine(runtime, deadline);
  }

  private constructor(runtime: QuickJSRuntime, deadline: BigInt64Array) {
    this.#watchedUntil = deadline;
    runtime.setInterruptHandler(() => this.#ended !== undefined || performance.now() > this.#deadlineMs);
    const context = runtime.newContext();
    this.#context = context;
    this.#engine = new EngineCalls(context);
    this.#kinds = {
      result: context.newString("result"),
      help: context.newString("help"),
      error: context.newString("error"),
    };
    const host = context.newFunction("host", (...given) => this.#answer(given));
    const opened = context.unwrapResult(context.evalCode(`(${prelude.toString()})`, "prelude"));
    const made = context.unwrapResult(context.callFunction(opened, context.undefined, host));
    const handle = (name: keyof Prelude) => context.getProp(made, name);
    this.#inside = { start: handle("start"), asks: handle("asks"), settle: handle("settle") };
  }

  /**
   * Runs a program whose types are stripped, to its end. `text` is an expression: the function to call. Throws when the engine
   * fails in an unknown way.
   */
  run(text: string, { computeMs, calls }: RunParts): ScriptEnd {
    this.#calls = calls;
    this.#leftMs = computeMs;
    const context = this.#context;
    this.#compute(() => {
      const program = context.evalCode(text, sourceUrl, { type: "global", strict: true });
      if (program.error) return this.#fail(this.#failureOf(program.error, "syntax"));
      const started = context.callFunction(this.#inside.start, context.undefined, program.value);
      if (started.error) this.#fail(this.#failureOf(started.error, "thrown"));
    });
    while (this.#ended === undefined) {
      const answers = calls.answers();
      this.#pending -= answers.length;
      this.#compute(() => {
        for (const answer of answers) this.#settle(answer);
      });
    }
    return this.#ended;
  }

  /**
   * Acts within a time. Where the engine does not stop although its time is over, the thread is ended from outside: it asks
   * whether to stop only between operations, and one operation, such as sorting a huge array, can take minutes.
   */
  watched<Result>(leftMs: number, act: () => Result): Result {
    Atomics.store(this.#watchedUntil, 0, BigInt(Date.now() + Math.ceil(leftMs) + graceMs));
    try {
      return act();
    } finally {
      Atomics.store(this.#watchedUntil, 0, 0n);
    }
  }

  /** Lets the engine run within the time that is left, and ends the program when it is done, stuck or too slow. */
  #compute(act: () => void): void {
    const begun = performance.now();
    this.#deadlineMs = begun + this.#leftMs;
    try {
      this.watched(this.#leftMs, () => {
        act();
        // In portions, because a program can add jobs without end, and can catch what interrupts one of them.
        while (this.#ended === undefined && performance.now() <= this.#deadlineMs && this.#engine.hasJobs)
          this.#engine.runJobs(jobsAtOnce);
        this.#ask(this.#engine.read(this.#inside.asks));
      });
    } catch (error) {
      const kind = engineFailure(error);
      if (kind === undefined) throw error;
      this.#fail({ kind, message: "", line: undefined });
    } finally {
      this.#leftMs -= performance.now() - begun;
    }
    if (this.#leftMs <= 0) this.#fail({ kind: "time", message: "", line: undefined });
    else if (this.#pending === 0) this.#end(this.#result ?? this.#stuck());
  }

  /** Answers the host function. Its arguments come from the program and may be anything. */
  #answer([request, ...given]: readonly QuickJSHandle[]): QuickJSHandle | undefined {
    const text = (at: number) => this.#text(given[at]);
    const kind = request === undefined ? "" : this.#context.getString(request);
    if (kind === "print") this.#print(text(0));
    else if (kind === "ask") this.#ask(text(0));
    else if (kind === "end") this.#finish(text(0), text(1));
    else if (kind === "fail") this.#result ??= this.#failed(readFailure(text(0), text(1), text(2), text(3)));
    else if (kind === "take" && given[0]) {
      const field = text(1) === "text" ? "text" : "data";
      return this.#context.newString(this.#calls!.take(this.#context.getNumber(given[0]), field));
    }
    return undefined;
  }

  /** Sends the requests of the program, a line for each. */
  #ask(asks: string): void {
    if (asks === "") return;
    for (let at = asks.indexOf("\n"); at >= 0; at = asks.indexOf("\n", at + 1)) this.#pending += 1;
    this.#calls!.ask(asks);
  }

  #settle({ id, kind, text, failed, isGiven, isHeld }: ProgramAnswer): void {
    const { true: yes, false: no, undefined: none } = this.#context;
    const given = [id, this.#kinds[kind], text, isGiven ? yes : no, isHeld ? yes : no, failed ?? none];
    if (this.#engine.call(this.#inside.settle, given)) return;
    const tooLarge = { code: "too-large", message: "The result of a call needs too much memory" };
    this.#engine.call(this.#inside.settle, [id, this.#kinds.error, JSON.stringify(tooLarge)]);
  }

  #print(text: string): void {
    this.#outputChars += text.length + 1;
    if (this.#outputChars > limits.outputChars)
      throw new Error(`A script may print ${limits.outputChars} characters`);
    this.#printed.push(`${text}\n`);
  }

  #finish(json: string, shown: string): void {
    const text = shown === "" ? json : shown;
    // The JSON of a result contains its data and its text, and the text of a result can be short for long data.
    const isLong = json.length > 4 * limits.outputChars;
    if (isLong || text.length + this.#outputChars > limits.outputChars)
      throw new Error(`A script may print and return ${limits.outputChars} characters`);
    this.#result ??= {
      ok: true,
      printed: this.#printed.join(""),
      value: json === "" ? undefined : json,
      text,
    };
  }

  #stuck(): ScriptEnd {
    const message = "The script waits for a promise that never ends";
    return this.#failed({ kind: "stuck", message, line: undefined });
  }

  #fail(failure: ScriptFailure): void {
    this.#end(this.#failed(failure));
  }

  #failed(failure: ScriptFailure): ScriptEnd {
    return { ok: false, printed: this.#printed.join(""), failure };
  }

  #end(end: ScriptEnd): void {
    // Later calls may have printed more.
    this.#ended ??= { ...end, printed: this.#printed.join("") };
  }

  #failureOf(error: QuickJSHandle, kind: "syntax" | "thrown"): ScriptFailure {
    const [name, message, stack] = ["name", "message", "stack"].map((field) =>
      this.#text(this.#context.getProp(error, field)),
    );
    error.dispose();
    const described = name === "" ? "The script did not start" : `${name}: ${message}`;
    return { kind, message: described, line: lineIn(String(stack)) };
  }

  /** Returns a text of the program, and "" for any other value, which may be too large for this thread. */
  #text(value: QuickJSHandle | undefined): string {
    return value !== undefined && this.#context.typeof(value) === "string"
      ? this.#context.getString(value)
      : "";
  }
}

const jobsAtOnce = 100;

/** How long the engine may take to stop by itself. */
const graceMs = 1_000;

/** The engine is compiled for this size. */
const firstPages = 256;

/** Lets Node encode texts for the engine, because Emscripten copies them character by character. */
function copyTextsFast(quickjs: QuickJSWASMModule): void {
  const { module } = quickjs as unknown as { readonly module: TextFunctions };
  const memory = quickjs.getWasmMemory() as unknown as { readonly buffer: ArrayBuffer };
  const encoder = new TextEncoder();
  module.lengthBytesUTF8 = (text) => Buffer.byteLength(text);
  module.stringToUTF8 = (text, pointer, maxBytes) => {
    // The library does not check whether the engine has memory for a text.
    if (pointer === 0) throw new Error("out of memory");
    const target = new Uint8Array(memory.buffer, pointer, maxBytes);
    const { written } = encoder.encodeInto(text, target.subarray(0, -1));
    target[written] = 0;
    return written;
  };
}

interface TextFunctions {
  lengthBytesUTF8: (text: string) => number;
  stringToUTF8: (text: string, pointer: number, maxBytes: number) => number;
}

/** Returns why the engine itself has failed: the stack of this process was too small for it, or it aborted without memory. */
function engineFailure(error: unknown): "stack" | "memory" | undefined {
  if (error instanceof RangeError) return "stack";
  return error instanceof Error && error.name === "RuntimeError" ? "memory" : undefined;
}

function readFailure(message: string, code: string, hint: string, stack: string): ScriptFailure {
  const line = lineIn(stack);
  if (code !== "") return { kind: "call", message, line, code, hint: hint === "" ? undefined : hint };
  const isMemory = message === "InternalError: out of memory";
  const isStack = /^InternalError: stack overflow|^RangeError: Maximum call stack/.test(message);
  return { kind: isMemory ? "memory" : isStack ? "stack" : "thrown", message, line };
}

/** Returns the line of the program that a stack names first. */
function lineIn(stack: string): number | undefined {
  const [, line] = /\bscript:(\d+)(?::\d+)?\)?$/m.exec(stack) ?? [];
  return line === undefined ? undefined : Number(line);
}
