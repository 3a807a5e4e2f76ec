import type {
  FileLines,
  IndexedSymbol,
  OutlinedSymbol,
  SymbolsAround,
  SymbolsWanted,
} from "../../../contract/code.ts";
import { firstIndex } from "../../first-index.ts";
import { endsWithWords, nameTerm, nameTerms, nameWords } from "../../search/terms.ts";
import { isOutlinable } from "../build/workspace-state.ts";
import type { IndexView } from "../indexer.ts";
import { readOutline } from "../storage/outline-blob.ts";
import { filterFiles } from "./path-filter.ts";
import type { WordFile, WordIndex } from "./word-index.ts";

/**
 * Returns the symbols around lines of files that have not changed since they were indexed. The other symbols of a file are
 * left out, because a large file has many, and sending them takes longer than finding these.
 */
export function findSymbolsAround(
  files: readonly FileLines[],
  { store, state }: IndexView,
): readonly (SymbolsAround | undefined)[] {
  return files.map(({ path, lines }) => {
    const record = store.records.get(path);
    if (!state.knows(record) || record.words <= 0) return undefined;
    if (!isOutlinable(record.language)) return { hash: record.hash, symbols: [] };
    const bytes = store.outline(record.number);
    return bytes.length === 0 ? undefined : { hash: record.hash, symbols: around(lines, readOutline(bytes)) };
  });
}

function around(lines: readonly number[], outline: readonly OutlinedSymbol[]): readonly OutlinedSymbol[] {
  const kept: OutlinedSymbol[] = [];
  const places = new Map<number, number>();
  for (const [number, symbol] of outline.entries()) {
    const next = lines[firstIndex(lines.length, (index) => lines[index]! >= symbol.firstLine)];
    if (next === undefined || next > symbol.lastLine) continue;
    places.set(number, kept.length);
    // A parent comes before its children and contains their lines.
    kept.push({ ...symbol, parent: symbol.parent === undefined ? undefined : places.get(symbol.parent) });
  }
  return kept;
}

export function findSymbols(wanted: SymbolsWanted, index: WordIndex): readonly IndexedSymbol[] {
  const words = nameWords(wanted.name);
  if (words.length === 0) return [];
  const term = nameTerm(words);
  const isAskedFor = filterFiles(wanted);
  const files = (wanted.isStart ? filesFrom(term, index) : filesWith(term, index)).filter(isAskedFor);
  const fits = wanted.isStart
    ? ({ name }: OutlinedSymbol) => nameTerms(name).some((each) => each.startsWith(term))
    : ({ name }: OutlinedSymbol) => endsWithWords(name, words);
  const found: IndexedSymbol[] = [];
  for (const file of files.sort((one, other) => (one.path < other.path ? -1 : 1))) {
    const outline = index.outline(file.number);
    for (const symbol of outline) {
      if (wanted.kind !== undefined && symbol.kind !== wanted.kind) continue;
      if (fits(symbol)) found.push(indexedSymbol(file, symbol, outline));
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

/** Returns the numbers of the files with a symbol of this name, or whose name ends with its words. */
export function definingFiles(name: string, index: WordIndex): ReadonlySet<number> {
  const words = nameWords(name);
  return words.length === 0 ? new Set() : numbersWith(nameTerm(words), index);
}

function filesWith(term: string, index: WordIndex): WordFile[] {
  return filesOf(numbersWith(term, index), index);
}

function numbersWith(term: string, { segments }: WordIndex): Set<number> {
  const numbers = new Set<number>();
  for (const { postings, fileOf } of segments)
    for (const document of postings(term)?.documents ?? []) numbers.add(fileOf[document]!);
  return numbers;
}

/** The terms of each segment are sorted, so a name that is typed completely is found before longer ones. */
function filesFrom(start: string, index: WordIndex): WordFile[] {
  const numbers = index.segments.flatMap((segment) => {
    const found = new Set<number>();
    for (const { documents } of segment.postingsFrom(start)) {
      for (const document of documents)
        if (index.file(segment.fileOf[document]!)) found.add(segment.fileOf[document]!);
      if (found.size >= mostFiles) break;
    }
    return [...found];
  });
  return filesOf(new Set(numbers), index);
}

const mostFiles = 200;

function filesOf(numbers: ReadonlySet<number>, { file }: WordIndex): WordFile[] {
  return Array.from(numbers, file).filter((found) => found !== undefined);
}
