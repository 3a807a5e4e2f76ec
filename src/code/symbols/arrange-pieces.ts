import { endOfText, opensLine } from "../lines.ts";
import type { Piece, Pieces } from "./gather-pieces.ts";

/** Joins the clauses of a function: same name and number of parameters, only comments between them. */
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

/** Extends every heading to the next heading of its level or above. Headings in lists and quotations do not count. */
export function nestHeadings(levelOf: (heading: string) => number) {
  return ({ symbols, comments, attributes }: Pieces, text: string): Pieces => {
    const scopes = symbols.filter(({ kind }) => kind === "scope");
    const headings = symbols.filter(
      (piece) =>
        piece.kind !== "scope" && !scopes.some(({ start, end }) => start <= piece.start && piece.end <= end),
    );
    const open: { readonly piece: Piece; readonly level: number; readonly start: number }[] = [];
    const close = (level: number, end: number) => {
      for (let last = open.at(-1); last && last.level >= level; last = open.at(-1)) {
        const { piece, start } = last;
        piece.end = end;
        piece.inside = { start, end: endOfText(text, end, start) };
        open.pop();
      }
    };
    for (const piece of headings) {
      const level = levelOf(text.slice(piece.start, piece.end).trim());
      close(level, piece.start);
      open.push({ piece, level, start: endOfText(text, piece.end, piece.start) });
      piece.headEnd = piece.nameEnd;
    }
    close(0, text.length);
    return { symbols: headings, comments, attributes };
  };
}

/** Keeps one symbol per node. When several patterns find a node, the first in the query decides. */
export function onePerNode({ symbols, comments, attributes }: Pieces): Pieces {
  const best = new Map<number, Piece>();
  for (const piece of symbols) {
    const known = best.get(piece.node);
    if (!known || piece.pattern < known.pattern) best.set(piece.node, piece);
  }
  return { symbols: symbols.filter((piece) => best.get(piece.node) === piece), comments, attributes };
}

/** Ends symbols before trailing comments on their own lines, which belong to the next symbol. */
export function withoutTrailingComments(pieces: Pieces, text: string): Pieces {
  const startOf = new Map(pieces.comments.map(({ start, end }) => [endOfText(text, end), start]));
  for (const piece of pieces.symbols) {
    const { inside, nameEnd } = piece;
    let end = endOfText(text, piece.end);
    for (let start = startOf.get(end) ?? 0; start > nameEnd && opensLine(text, start); ) {
      end = endOfText(text, start);
      start = startOf.get(end) ?? 0;
    }
    piece.end = end;
    if (inside && inside.end > end) piece.inside = { ...inside, end: Math.max(inside.start, end) };
  }
  return pieces;
}
