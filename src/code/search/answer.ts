import type { IndexedSymbol, IndexHit, IndexQuestion } from "../../contract/code.ts";
import { indexedSymbol } from "../index/find-symbols.ts";
import type { WordIndex } from "../index/word-index.ts";
import { answerParts } from "./answer-parts.ts";
import { partKinds } from "./pieces.ts";
import { readQuestion } from "./question.ts";
import { type Ranked, rank } from "./rank.ts";
import { termsOf } from "./words.ts";

/** The best pieces of code for a question, best first. */
export function answer(index: WordIndex, question: IndexQuestion): IndexHit[] {
  if (question.kinds?.every((kind) => partKinds.has(kind))) return answerParts(index, question);
  const said = readQuestion(question.words).said;
  return rank(index, question).map((ranked) => describe(index, ranked, said));
}

function describe(
  index: WordIndex,
  { segment, document, file, score }: Ranked,
  said: ReadonlyMap<string, string>,
): IndexHit {
  const { firstLine, lastLine, symbol: place } = index.segments[segment]!.piece(document);
  const outline = place === undefined ? [] : index.outline(file.number);
  const found = place === undefined ? undefined : outline[place];
  const symbol = found && indexedSymbol(file, found, outline);
  const has = (term: string) => hasTerm(index, segment, document, term);
  return { path: file.path, firstLine, lastLine, symbol, score, why: explain(file.path, symbol, said, has) };
}

/** Which words of the question were found, each where it counts most: "name: parse, token; body: stream". */
function explain(
  path: string,
  symbol: IndexedSymbol | undefined,
  said: ReadonlyMap<string, string>,
  has: (term: string) => boolean,
): string {
  const places: [string, ReadonlySet<string>][] = [
    ["name", new Set(termsOf(symbol?.name ?? ""))],
    ["path", new Set(termsOf(path))],
    ["signature", new Set(termsOf(symbol?.signature ?? ""))],
    ["within", new Set((symbol?.within ?? []).flatMap(termsOf))],
    ["comment", new Set(termsOf(symbol?.doc ?? ""))],
  ];
  const found = new Map<string, string[]>();
  for (const [term, word] of said) {
    if (!has(term)) continue;
    const place = places.find(([, terms]) => terms.has(term))?.[0] ?? "body";
    found.set(place, [...(found.get(place) ?? []), word]);
  }
  const order = [...places.map(([place]) => place), "body"];
  return order
    .flatMap((place) => (found.has(place) ? [`${place}: ${found.get(place)!.join(", ")}`] : []))
    .join("; ");
}

function hasTerm({ segments }: WordIndex, segment: number, document: number, term: string): boolean {
  const documents = segments[segment]!.postings(term)?.documents;
  if (!documents) return false;
  let low = 0;
  let high = documents.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (documents[middle]! < document) low = middle + 1;
    else high = middle;
  }
  return documents[low] === document;
}
