import { zstdDecompressSync } from "node:zlib";
import { Language, Parser } from "web-tree-sitter";
import { readOwnFile } from "../../system/own-file.ts";
import { mend } from "./mend.ts";
import { grammarSource, parserSource } from "./places.ts";
import { type SharedParts, watchScanner } from "./watch-scanner.ts";
import {
  Instance,
  Module,
  type WasmInstance,
  type WasmMemory,
  type WasmModule,
  type WasmTable,
} from "./web-assembly.ts";

const loaded = new Map<string, Promise<Language>>();
let ready: Promise<SharedParts> | undefined;

/** Each is loaded once, when it is first asked for. */
export function loadGrammar(name: string): Promise<Language> {
  let grammar = loaded.get(name);
  if (!grammar) {
    grammar = load(name);
    loaded.set(name, grammar);
  }
  return grammar;
}

async function load(name: string): Promise<Language> {
  ready ??= prepareParsing();
  const shared = await ready;
  const language = await Language.load(mend(name, await read(grammarSource(name))));
  watchScanner(language, shared);
  return language;
}

/** Makes parsers possible; they cannot be made before. */
async function prepareParsing(): Promise<SharedParts> {
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
  readonly env: { readonly memory: WasmMemory; readonly __indirect_function_table: WasmTable };
}

async function read(place: URL): Promise<Uint8Array> {
  const bytes = await readOwnFile(place);
  return place.href.endsWith(".zst") ? zstdDecompressSync(bytes) : bytes;
}
