import type { Piece, Pieces } from "./gather-pieces.ts";

/** Lets every heading reach to the next one of its level or above. Headings in lists and quotations are none of the text. */
export function nestHeadings(levelOf: (heading: string) => number) {
  return ({ symbols, comments, attributes }: Pieces, text: string): Pieces => {
    const scopes = symbols.filter(({ kind }) => kind === "scope");
    const headings = symbols.filter(
      (piece) =>
        piece.kind !== "scope" && !scopes.some(({ start, end }) => start <= piece.start && piece.end <= end),
    );
    const open: { readonly piece: Piece; readonly level: number }[] = [];
    for (const piece of headings) {
      const level = levelOf(text.slice(piece.start, piece.end).trim());
      closeTo(level, open, piece.start);
      open.push({ piece, level });
      const start = piece.start + text.slice(piece.start, piece.end).trimEnd().length;
      piece.inside = { start, end: start };
      piece.headEnd = piece.nameEnd;
    }
    closeTo(0, open, text.length);
    for (const piece of headings) {
      const start = piece.inside?.start ?? piece.end;
      piece.inside = { start, end: start + text.slice(start, piece.end).trimEnd().length };
    }
    return { symbols: headings, comments, attributes };
  };
}

function closeTo(
  level: number,
  open: { readonly piece: Piece; readonly level: number }[],
  end: number,
): void {
  for (let last = open.at(-1); last && last.level >= level; last = open.at(-1)) {
    last.piece.end = end;
    open.pop();
  }
}
