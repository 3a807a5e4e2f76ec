import { zstdDecompressSync } from "node:zlib";
import { readPackageFile } from "../../../system/package-file.ts";
import type { Functions } from "./pdfium-functions.ts";

export interface Pdfium extends Functions {
  readonly memory: WasmMemory;
}

/** Thrown when PDFium aborts, because it ran out of memory or is in an invalid state. The instance is unusable then. */
class PdfiumEnded extends Error {
  override readonly name = "PdfiumEnded";
}

/** The memory limit besides the document's own bytes. Real documents need less. */
const maxMemory = 512 * 1024 * 1024;

/** Starts a new PDFium for each document. It has no access to files, programs or the network. */
export async function startPdfium(documentBytes: number): Promise<Pdfium> {
  module ??= compile();
  const compiled = await module;
  let pdfium: Started | undefined;
  const imports = importsOf(compiled, () => pdfium!, maxMemory + documentBytes);
  pdfium = new Instance(compiled, imports).exports as Started;
  pdfium.__wasm_call_ctors();
  pdfium.FPDF_InitLibrary();
  return pdfium;
}

let module: Promise<WasmModule> | undefined;

interface Started extends Pdfium {
  readonly __indirect_function_table: { get(index: number): (...values: number[]) => number };
}

async function compile(): Promise<WasmModule> {
  const source = pdfiumSource();
  const bytes = await readPackageFile(source);
  return new Module(source.href.endsWith(".zst") ? zstdDecompressSync(bytes) : bytes);
}

type Import = (...values: number[]) => number | undefined;

/** Returns the functions that PDFium may call. All others, such as those for files, report that they do not exist. */
function importsOf(compiled: WasmModule, pdfium: () => Started, maxBytes: number): object {
  const own: Readonly<Record<string, Import>> = {
    emscripten_date_now: () => Date.now(),
    emscripten_resize_heap: (bytes) => Number(grow(pdfium().memory, bytes! >>> 0, maxBytes)),
    _abort_js: () => {
      throw new PdfiumEnded("aborted");
    },
    _emscripten_throw_longjmp: () => {
      throw longJump;
    },
    _gmtime_js: () => undefined,
    _localtime_js: () => undefined,
    _tzset_js: () => undefined,
    environ_get: () => 0,
    environ_sizes_get: (count, size) => {
      const view = new DataView(pdfium().memory.buffer);
      view.setUint32(count!, 0, true);
      view.setUint32(size!, 0, true);
      return 0;
    },
  };
  const imports: Record<string, Record<string, Import>> = {};
  for (const { module, name } of Module.imports(compiled)) {
    imports[module] ??= {};
    imports[module][name] =
      own[name] ??
      (name.startsWith("invoke_") ? (index, ...values) => invoke(pdfium(), index!, values) : refuse);
  }
  return imports;
}

const functionNotImplemented = -52;
const refuse: Import = () => functionNotImplemented;

/** Represents C's longjmp. It is thrown through JavaScript and caught by `invoke`. */
const longJump = Symbol("longjmp");

function invoke(pdfium: Started, index: number, values: number[]): number | undefined {
  const stack = pdfium.emscripten_stack_get_current();
  try {
    return pdfium.__indirect_function_table.get(index)(...values);
  } catch (error) {
    if (error !== longJump) throw error;
    pdfium._emscripten_stack_restore(stack);
    pdfium.setThrew(1, 0);
    return undefined;
  }
}

const pageBytes = 65_536;

function grow(memory: WasmMemory, wanted: number, maxBytes: number): boolean {
  const has = memory.buffer.byteLength;
  if (wanted > maxBytes) return false;
  // The memory grows by more than requested, so that it rarely has to grow.
  const bytes = Math.min(Math.max(wanted, has * 1.2), maxBytes);
  try {
    memory.grow(Math.ceil((bytes - has) / pageBytes));
    return true;
  } catch {
    return false;
  }
}

/** The part of WebAssembly used here. Node's types do not declare it. */
interface WebAssembly {
  readonly Module: {
    new (bytes: Uint8Array): WasmModule;
    imports(module: WasmModule): readonly { readonly module: string; readonly name: string }[];
  };
  readonly Instance: new (module: WasmModule, imports: object) => { readonly exports: object };
}

interface WasmModule {
  readonly [Symbol.toStringTag]: string;
}

interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

const { Module, Instance } = (globalThis as unknown as { WebAssembly: WebAssembly }).WebAssembly;

/** Returns where PDFium's WebAssembly is: in its package when run from source, compressed in a build. */
export function pdfiumSource(module: string = import.meta.url): URL {
  return module.endsWith(".ts")
    ? new URL("../../../../node_modules/@hyzyla/pdfium/dist/pdfium.wasm", module)
    : new URL("../pdfium/pdfium.wasm.zst", module);
}

/** The SHA-256 of PDFium's WebAssembly in @hyzyla/pdfium 2.1.13. */
export const pdfiumHash = "71aec412a303a0405baee21c3d6d3f30ad2033dc02444130fe476be3976e2d09";
