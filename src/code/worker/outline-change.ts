import type { CodeSymbol, Outline } from "../../contract/code.ts";
import { BoundedCache } from "../../lib/bounded-cache.ts";
import { type Movement, movedSymbol } from "../symbols/moved-symbol.ts";

/** Turns one outline into another: replaces the symbols between the first and the last, which only move. */
export interface OutlineChange extends Omit<Outline, "symbols"> {
  readonly first: number;
  readonly symbols: readonly CodeSymbol[];
  readonly last: number;
  /** The movement of the last symbols; `index` is that of their parents, except those among the first. */
  readonly by: Movement & { readonly index: number };
}

export function outlineChange(before: Outline, { symbols: now, ...others }: Outline): OutlineChange {
  const old = before.symbols;
  const most = Math.min(old.length, now.length);
  let first = 0;
  while (first < most && isSame(old[first]!, now[first]!)) first += 1;
  const [oldEnd, newEnd] = [old.at(-1), now.at(-1)];
  const by = {
    offset: (newEnd?.start ?? 0) - (oldEnd?.start ?? 0),
    lines: (newEnd?.firstLine ?? 0) - (oldEnd?.firstLine ?? 0),
    index: now.length - old.length,
  };
  let last = 0;
  while (
    last < most - first &&
    isSame(moved(old[old.length - 1 - last]!, by, first), now[now.length - 1 - last]!)
  )
    last += 1;
  return { ...others, first, symbols: now.slice(first, now.length - last), last, by };
}

export function changedOutline(before: Outline, change: OutlineChange): Outline {
  const { first, symbols, last, by, ...others } = change;
  const old = before.symbols;
  const end = old.slice(old.length - last).map((symbol) => moved(symbol, by, first));
  return { ...others, symbols: [...old.slice(0, first), ...symbols, ...end] };
}

function moved(symbol: CodeSymbol, by: OutlineChange["by"], first: number): CodeSymbol {
  const { parent } = symbol;
  return movedSymbol(symbol, parent === undefined || parent < first ? parent : parent + by.index, by);
}

function isSame(one: CodeSymbol, other: CodeSymbol): boolean {
  return (
    one.start === other.start &&
    one.end === other.end &&
    one.name === other.name &&
    one.kind === other.kind &&
    one.parent === other.parent &&
    one.firstLine === other.firstLine &&
    one.lastLine === other.lastLine &&
    one.declarationStart === other.declarationStart &&
    one.line === other.line &&
    one.inside?.start === other.inside?.start &&
    one.inside?.end === other.inside?.end &&
    one.signature === other.signature &&
    one.doc === other.doc
  );
}

export class LastOutlines {
  readonly #held = new BoundedCache<string, { readonly version: number; readonly outline: Outline }>({
    maxEntries: 8,
    maxWeight: 50_000,
    weigh: ({ outline }) => outline.symbols.length,
    keepsNewest: true,
  });

  versionOf(text: string): number | undefined {
    return this.#held.get(text)?.version;
  }

  get(text: string, version: number | undefined): Outline | undefined {
    const held = this.#held.get(text);
    return held?.version === version ? held?.outline : undefined;
  }

  set(text: string, version: number, outline: Outline): void {
    this.#held.set(text, { version, outline });
  }
}
