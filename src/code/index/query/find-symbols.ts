import type { IndexedSymbol, SymbolsWanted } from "../../../contract/code.ts";
import { endsWithWords, nameTerm, nameWords } from "../../search/terms.ts";
import { filterFiles } from "./path-filter.ts";
import type { OutlinedSymbol, WordFile, WordIndex } from "./word-index.ts";

export function findSymbols(wanted: SymbolsWanted, index: WordIndex): readonly IndexedSymbol[] {
  const words = nameWords(wanted.name);
  if (words.length === 0) return [];
  const isAskedFor = filterFiles(wanted);
  const files = filesWith(nameTerm(words), index).filter(isAskedFor);
  const found: IndexedSymbol[] = [];
  for (const file of files.sort((one, other) => (one.path < other.path ? -1 : 1))) {
    const outline = index.outline(file.number);
    for (const symbol of outline) {
      if (wanted.kind !== undefined && symbol.kind !== wanted.kind) continue;
      if (endsWithWords(symbol.name, words)) found.push(indexedSymbol(file, symbol, outline));
      if (found.length >= wanted.limit) return found;
    }
  }
  return found;
}

export function indexedSymbol(
  { path }: WordFile,
  symbol: OutlinedSymbol,
  outline: readonly OutlinedSymbol[],
): IndexedSymbol {
  const within: string[] = [];
  for (let { parent } = symbol; parent !== undefined; parent = outline[parent]!.parent) {
    within.unshift(outline[parent]!.name);
  }
  const { kind, name, firstLine, lastLine, signature, doc } = symbol;
  return { path, kind, name, within, firstLine, lastLine, signature, doc };
}

function filesWith(term: string, index: WordIndex): WordFile[] {
  const files = new Map<number, WordFile>();
  for (const segment of index.segments) {
    for (const document of segment.postings(term)?.documents ?? []) {
      const file = index.file(segment.fileOf[document]!);
      if (file !== undefined) files.set(file.number, file);
    }
  }
  return [...files.values()];
}
