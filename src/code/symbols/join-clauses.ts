import type { Piece, Pieces } from "./gather-pieces.ts";

/**
 * Makes one symbol of those that stand right below one another, with nothing but comments between, and have the same name
 * and as many parameters: a signature and its equations, the clauses of a function.
 */
export function joinClauses({ symbols, comments, attributes }: Pieces, text: string): Pieces {
  const commentEnds = new Map(comments.map(({ start, end }) => [start, end]));
  const joined: Piece[] = [];
  const open: Piece[] = [];
  for (const piece of symbols) {
    let previous: Piece | undefined;
    for (let last = open.at(-1); last && last.end <= piece.start; last = open.at(-1)) previous = open.pop();
    if (
      previous &&
      isClauseOf(previous, piece, text) &&
      onlyComments(text, previous.end, piece.start, commentEnds)
    ) {
      previous.headEnd ??= previous.end;
      previous.end = piece.end;
      previous.inside = undefined;
      open.push(previous);
    } else {
      joined.push(piece);
      open.push(piece);
    }
  }
  return { symbols: joined, comments, attributes };
}

function isClauseOf(first: Piece, next: Piece, text: string): boolean {
  return (
    first.kind === next.kind &&
    first.parameters === next.parameters &&
    text.slice(first.nameStart, first.nameEnd) === text.slice(next.nameStart, next.nameEnd)
  );
}

function onlyComments(text: string, from: number, to: number, ends: ReadonlyMap<number, number>): boolean {
  let at = from;
  for (;;) {
    while (at < to && /[\s.;]/.test(text.charAt(at))) at++;
    if (at >= to) return true;
    const end = ends.get(at);
    if (end === undefined) return false;
    at = end;
  }
}
