import type { CodeSymbol, Outline } from "../../contract/code.ts";
import { type Piece, piecesOf } from "./pieces.ts";
import { NumberList, type Terms } from "./terms.ts";

export interface Chunk extends Omit<Piece, "stretches"> {
  /** The terms of the piece. Those of the symbol's name are repeated after "@", weighted by their share of the name. */
  readonly terms: Uint32Array;
  readonly weights: Uint8Array;
}

export function chunksOf(path: string, text: string, outline: Outline | undefined, terms: Terms): Chunk[] {
  const symbols = outline?.symbols ?? [];
  const weights = new Weights(terms);
  const ofPath = terms.numbersOf(path);
  return piecesOf(text, symbols).map(({ symbol: index, firstLine, lastLine, stretches }) => {
    const symbol = index === undefined ? undefined : symbols[index]!;
    weights.count("path", ofPath, ofPath.length);
    const ofName = terms.numbersOf(symbol?.name ?? "");
    if (symbol) {
      weights.count("name", ofName, ofName.length);
      weights.add("signature", symbol.signature);
      weights.add("within", ...namesAround(symbol, symbols));
    }
    const bodyStart = symbol?.declarationStart ?? 0;
    weights.addStretches("comment", text, stretches, { from: 0, to: bodyStart });
    weights.addStretches("body", text, stretches, { from: bodyStart, to: text.length });
    return { symbol: index, firstLine, lastLine, ...weights.take(ofName) };
  });
}

function namesAround({ parent }: CodeSymbol, symbols: readonly CodeSymbol[]): string[] {
  const names: string[] = [];
  for (let at = parent; at !== undefined; at = symbols[at]!.parent) names.push(symbols[at]!.name);
  return names;
}

/** The weight of a term by its field, the usual length of that field, and how much longer fields reduce it. */
const fields = {
  name: { weight: 5, length: 3, slope: 1 },
  within: { weight: 1.5, length: 3, slope: 0.3 },
  path: { weight: 5, length: 6, slope: 0.3 },
  signature: { weight: 1.5, length: 12, slope: 0.5 },
  comment: { weight: 0.5, length: 25, slope: 0.6 },
  body: { weight: 1, length: 100, slope: 0.6 },
} as const;

const halfAt = 2;

/** Sums by term number, zero between pieces. A map for each piece would take most of the time. */
let sums = new Float32Array(1 << 16);
const met = new NumberList();
const gathered = new NumberList();

/** Sums the weights of the terms of one piece after the other. The sums are shared, so calls must not nest. */
class Weights {
  readonly #terms: Terms;

  constructor(terms: Terms) {
    this.#terms = terms;
  }

  add(field: keyof typeof fields, ...texts: readonly string[]): void {
    gathered.length = 0;
    for (const text of texts) this.#terms.gather(text, 0, text.length, gathered);
    this.count(field, gathered.numbers, gathered.length);
  }

  addStretches(
    field: keyof typeof fields,
    text: string,
    stretches: Piece["stretches"],
    { from, to }: { readonly from: number; readonly to: number },
  ): void {
    gathered.length = 0;
    for (const { start, end } of stretches)
      this.#terms.gather(text, Math.max(start, from), Math.min(end, to), gathered);
    this.count(field, gathered.numbers, gathered.length);
  }

  take(ofName: Uint32Array): Pick<Chunk, "terms" | "weights"> {
    const named = this.#terms.named(ofName);
    const terms = new Uint32Array(met.length + named.length);
    const weights = new Uint8Array(terms.length);
    terms.set(met.numbers.subarray(0, met.length));
    terms.set(named, met.length);
    for (let at = 0; at < met.length; at++) {
      const sum = sums[terms[at]!]!;
      weights[at] = Math.max(1, Math.round((255 * sum) / (halfAt + sum)));
      sums[terms[at]!] = 0;
    }
    weights.fill(Math.max(1, Math.round(255 / named.length)), met.length);
    met.length = 0;
    return { terms, weights };
  }

  count(field: keyof typeof fields, numbers: Uint32Array, count: number): void {
    const { weight, length, slope } = fields[field];
    const factor = weight / (1 - slope + (slope * count) / length);
    if (this.#terms.size > sums.length) sums = new Float32Array(sums.buffer.transfer(8 * this.#terms.size));
    for (let at = 0; at < count; at++) {
      const number = numbers[at]!;
      if (sums[number] === 0) met.push(number);
      sums[number]! += factor;
    }
  }
}
