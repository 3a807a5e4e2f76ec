import type { CodeSymbol, SymbolKind } from "../../contract/code.ts";
import { endOfText, lineOf, lineStart, startOfText, type TextSpan } from "../lines.ts";
import type { Piece, Pieces } from "./gather-pieces.ts";
import { docSentence, signatureOf } from "./signatures.ts";
import type { FoundSymbol, SymbolRules } from "./symbol-rules.ts";

export interface OutlinePosition {
  readonly before: number;
  readonly holder: { readonly index: number; readonly found: FoundSymbol } | undefined;
}

export function symbolsOf(
  pieces: Pieces,
  text: string,
  rules: SymbolRules,
  lineStarts: Uint32Array,
  { before, holder }: OutlinePosition = { before: 0, holder: undefined },
): CodeSymbol[] {
  const { comments, extentOf } = attachmentsIn(pieces, text, rules);
  const symbols: CodeSymbol[] = [];
  const open: { piece: Piece; index: number | undefined; found: FoundSymbol }[] = [];
  for (const piece of pieces.symbols) {
    while (open.length > 0 && !holds(open.at(-1)?.piece, piece)) open.pop();
    const parent = open.at(-1) ?? holder;
    if (piece.kind === "scope") {
      open.push({ piece, index: parent?.index, found: scope });
      continue;
    }
    const found = foundSymbol(piece, parent?.found, text, rules);
    if (!found) continue;
    const { start, declarationStart, end, docs } = extentOf(piece);
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

function headOf({ common, headEnd, nameStart, nameEnd }: Piece, start: number, end: number): TextSpan[] {
  const head = { start, end: Math.min(headEnd ?? end, end) };
  const name = { start: nameStart, end: nameEnd };
  return [...(common ? [common] : []), head, ...(nameStart >= head.end ? [name] : [])];
}

function holds(outer: Piece | undefined, inner: Piece): boolean {
  return outer !== undefined && outer.end >= inner.end && outer.node !== inner.node;
}

const holdingMethods: ReadonlySet<string> = new Set(
  "class struct union enum trait interface impl".split(" "),
);
const holdingLocals: ReadonlySet<SymbolKind> = new Set(["function", "method", "constructor"]);

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

/** Finds the comments and attributes of symbols. */
function attachmentsIn(pieces: Pieces, text: string, rules: SymbolRules) {
  const attributesByEnd = new Map(pieces.attributes.map((one) => [one.end, one]));
  const attributesByStart = new Map(pieces.attributes.map((one) => [one.start, one]));
  // Some grammars include the line end in a comment.
  const comments = pieces.comments.map(({ start, end }) => ({ start, end: endOfText(text, end) }));
  comments.sort((one, other) => one.start - other.start);
  const commentsByEnd = new Map(comments.map((one) => [one.end, one]));
  const commentsByStart = new Map(comments.map((one) => [one.start, one]));

  const commentAbove = (start: number, end: number): TextSpan | undefined => {
    const comment = commentsByEnd.get(end);
    if (!comment || !standsAlone(text, comment) || hasBlankLine(text, end, start)) return undefined;
    const written = text.slice(comment.start, comment.end);
    const unrelated =
      rules.unrelatedComment?.test(written) || (comment.start === 0 && written.startsWith("#!"));
    return unrelated ? undefined : comment;
  };

  const above = (start: number) => {
    const docs: string[] = [];
    for (;;) {
      const end = endOfText(text, start);
      const attribute = attributesByEnd.get(end);
      const comment = attribute ? undefined : commentAbove(start, end);
      const belonging = attribute ?? comment;
      if (!belonging) return { start, docs: docs.reverse() };
      const doc = attribute ? attribute.doc : comment;
      if (doc) docs.push(text.slice(doc.start, doc.end));
      start = belonging.start;
    }
  };

  const afterAttributes = (start: number, end: number): number => {
    let at = start;
    for (let attribute = attributesByStart.get(at); attribute; ) {
      at = startOfText(text, attribute.end);
      for (let comment = commentsByStart.get(at); comment; comment = commentsByStart.get(at)) {
        at = startOfText(text, comment.end);
      }
      attribute = attributesByStart.get(at);
    }
    return at < end ? at : start;
  };

  const extentOf = (piece: Piece) => {
    const end = endOfText(text, piece.end);
    return {
      ...above(piece.start),
      declarationStart: afterAttributes(piece.start, end),
      end: piece.common ? end : afterTerminator(text, end, rules.terminator),
    };
  };
  return { comments, extentOf };
}

function afterTerminator(text: string, end: number, terminator: string | undefined): number {
  if (terminator === undefined) return end;
  let at = end;
  while (text.charAt(at) === " " || text.charAt(at) === "\t") at++;
  return text.startsWith(terminator, at) ? at + terminator.length : end;
}

function standsAlone(text: string, { start }: TextSpan): boolean {
  const first = lineStart(text, start);
  return start === 0 || endOfText(text, start, first) === first;
}

function hasBlankLine(text: string, start: number, end: number): boolean {
  return /\n[^\n]*\n/.test(text.slice(start, end));
}
