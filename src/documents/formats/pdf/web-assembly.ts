/** What we use of WebAssembly: the types of Node leave it to those of browsers. */
interface WebAssembly {
  readonly Module: {
    new (bytes: Uint8Array): WasmModule;
    imports(module: WasmModule): readonly { readonly module: string; readonly name: string }[];
  };
  readonly Instance: new (module: WasmModule, imports: object) => { readonly exports: object };
}

/** Compiled. */
export interface WasmModule {
  readonly [Symbol.toStringTag]: string;
}

export interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

export interface WasmTable {
  get(index: number): (...values: number[]) => number;
}

export const { Module, Instance } = (globalThis as unknown as { WebAssembly: WebAssembly }).WebAssembly;
