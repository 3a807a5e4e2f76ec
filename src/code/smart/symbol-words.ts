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
  /** The same without its comments. */
  readonly code: ReadonlyMap<string, number>;
  readonly isDocumented: boolean;
}

/** The words of the symbols that stand for themselves; what lies in one does not count to it. */
export function symbolWords(text: string, outline: Outline): readonly SymbolWords[] {
  const known = new Map<number, Words>();
  for (const { symbol: index, stretches } of piecesOf(text, outline.symbols)) {
    if (index === undefined) continue;
    const words = known.get(index) ?? new Words();
    known.set(index, words);
    const symbol = outline.symbols[index]!;
    const { name, doc = "", signature, declarationStart } = symbol;
    words.addComment(doc);
    words.addCode(name, 1);
    words.addCode(signature, headShare);
    for (const holder of holdersOf(outline, symbol)) words.addCode(holder.name, headShare);
    for (const { start, end } of stretches) {
      const body = Math.min(Math.max(start, declarationStart), end);
      words.addComment(text.slice(start, body));
      words.addCode(text.slice(body, end), bodyShare);
    }
  }
  return Array.from(known, ([index, { words, code }]) => ({
    index,
    words,
    code,
    isDocumented: outline.symbols[index]!.doc !== undefined,
  }));
}

class Words {
  readonly words: Map<string, number> = new Map();
  readonly code: Map<string, number> = new Map();

  addComment(said: string): void {
    for (const word of termsOf(said)) this.words.set(word, 1);
  }

  addCode(said: string, share: number): void {
    for (const word of termsOf(said))
      for (const known of [this.words, this.code]) known.set(word, Math.max(known.get(word) ?? 0, share));
  }
}

const headShare = 0.7;
const bodyShare = 0.4;
