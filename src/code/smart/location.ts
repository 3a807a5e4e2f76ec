import type { CodeSymbol } from "../../contract/code.ts";
import type { TextSpan } from "../lines.ts";

type Way = "line numbers" | "symbol" | "text" | "tolerant text" | "description" | "similar text";

/** A part of a text that an edit replaces: text, whole lines, or a block. Lines count from 1 and are inclusive. */
export interface TextLocation extends TextSpan {
  readonly way: Way;
  readonly firstLine: number;
  readonly lastLine: number;
  readonly symbol?: CodeSymbol | undefined;
  readonly score: number;
}

export const maxLocations = 100;

export interface LikelyLocations {
  /** The clearly best location, or several that are about equally good; empty if none is good enough. */
  readonly winners: readonly TextLocation[];
  readonly ranked: readonly TextLocation[];
}

/** Returns the best location, if it is good enough, and those above `margin` of its score. */
export function winnersOf(
  ranked: readonly TextLocation[],
  { least, margin }: { readonly least: number; readonly margin: number },
): readonly TextLocation[] {
  const [best] = ranked;
  if (!best || best.score < least) return [];
  return ranked.filter(({ score }) => score > margin * best.score);
}
