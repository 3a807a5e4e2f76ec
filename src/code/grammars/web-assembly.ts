/** What we use of WebAssembly: the types of Node leave it to those of browsers. */
interface WebAssembly {
  readonly Module: new (bytes: Uint8Array) => WasmModule;
  readonly Instance: new (module: WasmModule, imports: object) => WasmInstance;
}

/** Compiled. */
export interface WasmModule {
  readonly [Symbol.toStringTag]: string;
}

export interface WasmInstance {
  readonly exports: Readonly<Record<string, unknown>>;
}

export interface WasmMemory {
  readonly buffer: ArrayBuffer;
}

export interface WasmTable {
  get(index: number): unknown;
  set(index: number, value: unknown): void;
}

export const { Module, Instance } = (globalThis as unknown as { WebAssembly: WebAssembly }).WebAssembly;
