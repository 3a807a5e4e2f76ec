import type { IndexHit, IndexQuestion } from "../../contract/code.ts";
import { indexedSymbol } from "../index/find-symbols.ts";
import type { WordIndex } from "../index/word-index.ts";
import { readQuestion } from "./question.ts";
import { rank } from "./rank.ts";
import { termsOf } from "./words.ts";

/**
 * Fields, keys and the like have no piece of their own: they are looked for in the best pieces, by the words that they
 * share with the question.
 */
export function answerParts(index: WordIndex, question: IndexQuestion): IndexHit[] {
  const { said } = readQuestion(question.words);
  const pieces = rank(index, { ...question, kinds: undefined, limit: Math.max(mostPieces, question.limit) });
  const found = pieces.flatMap(({ segment, document, file, score }) => {
    const { firstLine, lastLine } = index.segments[segment]!.piece(document);
    const outline = index.outline(file.number);
    return outline
      .filter(({ kind, line }) => question.kinds!.includes(kind) && firstLine <= line && line <= lastLine)
      .flatMap((part): IndexHit[] => {
        const symbol = indexedSymbol(file, part, outline);
        const terms = new Set([
          ...termsOf(part.name),
          ...termsOf(part.signature),
          ...termsOf(part.doc ?? ""),
        ]);
        const shared = [...said].filter(([term]) => terms.has(term)).map(([, word]) => word);
        if (shared.length === 0) return [];
        return [
          {
            path: file.path,
            firstLine: part.firstLine,
            lastLine: part.lastLine,
            symbol,
            score: score * shared.length,
            why: `name: ${shared.join(", ")}`,
          },
        ];
      });
  });
  return found.sort((one, other) => other.score - one.score).slice(0, question.limit);
}

const mostPieces = 100;
