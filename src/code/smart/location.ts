import type { CodeSymbol } from "../../contract/code.ts";

/** The ways to understand where an edit is to be. */
type Way = "line numbers" | "symbol" | "text" | "tolerant text" | "description" | "similar text";

/** A part of a text that a location may mean. Offsets count UTF-16 units, lines count from 1 and are inclusive. */
export interface TextLocation {
  readonly way: Way;
  /** What an edit replaces: that text, those lines without the last line end, or the whole block. */
  readonly start: number;
  readonly end: number;
  readonly firstLine: number;
  readonly lastLine: number;
  /** The block, where a block is meant. */
  readonly symbol?: CodeSymbol | undefined;
  /** How well it fits: 1 where nothing had to be guessed. */
  readonly score: number;
}

/** More of the same text need not be told apart. */
export const maxLocations = 100;

/** Places that are only like what was said. */
export interface LikelyLocations {
  /** The one that is clearly meant, or several that nearly are; none where nothing comes near enough. */
  readonly winners: readonly TextLocation[];
  /** All that have something of it, best first. */
  readonly ranked: readonly TextLocation[];
}

/** The best, if it is good enough, and what has more than `margin` of its score. */
export function winnersOf(
  ranked: readonly TextLocation[],
  { least, margin }: { readonly least: number; readonly margin: number },
): readonly TextLocation[] {
  const [best] = ranked;
  if (!best || best.score < least) return [];
  return ranked.filter(({ score }) => score > margin * best.score);
}
