import type { CodeSymbol, Outline } from "../../contract/code.ts";
import { isCalled } from "../blocks/kind-words.ts";
import { getOrMake } from "../get-or-make.ts";
import { type LikelyLocations, maxLocations, type TextLocation } from "./location.ts";
import { distanceOf, isOtherCase, isSlip } from "./slips.ts";
import type { LineTable } from "./text-locations.ts";

/**
 * Returns the parts of lines that have the words and marks of a text, up to two letters. One wins if it differs only by
 * typing errors or in case. Any other part, even with one more difference, makes the location ambiguous.
 */
export function similarSpans(file: string, lines: LineTable, location: string): LikelyLocations {
  const wanted = piecesOf(location);
  const longest = wanted.reduce((best, piece) => (piece.text.length > best.text.length ? piece : best), none);
  const ink = wanted.reduce((sum, piece) => sum + piece.text.length, 0);
  if (/[\r\n]/.test(location.trim()) || file.length > maxChars) return { winners: [], ranked: [] };
  if (ink < leastInk || ink > mostInk || longest.text.length < leastWord) return { winners: [], ranked: [] };
  const known = new Map<string, number | undefined>();
  const near = (piece: string) =>
    getOrMake(known, piece, () => distanceOf(longest.text, piece, mostDistance) ?? far);
  const found: (TextLocation & { readonly isMeant: boolean })[] = [];
  for (let line = 1; line <= lines.count && found.length < maxLocations; line += 1) {
    const pieces = piecesOf(lines.text(line));
    for (let at = wanted.indexOf(longest); at < pieces.length; at += 1) {
      if (near(pieces[at]!.text) === far) continue;
      const first = at - wanted.indexOf(longest);
      const span = pieces.slice(first, first + wanted.length);
      const distance = distanceOfAll(wanted, span);
      if (distance === undefined) continue;
      const start = lines.start(line) + span[0]!.start;
      const end = lines.start(line) + span.at(-1)!.start + span.at(-1)!.text.length;
      const isMeant = span.every(({ text }, index) => isMeantBy(wanted[index]!.text, text, file));
      const score = 1 - (distance + 1) / (ink + 1);
      found.push({ way: "similar text", start, end, firstLine: line, lastLine: line, score, isMeant });
    }
  }
  return decided(found);
}

/** Returns the symbol whose name has a typing error in "fn process_paymnet", if no other name is near. */
export function misspelledSymbol(
  text: string,
  outline: Outline,
  kind: string,
  name: string,
): CodeSymbol | undefined {
  const near = outline.symbols.filter(
    (symbol) => distanceOf(name, symbol.name, mostDistance) !== undefined && name.length >= leastWord,
  );
  const [only] = near;
  if (!only || near.length > 1 || !isMeantBy(name, only.name, text)) return undefined;
  const parent = only.parent === undefined ? undefined : outline.symbols[only.parent];
  return isCalled(kind, only, parent) ? only : undefined;
}

function decided(found: readonly (TextLocation & { readonly isMeant: boolean })[]): LikelyLocations {
  const ranked = [...found].sort(
    (one, other) => other.score - one.score || one.firstLine - other.firstLine || one.start - other.start,
  );
  return { winners: ranked.some(({ isMeant }) => isMeant) ? ranked : [], ranked };
}

function isMeantBy(wanted: string, found: string, file: string): boolean {
  return wanted === found || isOtherCase(wanted, found, file) || isSlip(wanted, found, file, leastLetters);
}

interface Piece {
  readonly text: string;
  readonly start: number;
}

/** Words and single marks, without blanks. */
function piecesOf(line: string): readonly Piece[] {
  return Array.from(line.matchAll(/[\p{L}\p{N}_$]+|\S/gu), ({ 0: text, index }) => ({ text, start: index }));
}

/** Marks and short words must be the same. */
function distanceOfAll(wanted: readonly Piece[], found: readonly Piece[]): number | undefined {
  if (found.length < wanted.length) return undefined;
  let sum = 0;
  for (const [index, { text }] of wanted.entries()) {
    const other = found[index]!.text;
    const distance =
      text === other ? 0 : text.length < leastWord ? undefined : distanceOf(text, other, mostDistance);
    if (distance === undefined) return undefined;
    sum += distance;
  }
  return sum <= mostDistance ? sum : undefined;
}

const none: Piece = { text: "", start: 0 };
const far = -1;
const maxChars = 2_000_000;
const mostDistance = 2;
const leastWord = 5;
const leastInk = 8;
const mostInk = 1_000;
const leastLetters = 7;
