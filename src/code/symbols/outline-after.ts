import type { Tree } from "web-tree-sitter";
import type { CodeSymbol, Outline } from "../../contract/code.ts";
import { endOfText, lineStartsOf, type TextSpan } from "../lines.ts";
import { gatherPieces, type Piece } from "./gather-pieces.ts";
import { type Movement, movedSymbol } from "./moved-symbol.ts";
import { type CompiledRules, compiledRules, outlineOf } from "./outline-of.ts";
import { symbolsOf } from "./symbols-of.ts";

export interface OutlineBefore {
  readonly outline: Outline;
  readonly text: string;
  readonly changed: Change;
}

/** The changed range, in UTF-16 units. Outside it, both texts and both trees are equal except for the shift. */
interface Change {
  readonly start: number;
  readonly oldEnd: number;
  readonly newEnd: number;
}

/** Returns the same as outlineOf, but reads only the changed part and its neighbours. */
export function outlineAfter(tree: Tree, text: string, language: string, before: OutlineBefore): Outline {
  const compiled = compiledRules(language, tree.language);
  const mustReadAll =
    !compiled ||
    compiled.rules.arrange !== undefined ||
    compiled.rules.most !== undefined ||
    before.outline.faults.length > 0 ||
    tree.rootNode.hasError;
  if (mustReadAll) return outlineOf(tree, text, language);
  const old = before.outline.symbols;
  const { changed } = before;
  const part = partToRead(before, compiled.rules.query.includes("@doc"));
  const lineStarts = lineStartsOf(text);
  const moved = {
    offset: changed.newEnd - changed.oldEnd,
    lines: linesIn(text, changed.start, changed.newEnd) - linesIn(before.text, changed.start, changed.oldEnd),
  };
  const read = symbolsIn(part, old, compiled, tree, text, lineStarts, changed);
  if (!read) return outlineOf(tree, text, language);
  return { language, symbols: joined(old, part, read, moved), faults: [] };
}

/** Reads the changed part. Returns undefined if the change affects more. */
function symbolsIn(
  part: Part,
  old: readonly CodeSymbol[],
  compiled: CompiledRules,
  tree: Tree,
  text: string,
  lineStarts: Uint32Array,
  changed: Change,
): CodeSymbol[] | undefined {
  const { start, first, holder: index } = part;
  const shift = changed.newEnd - changed.oldEnd;
  const end = part.end + shift;
  const holding = index === undefined ? undefined : old[index];
  const headStart = holding ? holding.declarationStart : -1;
  const pieces = gatherPieces(compiled, tree.rootNode, text, { start, end });
  const isInPart = (piece: Piece) =>
    piece.start > headStart &&
    (piece.kind === "scope" ? piece.end > start : piece.start >= start && endOfText(text, piece.end) <= end);
  const symbols = pieces.symbols.filter(isInPart);
  const isCommonChanged = ({ common }: Piece) =>
    common && common.start <= changed.newEnd && common.end >= changed.start;
  if (symbols.some(isCommonChanged) || !stillHold(old, index, pieces.symbols, shift)) return undefined;
  const found = holding && { kind: holding.kind, name: holding.name, hasInside: true };
  const holder = found && index !== undefined ? { index, found } : undefined;
  return symbolsOf({ ...pieces, symbols }, text, compiled.rules, lineStarts, { before: first, holder });
}

/** Returns whether a symbol and its ancestors have the same ends as before, except for the shift. */
function stillHold(
  old: readonly CodeSymbol[],
  holder: number | undefined,
  pieces: readonly Piece[],
  shift: number,
): boolean {
  for (let index = holder; index !== undefined; index = old[index]?.parent) {
    const inside = old[index]?.inside;
    const isTheSame = (piece: Piece) =>
      inside && piece.inside?.start === inside.start && piece.inside.end === inside.end + shift;
    if (!pieces.some(isTheSame)) return false;
  }
  return true;
}

function joined(
  old: readonly CodeSymbol[],
  { first, last, holder }: Part,
  read: readonly CodeSymbol[],
  moved: Movement,
): CodeSymbol[] {
  const symbols = old.slice(0, first);
  for (let index = holder; index !== undefined; index = old[index]?.parent) {
    const symbol = symbols[index];
    if (symbol) symbols[index] = widened(symbol, moved);
  }
  symbols.push(...read);
  const added = symbols.length - last;
  for (const symbol of old.slice(last)) {
    const { parent } = symbol;
    symbols.push(
      movedSymbol(symbol, parent !== undefined && parent >= last ? parent + added : parent, moved),
    );
  }
  return symbols;
}

function widened(symbol: CodeSymbol, { offset, lines }: Movement): CodeSymbol {
  const inside = symbol.inside && { start: symbol.inside.start, end: symbol.inside.end + offset };
  return { ...symbol, end: symbol.end + offset, lastLine: symbol.lastLine + lines, inside };
}

function linesIn(text: string, start: number, end: number): number {
  let lines = 0;
  for (let at = text.indexOf("\n", start); at >= 0 && at < end; at = text.indexOf("\n", at + 1)) lines++;
  return lines;
}

/** A part of the old text with the symbols to read again. */
interface Part extends TextSpan {
  readonly first: number;
  readonly last: number;
  readonly holder: number | undefined;
}

/** Returns the changed children of the innermost symbol around the change, and one more on each side. */
function partToRead({ outline, changed, text }: OutlineBefore, docInside: boolean): Part {
  const old = outline.symbols;
  const holder = holderOf(old, changed, text, docInside);
  const holding = holder === undefined ? undefined : old[holder];
  const next = holder === undefined ? old.length : nextOutside(old, holder);
  const siblings: number[] = [];
  for (let index = (holder ?? -1) + 1; index < next; index++) {
    if (old[index]?.parent === holder) siblings.push(index);
  }
  const startOf = (sibling: number): number => old[siblings[sibling] ?? -1]?.start ?? text.length;
  const endOf = (sibling: number): number => old[siblings[sibling] ?? -1]?.end ?? 0;
  let from = 0;
  while (from < siblings.length && endOf(from) < changed.start) from++;
  let to = from;
  while (to < siblings.length && startOf(to) <= changed.oldEnd) to++;
  from = Math.max(0, from - 1);
  to = Math.min(siblings.length, to + 1);
  // Symbols of one declaration may share their text, so they are read together.
  while (from > 0 && endOf(from - 1) > startOf(from)) from--;
  while (to < siblings.length && startOf(to) < endOf(to - 1)) to++;
  return {
    start: from > 0 ? endOf(from - 1) : (holding?.declarationStart ?? 0),
    end: to < siblings.length ? startOf(to) : (holding?.inside?.end ?? text.length),
    first: siblings[from] ?? next,
    last: siblings[to] ?? next,
    holder,
  };
}

/** Returns the innermost symbol around a change. `docInside` means that a symbol can contain its doc comment. */
function holderOf(
  old: readonly CodeSymbol[],
  { start, oldEnd }: Change,
  text: string,
  docInside: boolean,
): number | undefined {
  let holder: number | undefined;
  for (const [index, { parent, inside, start: begins, declarationStart, name }] of old.entries()) {
    if (begins > start) break;
    if (parent !== holder || !inside || inside.start >= start || inside.end <= oldEnd) continue;
    // The name may come after the inside: `typedef struct { … } Name`.
    if (!text.slice(declarationStart, inside.start).includes(name)) continue;
    const child = old[index + 1];
    // The first element inside may be the doc comment.
    if (docInside && !(child?.parent === index && child.start < start)) continue;
    holder = index;
  }
  return holder;
}

function nextOutside(old: readonly CodeSymbol[], holder: number): number {
  let index = holder + 1;
  while (index < old.length && liesIn(old, index, holder)) index++;
  return index;
}

function liesIn(old: readonly CodeSymbol[], index: number, holder: number): boolean {
  let at: number | undefined = index;
  while (at !== undefined && at > holder) at = old[at]?.parent;
  return at === holder;
}
