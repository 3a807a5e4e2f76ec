import type { Pieces } from "./gather-pieces.ts";

/** Ends symbols before comments that stand on lines of their own at their end: those belong to what follows. */
export function withoutTrailingComments(pieces: Pieces, text: string): Pieces {
  const startOf = new Map(pieces.comments.map(({ start, end }) => [trimmedEnd(text, end), start]));
  for (const piece of pieces.symbols) {
    let end = trimmedEnd(text, piece.end);
    for (
      let start = startOf.get(end);
      start !== undefined && start > piece.nameEnd;
      start = startOf.get(end)
    ) {
      if (!/^\s*$/.test(text.slice(text.lastIndexOf("\n", start - 1) + 1, start))) break;
      end = trimmedEnd(text, start);
    }
    piece.end = end;
    if (piece.inside && piece.inside.end > end) {
      piece.inside = { start: piece.inside.start, end: Math.max(piece.inside.start, end) };
    }
  }
  return pieces;
}

function trimmedEnd(text: string, end: number): number {
  let at = end;
  while (at > 0 && /\s/.test(text.charAt(at - 1))) at--;
  return at;
}
