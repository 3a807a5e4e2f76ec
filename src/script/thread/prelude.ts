import type { AnswerKind, ResultField } from "./protocol.ts";

/** The only function of the host that the engine can call. It takes texts and numbers. "take" returns a field of a result. */
type Host = (
  request: "ask" | "take" | "print" | "end" | "fail",
  ...given: (string | number)[]
) => string | undefined;

/** The functions of the engine that the host uses. Crossing its border is slow, so they exchange texts for many calls. */
export interface Prelude {
  /** Runs the program. */
  start(program: () => Promise<unknown>): void;
  /** Returns what the program has asked for since the last time: a line for each, its fields in JSON and separated by tabs. */
  asks(): string;
  /** Ends a call with the fields of a `ProgramAnswer`. */
  settle(
    id: number,
    kind: AnswerKind,
    text: string,
    isGiven?: boolean,
    isHeld?: boolean,
    failed?: string,
  ): void;
}

/**
 * Runs inside the engine before the program, from its source text, and so must not use anything of this module. Sets up
 * `tools`, `print` and `help`, and removes what depends on the time or on chance. A program may change every object that it
 * can reach, so this keeps its own references to the functions it needs.
 */
export function prelude(host: Host): Prelude {
  const { stringify, parse } = JSON;
  const { defineProperty, fromEntries, create, getPrototypeOf } = Object;
  const { construct, apply } = Reflect;
  const [RealDate, RealMap, RealSet, RealProxy, RealError] = [Date, Map, Set, Proxy, Error];
  const RealPromise = Promise;
  const { then } = Promise.prototype;
  const after = (promise: Promise<unknown>, ...acts: unknown[]) =>
    apply(then as never, promise, acts) as Promise<unknown>;
  const rejected = async (error: unknown) => {
    throw error;
  };
  const toText = String;
  const { join } = Array.prototype;

  const define = (target: object, name: PropertyKey, value: unknown, enumerable: boolean) =>
    defineProperty(target, name, { value, writable: true, enumerable, configurable: true });
  const hidden = (target: object, name: PropertyKey, value: unknown) => define(target, name, value, false);

  class ToolError extends RealError {
    readonly code: string;
    readonly hint: string | undefined;
    constructor({ code, message, hint }: { code: string; message: string; hint?: string }) {
      super(message);
      this.code = code;
      this.hint = hint;
    }
  }
  hidden(ToolError.prototype, "name", "ToolError");

  interface Waiting {
    readonly resolve: (value: unknown) => void;
    readonly reject: (error: unknown) => void;
    readonly stack: string | undefined;
  }
  const waiting: Record<number, Waiting> = create(null);
  let last = 0;
  let unsent = "";

  /** The text of a result stands for it when it is printed, returned or joined to a text. */
  const textOf = Symbol("text");
  const shown = (value: unknown): string => {
    if (typeof value === "string") return value;
    if (typeof value === "object" && value !== null && textOf in value) return toText(value[textOf]);
    if (value instanceof RealError) return `${value.name}: ${value.message}`;
    return stringify(value, expressible) ?? toText(value);
  };
  const expressible = (_: string, value: unknown) => {
    if (value instanceof RealMap) return fromEntries(value);
    if (value instanceof RealSet) return [...value];
    return typeof value === "bigint" ? toText(value) : value;
  };

  /** The result of a call. Fields that are not given are fetched from the host when they are first read. */
  class Result {
    readonly #id: number;
    readonly data: unknown = undefined;
    readonly text: unknown = undefined;
    constructor(id: number, text: string) {
      this.#id = id;
      this.text = text;
      defineProperty(this, "data", heldData);
    }
    toString() {
      return this.text;
    }
    get [textOf]() {
      return this.text;
    }
    /** Fetches a field, also for an object that inherits from a result. */
    static fetch(reader: object, field: ResultField): unknown {
      let result: object | null = reader;
      while (result !== null && !(#id in result)) result = getPrototypeOf(result) as object | null;
      if (result === null) return undefined;
      const taken = host("take", result.#id, field)!;
      const value = field === "text" ? taken : parse(taken);
      define(result, field, value, true);
      return value;
    }
  }
  hidden(Result.prototype, "constructor", Object);
  const { fetch } = Result;
  const heldField = (field: ResultField) => ({
    get(this: object) {
      return fetch(this, field);
    },
    set(this: object, value: unknown) {
      define(this, field, value, true);
    },
    enumerable: true,
    configurable: true,
  });
  const [heldData, heldText] = [heldField("data"), heldField("text")];

  const asks = () => {
    const asked = unsent;
    unsent = "";
    return asked;
  };
  /** The name and the input are JSON. */
  const ask = (request: "call" | "help", name: string, input: string) => {
    const id = ++last;
    // The error of a call has the stack of the line that made it.
    const { stack } = new RealError();
    return new RealPromise((resolve, reject) => {
      waiting[id] = { resolve, reject, stack };
      unsent += `${id}\t"${request}"\t${name}\t${input}\n`;
      // Calls can run while the program makes the next ones.
      if (id % 8 === 0) host("ask", asks());
    });
  };

  /** `tools.file.read` is a function, and so is every other path of names, because the host knows which tools exist. */
  const pathOf = (name: string): unknown => {
    const below: Record<string, unknown> = create(null);
    let quoted: string | undefined;
    return new RealProxy(() => {}, {
      get: (_, key) => {
        // A name that is awaited, printed or converted must not look like a promise or a text.
        if (typeof key !== "string" || key === "then" || key === "toJSON") return undefined;
        below[key] ??= pathOf(name === "" ? key : `${name}.${key}`);
        return below[key];
      },
      set: () => false,
      defineProperty: () => false,
      apply: (_, __, [input]) => {
        try {
          quoted ??= stringify(name);
          return ask("call", quoted, stringify(input ?? {}) ?? "{}");
        } catch (error) {
          return rejected(error);
        }
      },
    });
  };

  const print = (...values: unknown[]) => {
    const texts: string[] = [];
    for (let at = 0; at < values.length; at++) hidden(texts, at, shown(values[at]));
    host("print", apply(join, texts, [" "]) as string);
  };

  const seeded = () => {
    // mulberry32: the same numbers in every program.
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = imul(seed ^ (seed >>> 15), 1 | seed);
    mixed = (mixed + imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  let seed = 1;
  const { imul } = Math;

  const noClock = () => {
    throw new RealError("A script has no clock: use tools.time.now()");
  };
  const FixedDate = function (this: unknown, ...given: unknown[]) {
    if (new.target === undefined || given.length === 0) noClock();
    return construct(RealDate, given, new.target as never);
  };
  const { parse: parseDate, UTC } = RealDate;
  FixedDate.prototype = RealDate.prototype;
  for (const [name, value] of [
    ["now", noClock],
    ["parse", parseDate],
    ["UTC", UTC],
  ] as const)
    hidden(FixedDate, name, value);
  hidden(RealDate.prototype, "constructor", FixedDate);

  const help = async (name: unknown = "") =>
    ask("help", stringify(typeof name === "string" ? name : toText(name)), "{}");
  const console = { log: print, info: print, warn: print, error: print, debug: print };
  const globals = { tools: pathOf(""), print, help, console, Date: FixedDate, ToolError };
  for (const name in globals) hidden(globalThis, name, globals[name as keyof typeof globals]);
  hidden(Math, "random", seeded);

  const fail = (thrown: unknown) => {
    const isError = thrown instanceof RealError;
    const described = isError ? `${thrown.name}: ${thrown.message}` : `The script threw ${shown(thrown)}`;
    const { code, hint, message } = (thrown instanceof ToolError ? thrown : {}) as Partial<ToolError>;
    const stack = isError ? toText(thrown.stack) : "";
    host("fail", toText(message ?? described), toText(code ?? ""), toText(hint ?? ""), stack);
  };
  const end = (value: unknown) => {
    if (value === undefined) return void host("end", "", "");
    const isResult = typeof value === "object" && value !== null && textOf in value;
    host(
      "end",
      stringify(value, expressible) ?? "",
      isResult || typeof value === "string" ? shown(value) : "",
    );
  };

  return {
    start: (program) => void after(after(after(RealPromise.resolve(), program), end), undefined, fail),
    asks,
    settle: (id, kind, text, isGiven, isHeld, failed) => {
      const { resolve, reject, stack } = waiting[id]!;
      if (kind === "result") {
        const result = new Result(id, text);
        if (!isGiven) defineProperty(result, "text", heldText);
        if (!isHeld) void [result.data, result.text];
        if (failed !== undefined) define(result, "failed", failed, true);
        resolve(result);
      } else if (kind === "help") resolve(text);
      else {
        const error = new ToolError(parse(text));
        hidden(error, "stack", stack);
        reject(error);
      }
      delete waiting[id];
    },
  };
}
