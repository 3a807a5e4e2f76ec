import type { IndexedSymbol, IndexHit, IndexQuery } from "../../contract/code.ts";
import { firstIndex } from "../first-index.ts";
import { indexedSymbol } from "../index/query/find-symbols.ts";
import type { WordIndex } from "../index/query/word-index.ts";
import { partKinds } from "./pieces.ts";
import { readQuery } from "./query.ts";
import { type Comparison, type Ranked, rank } from "./rank.ts";
import { termsOf } from "./terms.ts";

/** Answers a query by words, and by meaning when its pieces can be compared. */
export function answer(index: WordIndex, query: IndexQuery, compare?: Comparison): IndexHit[] {
  if (query.kinds?.every((kind) => partKinds.has(kind))) return answerParts(index, query);
  const writtenAs = readQuery(query.words).writtenAs;
  return rank(index, query, compare).map((ranked) => describe(index, ranked, writtenAs));
}

function describe(
  index: WordIndex,
  { segment, document, file, score, isByMeaning }: Ranked,
  writtenAs: ReadonlyMap<string, string>,
): IndexHit {
  const { firstLine, lastLine, symbol: position } = index.segments[segment]!.piece(document);
  const outline = position === undefined ? [] : index.outline(file.number);
  const found = position === undefined ? undefined : outline[position];
  const symbol = found && indexedSymbol(file, found, outline);
  const why = explain(file.path, symbol, writtenAs, (term) => hasTerm(index, segment, document, term));
  return {
    path: file.path,
    firstLine,
    lastLine,
    symbol,
    score,
    why: isByMeaning && why === "" ? "meaning" : why,
  };
}

/** Describes the found words of the query, each in its most important position: "name: parse, token; body: stream". */
function explain(
  path: string,
  symbol: IndexedSymbol | undefined,
  writtenAs: ReadonlyMap<string, string>,
  has: (term: string) => boolean,
): string {
  const fields: [string, ReadonlySet<string>][] = [
    ["name", new Set(termsOf(symbol?.name ?? ""))],
    ["path", new Set(termsOf(path))],
    ["signature", new Set(termsOf(symbol?.signature ?? ""))],
    ["within", new Set((symbol?.within ?? []).flatMap(termsOf))],
    ["comment", new Set(termsOf(symbol?.doc ?? ""))],
  ];
  const found = new Map<string, string[]>();
  for (const [term, word] of writtenAs) {
    if (!has(term)) continue;
    const field = fields.find(([, terms]) => terms.has(term))?.[0] ?? "body";
    found.set(field, [...(found.get(field) ?? []), word]);
  }
  const order = [...fields.map(([field]) => field), "body"];
  return order
    .flatMap((field) => (found.has(field) ? [`${field}: ${found.get(field)!.join(", ")}`] : []))
    .join("; ");
}

function hasTerm({ segments }: WordIndex, segment: number, document: number, term: string): boolean {
  const { documents } = segments[segment]!.postings(term) ?? { documents: [] };
  return documents[firstIndex(documents.length, (index) => documents[index]! >= document)] === document;
}

/** Finds fields, keys and similar symbols, which have no piece of their own, in the best pieces. */
function answerParts(index: WordIndex, query: IndexQuery): IndexHit[] {
  const { writtenAs } = readQuery(query.words);
  const pieces = rank(index, { ...query, kinds: undefined, limit: Math.max(mostPieces, query.limit) });
  const found = pieces.flatMap(({ segment, document, file, score }) => {
    const { firstLine, lastLine } = index.segments[segment]!.piece(document);
    const outline = index.outline(file.number);
    return outline
      .filter(({ kind, line }) => query.kinds!.includes(kind) && firstLine <= line && line <= lastLine)
      .flatMap((part): IndexHit[] => {
        const symbol = indexedSymbol(file, part, outline);
        const terms = new Set([part.name, part.signature, part.doc ?? ""].flatMap(termsOf));
        const shared = [...writtenAs].filter(([term]) => terms.has(term)).map(([, word]) => word);
        if (shared.length === 0) return [];
        const why = `name: ${shared.join(", ")}`;
        const { path, firstLine, lastLine } = symbol;
        return [{ path, firstLine, lastLine, symbol, score: score * shared.length, why }];
      });
  });
  return found.sort((one, other) => other.score - one.score).slice(0, query.limit);
}

const mostPieces = 100;
