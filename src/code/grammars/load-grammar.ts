import { setFlagsFromString } from "node:v8";
import { zstdDecompressSync } from "node:zlib";
import { Language, Parser } from "web-tree-sitter";
import { readPackageFile } from "../../system/package-file.ts";
import { getOrMake } from "../get-or-make.ts";
import {
  Instance,
  Module,
  type SharedParts,
  type WasmInstance,
  type WasmModule,
  watchScanner,
} from "./watch-scanner.ts";

const loaded = new Map<string, Promise<Language>>();
let ready: Promise<SharedParts> | undefined;

export function loadGrammar(name: string): Promise<Language> {
  return getOrMake(loaded, name, () => load(name));
}

async function load(name: string): Promise<Language> {
  ready ??= prepareParsing();
  const shared = await ready;
  const language = await Language.load(patchGrammar(name, await read(grammarSource(name))));
  watchScanner(language, shared);
  return language;
}

async function prepareParsing(): Promise<SharedParts> {
  // By default V8 optimizes a function of a grammar after a few files, which takes longer than parsing them. With this
  // late limit, the first file takes half the time, and a thousand files take as long as before.
  setFlagsFromString("--wasm-tiering-budget=2000000000");
  const module = new Module(await read(parserSource()));
  let shared: SharedParts | undefined;
  await Parser.init({
    instantiateWasm(imports: ParserImports, receive: (instance: WasmInstance, module: WasmModule) => void) {
      const { memory, __indirect_function_table: functions } = imports.env;
      shared = { memory, functions };
      receive(new Instance(module, imports), module);
    },
  });
  return shared!;
}

interface ParserImports {
  readonly env: {
    readonly memory: SharedParts["memory"];
    readonly __indirect_function_table: SharedParts["functions"];
  };
}

async function read(url: URL): Promise<Uint8Array> {
  const bytes = await readPackageFile(url);
  return url.href.endsWith(".zst") ? zstdDecompressSync(bytes) : bytes;
}

type BytePatch = readonly [at: number, was: number, is: number];

/** Patches for known bugs of grammars, applied on loading. The old bytes must match. */
const patches: Readonly<Record<string, readonly BytePatch[]>> = {
  // Swift's scanner allocates no memory although its state needs 4 bytes, and starts with leftover data.
  swift: [[350_553, 0, 1]],
  // XML's scanner pops five open tags when one is closed, and frees memory it never had, because a macro evaluates its
  // argument repeatedly. The patch makes the first evaluation pop one tag, the second none, and the others clear it.
  xml: [15_578, 16_052].flatMap((at): readonly BytePatch[] => {
    const last = at === 15_578 ? 15_625 : 16_094;
    return [
      [at, 2, 1],
      [last, 3, 0],
      [last + 16, 20, 0],
      [last + 26, 12, 0],
      [last + 36, 28, 0],
    ];
  }),
};

export function patchGrammar(name: string, bytes: Uint8Array): Uint8Array {
  const known = patches[name];
  if (!known) return bytes;
  const patched = Uint8Array.from(bytes);
  for (const [at, was, is] of known) {
    if (bytes[at] !== was) throw new Error(`The patch for the grammar ${name} does not fit its version`);
    patched[at] = is;
  }
  return patched;
}

/** Returns the URL of a grammar's WebAssembly: in its package when run from source, compressed in a build. */
export function grammarSource(name: string, module: string = import.meta.url): URL {
  return isSource(module)
    ? new URL(`../../../node_modules/tree-sitter-wasm/out/${name}/tree-sitter-${name}.wasm`, module)
    : new URL(`../grammars/${name}.wasm.zst`, module);
}

export function parserSource(module: string = import.meta.url): URL {
  return isSource(module)
    ? new URL("../../../node_modules/web-tree-sitter/web-tree-sitter.wasm", module)
    : new URL("../grammars/web-tree-sitter.wasm.zst", module);
}

function isSource(module: string): boolean {
  return module.endsWith(".ts");
}
