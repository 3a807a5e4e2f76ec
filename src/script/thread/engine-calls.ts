import type { QuickJSContext, QuickJSHandle } from "quickjs-emscripten-core";

/**
 * Calls functions of an engine without the objects that quickjs-emscripten makes for each value, because they take several
 * times as long as the calls. Uses its low-level interface, which belongs to the exact version that package.json names.
 */
export class EngineCalls {
  readonly #inner: Inner;
  readonly #context: number;
  readonly #runtime: number;
  readonly #undefined: number;
  /** Memory of the engine for the arguments of a call, and for the context of a job. */
  readonly #arguments: number;
  readonly #encoder = new TextEncoder();
  #words: Int32Array;

  constructor(context: QuickJSContext) {
    const inner = context as unknown as Inner;
    this.#inner = inner;
    this.#context = inner.ctx.value;
    this.#runtime = inner.rt.value;
    this.#undefined = context.undefined.value as unknown as number;
    this.#arguments = inner.module._malloc(4 * mostArguments);
    this.#words = new Int32Array(inner.module.HEAPU8.buffer);
  }

  /** Calls a function of the engine. Returns whether it did not throw and its arguments fit into the memory of the engine. */
  call(called: QuickJSHandle, given: readonly Given[]): boolean {
    const result = this.#call(called, given);
    if (result !== undefined) this.#inner.ffi.QTS_FreeValuePointer(this.#context, result);
    return result !== undefined;
  }

  /** Calls a function that returns a text. Returns "" when it throws. */
  read(called: QuickJSHandle): string {
    const { ffi, module } = this.#inner;
    const result = this.#call(called, []);
    if (result === undefined) return "";
    const characters = ffi.QTS_GetString(this.#context, result);
    const text = module.UTF8ToString(characters);
    ffi.QTS_FreeCString(this.#context, characters);
    ffi.QTS_FreeValuePointer(this.#context, result);
    return text;
  }

  /** Returns the result, or undefined when there is none. */
  #call(called: QuickJSHandle, given: readonly Given[]): number | undefined {
    const { ffi, module } = this.#inner;
    const made: number[] = [];
    const pointers = given.map((value) => {
      if (typeof value === "object" && "value" in value) return value.value as unknown as number;
      const pointer =
        typeof value === "number" ? ffi.QTS_NewFloat64(this.#context, value) : this.#newText(value);
      made.push(pointer);
      return pointer;
    });
    try {
      if (made.includes(0)) return undefined;
      if (this.#words.buffer !== module.HEAPU8.buffer) this.#words = new Int32Array(module.HEAPU8.buffer);
      this.#words.set(pointers, this.#arguments / 4);
      const result = ffi.QTS_Call(
        this.#context,
        called.value as unknown as number,
        this.#undefined,
        pointers.length,
        this.#arguments,
      );
      return this.#isError(result) ? undefined : result;
    } finally {
      for (const pointer of made) if (pointer !== 0) ffi.QTS_FreeValuePointer(this.#context, pointer);
    }
  }

  get hasJobs(): boolean {
    return this.#inner.ffi.QTS_IsJobPending(this.#runtime) !== 0;
  }

  /** Runs jobs of promises, at most this many. An error ends them. */
  runJobs(most: number): void {
    const { ffi } = this.#inner;
    const ran = ffi.QTS_ExecutePendingJob(this.#runtime, most, this.#arguments);
    ffi.QTS_FreeValuePointerRuntime(this.#runtime, ran);
  }

  /** Returns whether a value stands for an error, and then frees it. */
  #isError(pointer: number): boolean {
    const { ffi } = this.#inner;
    const error = ffi.QTS_ResolveException(this.#context, pointer);
    if (error === 0) return false;
    ffi.QTS_FreeValuePointer(this.#context, error);
    ffi.QTS_FreeValuePointer(this.#context, pointer);
    return true;
  }

  /** Returns a new text of the engine, or 0 when it does not fit. */
  #newText(text: string | Uint8Array): number {
    const { ffi, module } = this.#inner;
    const bytes = typeof text === "string" ? Buffer.byteLength(text) : text.length;
    const characters = module._malloc(bytes + 1);
    if (characters === 0) return 0;
    const { HEAPU8: memory } = module;
    if (typeof text === "string")
      this.#encoder.encodeInto(text, memory.subarray(characters, characters + bytes));
    else memory.set(text, characters);
    memory[characters + bytes] = 0;
    const made = ffi.QTS_NewString(this.#context, characters);
    module._free(characters);
    return this.#isError(made) ? 0 : made;
  }
}

/** The bytes of a text are UTF-8. */
type Given = string | Uint8Array | number | QuickJSHandle;

const mostArguments = 8;

/** The parts of a `QuickJSContext` that it declares as private. All numbers are addresses in the memory of the engine. */
interface Inner {
  readonly ctx: { readonly value: number };
  readonly rt: { readonly value: number };
  readonly module: {
    readonly HEAPU8: Uint8Array;
    _malloc(bytes: number): number;
    _free(pointer: number): void;
    UTF8ToString(pointer: number): string;
  };
  readonly ffi: {
    QTS_Call(context: number, called: number, self: number, count: number, given: number): number;
    QTS_ExecutePendingJob(runtime: number, most: number, lastContext: number): number;
    QTS_FreeCString(context: number, pointer: number): void;
    QTS_FreeValuePointer(context: number, pointer: number): void;
    QTS_FreeValuePointerRuntime(runtime: number, pointer: number): void;
    QTS_GetString(context: number, pointer: number): number;
    QTS_IsJobPending(runtime: number): number;
    QTS_NewFloat64(context: number, value: number): number;
    QTS_NewString(context: number, characters: number): number;
    /** Returns the error that a value stands for, or 0. */
    QTS_ResolveException(context: number, pointer: number): number;
  };
}
