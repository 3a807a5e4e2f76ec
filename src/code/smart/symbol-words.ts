import type { Outline } from "../../contract/code.ts";
import { holdersOf } from "../blocks/find-block.ts";
import { piecesOf } from "../search/pieces.ts";
import { termsOf } from "../search/words.ts";

/** What a symbol says of itself. */
export interface SymbolWords {
  /** In the outline. */
  readonly index: number;
  /** How much each word says of it, up to 1, by the best place where it stands. */
  readonly words: ReadonlyMap<string, number>;
}

/** The words of the symbols that stand for themselves; what lies in one does not count to it. */
export function symbolWords(text: string, outline: Outline): readonly SymbolWords[] {
  const known = new Map<number, Map<string, number>>();
  for (const { symbol: index, stretches } of piecesOf(text, outline.symbols)) {
    if (index === undefined) continue;
    const words = known.get(index) ?? new Map<string, number>();
    known.set(index, words);
    const add = (said: string, share: number) => {
      for (const word of termsOf(said)) words.set(word, Math.max(words.get(word) ?? 0, share));
    };
    const symbol = outline.symbols[index]!;
    const { name, doc = "", signature, declarationStart } = symbol;
    add(name, 1);
    add(doc, 1);
    add(signature, headShare);
    for (const holder of holdersOf(outline, symbol)) add(holder.name, headShare);
    for (const { start, end } of stretches) {
      const body = Math.min(Math.max(start, declarationStart), end);
      add(text.slice(start, body), 1);
      add(text.slice(body, end), bodyShare);
    }
  }
  return Array.from(known, ([index, words]) => ({ index, words }));
}

const headShare = 0.7;
const bodyShare = 0.4;
