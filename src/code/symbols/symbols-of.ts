import type { CodeSymbol, SymbolKind } from "../../contract/code.ts";
import { belongings } from "./belongings.ts";
import type { Piece, Pieces, Stretch } from "./gather-pieces.ts";
import { docSentence, signatureOf } from "./head.ts";
import { lineOf } from "./line-starts.ts";
import type { FoundSymbol, SymbolRules } from "./symbol-rules.ts";

/** Where symbols stand that are not all of an outline. */
export interface Place {
  /** How many come before them. */
  readonly before: number;
  /** What all of them lie in, and which one it is. */
  readonly holder: { readonly index: number; readonly found: FoundSymbol } | undefined;
}

/** Makes symbols of what was found: what each is where it stands, what it lies in, and what belongs to it. */
export function symbolsOf(
  pieces: Pieces,
  text: string,
  rules: SymbolRules,
  lineStarts: Uint32Array,
  { before, holder }: Place = { before: 0, holder: undefined },
): CodeSymbol[] {
  const { comments, reachOf } = belongings(pieces, text, rules);
  const symbols: CodeSymbol[] = [];
  const open: { readonly piece: Piece; readonly index: number | undefined; readonly found: FoundSymbol }[] =
    [];
  for (const piece of pieces.symbols) {
    while (open.length > 0 && !holds(open.at(-1)?.piece, piece)) open.pop();
    const parent = open.at(-1) ?? holder;
    if (piece.kind === "scope") {
      open.push({ piece, index: parent?.index, found: scope });
      continue;
    }
    const found = foundSymbol(piece, parent?.found, text, rules);
    if (!found) continue;
    const { start, declarationStart, end, docs } = reachOf(piece);
    const lineAt = (offset: number) => lineOf(lineStarts, offset);
    open.push({ piece, index: before + symbols.length, found });
    symbols.push({
      kind: found.kind,
      name: found.name,
      parent: parent?.index,
      start,
      end,
      firstLine: lineAt(start),
      lastLine: lineAt(Math.max(start, end - 1)),
      declarationStart,
      line: lineAt(piece.nameAt),
      inside: piece.inside,
      signature: signatureOf(headOf(piece, declarationStart, end), text, comments),
      doc: docSentence(piece.doc ? [text.slice(piece.doc.start, piece.doc.end)] : docs),
    });
  }
  return symbols;
}

/** The parts of the text that make its head, in order. */
function headOf({ common, headEnd, nameStart, nameEnd }: Piece, start: number, end: number): Stretch[] {
  const head = { start, end: Math.min(headEnd ?? end, end) };
  const name = { start: nameStart, end: nameEnd };
  return [...(common ? [common] : []), head, ...(nameStart >= head.end ? [name] : [])];
}

function holds(outer: Piece | undefined, inner: Piece): boolean {
  return outer !== undefined && outer.end >= inner.end && outer.node !== inner.node;
}

const holdingMethods: ReadonlySet<SymbolKind> = new Set([
  "class",
  "struct",
  "union",
  "enum",
  "trait",
  "interface",
  "impl",
]);
const holdingLocals: ReadonlySet<SymbolKind> = new Set(["function", "method", "constructor"]);

/** What is declared in it is local to it. */
const scope: FoundSymbol = { kind: "function", name: "", hasInside: true };

function foundSymbol(
  piece: Piece,
  parent: FoundSymbol | undefined,
  text: string,
  rules: SymbolRules,
): FoundSymbol | undefined {
  const written = text.slice(piece.nameStart, piece.nameEnd).replace(/\s+/g, " ");
  const name = rules.name ? rules.name(written) : written;
  const hasInside = piece.inside !== undefined;
  const usual = piece.kind === "scope" ? undefined : usualKind(piece.kind, parent?.kind);
  const kind = usual && rules.kind ? rules.kind({ kind: usual, name, hasInside }, parent) : usual;
  return kind && { kind, name, hasInside };
}

function usualKind(kind: SymbolKind, parent: SymbolKind | undefined): SymbolKind | undefined {
  if (parent === undefined) return kind;
  if (kind === "function" && holdingMethods.has(parent)) return "method";
  if ((kind === "variable" || kind === "constant") && holdingLocals.has(parent)) return undefined;
  return kind;
}
