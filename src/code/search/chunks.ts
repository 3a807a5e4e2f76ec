import type { CodeSymbol, Outline } from "../../contract/code.ts";
import { type Piece, piecesOf } from "./pieces.ts";
import { eachTerm, forgetTerms, termNumbered, termsOf } from "./words.ts";

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
  forgetTerms();
  const symbols = outline?.symbols ?? [];
  return piecesOf(text, symbols).map(({ symbol: index, firstLine, lastLine, stretches }) => {
    const weights = new Weights();
    const symbol = index === undefined ? undefined : symbols[index]!;
    weights.add("path", [path]);
    if (symbol) {
      weights.add("name", [symbol.name]);
      weights.add("signature", [symbol.signature]);
      weights.add("within", namesAround(symbol, symbols));
    }
    const bodyStart = symbol?.declarationStart ?? 0;
    weights.addStretches("comment", text, stretches, { from: 0, to: bodyStart });
    weights.addStretches("body", text, stretches, { from: bodyStart, to: text.length });
    return { symbol: index, firstLine, lastLine, terms: weights.saturated(symbol?.name ?? "") };
  });
}

function namesAround({ parent }: CodeSymbol, symbols: readonly CodeSymbol[]): string[] {
  const names: string[] = [];
  for (let at = parent; at !== undefined; at = symbols[at]!.parent) names.push(symbols[at]!.name);
  return names;
}

/** How much a word counts by where it stands, how long such a place is, and how much longer ones lessen it. */
const fields = {
  name: { weight: 5, length: 3, slope: 1 },
  within: { weight: 1.5, length: 3, slope: 0.3 },
  path: { weight: 5, length: 6, slope: 0.3 },
  signature: { weight: 1.5, length: 12, slope: 0.5 },
  comment: { weight: 1, length: 25, slope: 0.6 },
  body: { weight: 1, length: 100, slope: 0.6 },
} as const;

/** The count at which a word says half of what it can say. */
const halfAt = 2;

/** Sums by number of a term, zero between pieces: a map for each would take most of the time. */
let sums = new Float32Array(1 << 16);

/** How much each term counts in one piece. Only one at a time. */
class Weights {
  readonly #met: number[] = [];

  add(field: keyof typeof fields, texts: readonly string[]): void {
    const numbers: number[] = [];
    for (const text of texts) eachTerm(text, 0, text.length, (number) => numbers.push(number));
    this.#count(field, numbers);
  }

  addStretches(
    field: keyof typeof fields,
    text: string,
    stretches: Piece["stretches"],
    { from, to }: { readonly from: number; readonly to: number },
  ): void {
    const numbers: number[] = [];
    for (const { start, end } of stretches) {
      eachTerm(text, Math.max(start, from), Math.min(end, to), (number) => numbers.push(number));
    }
    this.#count(field, numbers);
  }

  saturated(name: string): ReadonlyMap<string, number> {
    const weights = new Map<string, number>();
    for (const number of this.#met) {
      const sum = sums[number]!;
      weights.set(termNumbered(number), Math.max(1, Math.round((255 * sum) / (halfAt + sum))));
      sums[number] = 0;
    }
    const words = new Set(termsOf(name).filter((term) => !term.startsWith("=")));
    for (const word of words) weights.set(`@${word}`, Math.max(1, Math.round(255 / words.size)));
    return weights;
  }

  #count(field: keyof typeof fields, numbers: readonly number[]): void {
    const { weight, length, slope } = fields[field];
    const factor = weight / (1 - slope + (slope * numbers.length) / length);
    for (const number of numbers) {
      if (number >= sums.length) sums = enlarged(sums, 2 * number);
      if (sums[number] === 0) this.#met.push(number);
      sums[number]! += factor;
    }
  }
}

function enlarged(numbers: Float32Array<ArrayBuffer>, length: number): Float32Array<ArrayBuffer> {
  const larger = new Float32Array(length);
  larger.set(numbers);
  return larger;
}
