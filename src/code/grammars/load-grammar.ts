import { zstdDecompressSync } from "node:zlib";
import { Language, Parser } from "web-tree-sitter";
import { readOwnFile } from "../../environment/hosts/own-file.ts";
import { mend } from "./mend.ts";
import { grammarSource, parserSource } from "./places.ts";

const loaded = new Map<string, Promise<Language>>();
let ready: Promise<void> | undefined;

/** Makes parsers possible; they cannot be made before. */
function prepareParsing(): Promise<void> {
  ready ??= read(parserSource()).then((wasmBinary) => Parser.init({ wasmBinary }));
  return ready;
}

/** Each is loaded once, when it is first asked for. */
export function loadGrammar(name: string): Promise<Language> {
  let grammar = loaded.get(name);
  if (!grammar) {
    grammar = prepareParsing().then(async () => Language.load(mend(name, await read(grammarSource(name)))));
    loaded.set(name, grammar);
  }
  return grammar;
}

async function read(place: URL): Promise<Uint8Array> {
  const bytes = await readOwnFile(place);
  return place.href.endsWith(".zst") ? zstdDecompressSync(bytes) : bytes;
}
