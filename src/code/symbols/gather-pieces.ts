import type { Node } from "web-tree-sitter";
import { type SymbolKind, symbolKinds } from "../../contract/code.ts";
import { endOfText, startOfText, type TextSpan } from "../lines.ts";
import type { CompiledRules } from "./outline-of.ts";
import type { SymbolRules } from "./symbol-rules.ts";

/** A symbol as the query finds it, before its parent and comments are known. */
export interface Piece {
  kind: SymbolKind | "scope";
  pattern: number;
  readonly node: number;
  start: number;
  end: number;
  readonly nameStart: number;
  nameEnd: number;
  /** The position of the last part of the name, which may be on another line than `Outer::`. */
  readonly nameAt: number;
  parameters?: number;
  inside?: TextSpan;
  headEnd?: number;
  doc?: TextSpan;
  /** The part shared with other symbols of the same declaration: `static int` of `static int a, b`. */
  common?: TextSpan;
}

export interface Pieces {
  readonly symbols: Piece[];
  readonly comments: TextSpan[];
  readonly attributes: Attribute[];
}

/** An attribute; `doc` is its text, if it serves as a doc comment. */
type Attribute = TextSpan & Pick<Piece, "doc">;

const kinds: ReadonlySet<string> = new Set(symbolKinds);

/** Runs the query on the whole tree, or on the nodes that touch a part of the text. */
export function gatherPieces(
  { rules, query }: CompiledRules,
  root: Node,
  text: string,
  part?: TextSpan,
): Pieces {
  const found = new Map<number, Piece>();
  const comments: TextSpan[] = [];
  const attributes: Attribute[] = [];
  const scopes: Piece[] = [];
  const wrappings: Wrapping[] = [];
  // Queries count bytes of UTF-16, two per unit.
  const options = part ? { startIndex: part.start * 2, endIndex: part.end * 2 } : {};
  for (const { patternIndex, captures } of query.matches(root, options)) {
    const match: Match = { pattern: patternIndex };
    for (const { name, node } of captures) take(match, name, node);
    if (match.comment) comments.push(spanOf(match.comment));
    else if (match.attribute)
      attributes.push({ ...spanOf(match.attribute), doc: match.doc && spanOf(match.doc) });
    else if (match.outer && match.inner) wrappings.push([match.outer, match.inner]);
    else if (match.scope) scopes.push(scopeOf(match.scope, patternIndex));
    else if (match.symbol) addPiece(found, match, text, rules);
  }
  const symbols = [...found.values()];
  widen(symbols, wrappings, text);
  symbols.push(...scopes);
  symbols.sort(
    (one, other) => one.start - other.start || other.end - one.end || one.nameStart - other.nameStart,
  );
  return { symbols, comments, attributes };
}

type Capture =
  | ("name" | "lastName" | "first" | "last" | "parameters" | "inside" | "bodied" | "body" | "open" | "close")
  | ("doc" | "comment" | "attribute" | "scope" | "outer" | "inner");

interface Match extends Partial<Record<Capture, Node>> {
  readonly pattern: number;
  kind?: SymbolKind;
  symbol?: Node;
}

type Wrapping = readonly [outer: Node, inner: Node];

function take(match: Match, capture: string, node: Node): void {
  if (kinds.has(capture)) {
    match.symbol = node;
    match.kind = capture as SymbolKind;
  } else if (capture === "name" && match.name) match.lastName = node;
  else if (!capture.startsWith("_")) match[capture as Capture] = node;
}

/** Adds a symbol. A name belongs to one symbol, and if several patterns find it, the first in the query decides. */
function addPiece(found: Map<number, Piece>, match: Match, text: string, rules: SymbolRules): void {
  const { symbol, kind, pattern } = match;
  if (!symbol || !kind) return;
  const captured = match.name ?? symbol;
  if (match.bodied) match.inside ??= match.bodied.childForFieldName("body") ?? undefined;
  const name = rules.nameNode ? rules.nameNode(captured) : captured;
  const piece: Piece = {
    kind: rules.declaredKind ? rules.declaredKind(captured, kind) : kind,
    pattern,
    node: symbol.id,
    // Some grammars include the blanks before a node.
    start: startOfText(text, (match.first ?? symbol).startIndex, name.startIndex),
    end: (match.last ?? symbol).endIndex,
    nameStart: name.startIndex,
    nameEnd: (match.lastName ?? name).endIndex,
    nameAt: name.startIndex + (rules.lastWordAt?.(text.slice(name.startIndex, name.endIndex)) ?? 0),
    parameters: match.parameters?.namedChildCount,
    inside: insideOf(match, text),
    headEnd: headEndOf(match),
    doc: match.doc && spanOf(match.doc),
  };
  const known = found.get(piece.nameStart);
  const [first, second] = known && known.pattern <= pattern ? [known, piece] : [piece, known];
  if (second && first.node === second.node) {
    first.start = Math.min(first.start, second.start);
    first.end = Math.max(first.end, second.end);
    first.parameters ??= second.parameters;
    first.inside ??= second.inside;
    first.headEnd ??= second.headEnd;
    first.doc ??= second.doc;
  }
  found.set(piece.nameStart, first);
}

function scopeOf(node: Node, pattern: number): Piece {
  const { start, end } = spanOf(node);
  const name = { nameStart: start, nameEnd: start, nameAt: start };
  return { kind: "scope", pattern, node: node.id, start, end, ...name };
}

function headEndOf({ inside, body, open, close, symbol, last }: Match): number | undefined {
  const node = inside ?? body ?? open;
  if (!node && last) return symbol?.endIndex;
  // A named node that opens the inside is the last part of the head, such as the parameters in Lua.
  return node === open && (open?.isNamed || !close) ? open?.endIndex : node?.startIndex;
}

function insideOf(match: Match, text: string): TextSpan | undefined {
  const { open, close, symbol } = match;
  if (open && close) {
    const [start, end] = [open.endIndex, close.startIndex];
    return { start, end: close.isMissing ? endOfText(text, end, start) : end };
  }
  if (open && symbol) {
    const start = endOfText(text, open.endIndex, open.startIndex);
    return { start, end: endOfText(text, symbol.endIndex, start) };
  }
  if (!match.inside) return undefined;
  const { start, end } = spanOf(match.inside);
  const closing = closingOf[text.charAt(start)];
  if (closing !== undefined && end - start >= 2 && text.charAt(end - 1) === closing)
    return { start: start + 1, end: end - 1 };
  const first = text.charAt(start) === ":" ? start + 1 : start;
  return { start: first, end: endOfText(text, end, first) };
}

const closingOf: Readonly<Record<string, string>> = { "{": "}", "(": ")", "[": "]" };

/** Extends a single symbol to the statement around it. Several symbols keep their own parts. */
function widen(symbols: readonly Piece[], wrappings: readonly Wrapping[], text: string): void {
  if (wrappings.length === 0) return;
  const outerOf = new Map<number, Node>();
  const held = new Map<number, number>();
  const firstHeld = new Map<number, number>();
  for (const [outer, inner] of wrappings) {
    if (outerOf.get(inner.id)?.id === outer.id) continue;
    outerOf.set(inner.id, outer);
    held.set(outer.id, (held.get(outer.id) ?? 0) + 1);
    firstHeld.set(outer.id, Math.min(firstHeld.get(outer.id) ?? Number.POSITIVE_INFINITY, inner.startIndex));
  }
  for (const symbol of symbols) {
    for (let outer = outerOf.get(symbol.node); outer; outer = outerOf.get(outer.id)) {
      const start = outer.startIndex;
      if ((held.get(outer.id) ?? 0) > 1) {
        const first = firstHeld.get(outer.id) ?? start;
        for (let wider = outerOf.get(outer.id); wider; wider = outerOf.get(wider.id)) outer = wider;
        // The shared part is on one line, and ends at an opening bracket.
        const [head] = /^[^({\n]*/.exec(text.slice(outer.startIndex, first))!;
        symbol.common = { start: outer.startIndex, end: outer.startIndex + head.length };
        break;
      }
      symbol.start = start;
      symbol.end = outer.endIndex;
    }
  }
}

function spanOf(node: Node): TextSpan {
  return { start: node.startIndex, end: node.endIndex };
}
