import type { CodeSymbol, Outline } from "../../contract/code.ts";
import { piecesOf } from "./pieces.ts";
import { eachTerm, termsOf } from "./words.ts";

/** A piece of a file as it is found by its words. */
export interface Chunk {
  /** Index in the outline. */
  readonly symbol: number | undefined;
  readonly firstLine: number;
  readonly lastLine: number;
  /**
   * Terms and how much each says of this piece, 1 to 255: fields, lengths and repetition are in it. Those of its
   * symbol's name stand there once more, after "@", with their share of the name.
   */
  readonly terms: ReadonlyMap<string, number>;
}

/** The pieces of a file, in its order. */
export function chunksOf(path: string, text: string, outline: Outline | undefined): Chunk[] {
  const symbols = outline?.symbols ?? [];
  return piecesOf(text, symbols).map(({ symbol: index, firstLine, lastLine, stretches }) => {
    const weights = new Weights();
    const symbol = index === undefined ? undefined : symbols[index]!;
    weights.add("path", (tell) => eachTerm(path, 0, path.length, tell));
    if (symbol) {
      weights.add("name", (tell) => eachTerm(symbol.name, 0, symbol.name.length, tell));
      weights.add("signature", (tell) => eachTerm(symbol.signature, 0, symbol.signature.length, tell));
      weights.add("within", (tell) => {
        for (const name of namesAround(symbol, symbols)) eachTerm(name, 0, name.length, tell);
      });
    }
    const bodyStart = symbol?.declarationStart ?? 0;
    weights.add("comment", (tell) => {
      for (const { start, end } of stretches) eachTerm(text, start, Math.min(end, bodyStart), tell);
    });
    weights.add("body", (tell) => {
      for (const { start, end } of stretches) eachTerm(text, Math.max(start, bodyStart), end, tell);
    });
    return { symbol: index, firstLine, lastLine, terms: weights.saturated(symbol?.name ?? "") };
  });
}

function* namesAround({ parent }: CodeSymbol, symbols: readonly CodeSymbol[]): Generator<string> {
  for (let at = parent; at !== undefined; at = symbols[at]!.parent) yield symbols[at]!.name;
}

/** How much a word counts by where it stands, how long such a place is, and how much longer ones lessen it. */
const fields = {
  name: { weight: 5, length: 3, slope: 1 },
  within: { weight: 1.5, length: 3, slope: 0.3 },
  path: { weight: 5, length: 6, slope: 0.3 },
  signature: { weight: 1.5, length: 12, slope: 0.5 },
  comment: { weight: 1, length: 25, slope: 0.6 },
  body: { weight: 1, length: 80, slope: 0.6 },
} as const;

/** The count at which a word says half of what it can say. */
const halfAt = 2;

class Weights {
  readonly #sums = new Map<string, number>();

  add(name: keyof typeof fields, each: (tell: (term: string) => void) => void): void {
    const counts = new Map<string, number>();
    let count = 0;
    each((term) => {
      counts.set(term, (counts.get(term) ?? 0) + 1);
      count += 1;
    });
    const { weight, length, slope } = fields[name];
    const factor = weight / (1 - slope + (slope * count) / length);
    for (const [term, times] of counts) this.#sums.set(term, (this.#sums.get(term) ?? 0) + factor * times);
  }

  saturated(name: string): ReadonlyMap<string, number> {
    for (const [term, sum] of this.#sums) {
      this.#sums.set(term, Math.max(1, Math.round((255 * sum) / (halfAt + sum))));
    }
    const words = new Set(termsOf(name).filter((term) => !term.startsWith("=")));
    for (const word of words) this.#sums.set(`@${word}`, Math.max(1, Math.round(255 / words.size)));
    return this.#sums;
  }
}
