import type { Piece, Pieces } from "./gather-pieces.ts";

/** Where several patterns name the same node, the first in the query names it. */
export function oneANode({ symbols, comments, attributes }: Pieces): Pieces {
  const best = new Map<number, Piece>();
  for (const piece of symbols) {
    const known = best.get(piece.node);
    if (!known || piece.pattern < known.pattern) best.set(piece.node, piece);
  }
  return { symbols: symbols.filter((piece) => best.get(piece.node) === piece), comments, attributes };
}
