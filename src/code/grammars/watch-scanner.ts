import type { Language } from "web-tree-sitter";

interface WebAssembly {
  readonly Module: new (bytes: Uint8Array) => WasmModule;
  readonly Instance: new (module: WasmModule, imports: object) => WasmInstance;
}

export interface WasmModule {
  readonly [Symbol.toStringTag]: string;
}

export interface WasmInstance {
  readonly exports: Readonly<Record<string, unknown>>;
}

export const { Module, Instance } = (globalThis as unknown as { WebAssembly: WebAssembly }).WebAssembly;

export interface SharedParts {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly functions: { get(index: number): unknown; set(index: number, value: unknown): void };
}

/**
 * Stops the parser when a scanner overflows its buffer. After each token a scanner writes its state into 1024 bytes.
 * For deeply nested texts some scanners write more, over memory of the parser, which then parses every text wrongly.
 */
export function watchScanner(language: Language, { memory, functions }: SharedParts): void {
  const address: number = Reflect.get(language, 0);
  const serialize = new DataView(memory.buffer).getUint32(address + serializeOffset, true);
  if (serialize === 0) return;
  const { exports } = new Instance(watcher(), { scanner: { serialize: functions.get(serialize) } });
  functions.set(serialize, exports.serialize);
}

/** The offset of the function in TSLanguage. It is zero in grammars without a scanner. */
const serializeOffset = 124;

let compiled: WasmModule | undefined;

/**
 * Returns this module, compiled once:
 *
 * (module
 *   (import "scanner" "serialize" (func $written (param i32 i32) (result i32)))
 *   (func (export "serialize") (param i32 i32) (result i32) (local i32)
 *     (call $written (local.get 0) (local.get 1))
 *     (if (i32.gt_u (local.tee 2) (i32.const 1024)) (then unreachable))
 *     (local.get 2)))
 */
function watcher(): WasmModule {
  compiled ??= new Module(
    Uint8Array.from([
      ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
      ...section(1, [1, 0x60, 2, 0x7f, 0x7f, 1, 0x7f]),
      ...section(2, [1, ...name("scanner"), ...name("serialize"), 0, 0]),
      ...section(3, [1, 0]),
      ...section(7, [1, ...name("serialize"), 0, 1]),
      ...section(10, [1, ...sized([1, 1, 0x7f, ...call, ...stopWhenLong, 0x20, 2, 0x0b])]),
    ]),
  );
  return compiled;
}

const call = [0x20, 0, 0x20, 1, 0x10, 0];
const stopWhenLong = [0x22, 2, 0x41, 0x80, 0x08, 0x4b, 0x04, 0x40, 0x00, 0x0b];

function section(number: number, content: readonly number[]): number[] {
  return [number, ...sized(content)];
}

function name(text: string): number[] {
  return sized([...Buffer.from(text)]);
}

function sized(content: readonly number[]): number[] {
  return [content.length, ...content];
}
