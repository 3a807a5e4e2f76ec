import type { CodeSymbol } from "../../contract/code.ts";
import { getOrMake } from "../get-or-make.ts";
import { endOfText, lineOf, lineStartsOf, startOfText, type TextSpan } from "../lines.ts";

/** A part of a file that is found and shown as a unit: a symbol's own text, or text around symbols. */
export interface Piece {
  readonly symbol: number | undefined;
  readonly firstLine: number;
  readonly lastLine: number;
  /** The parts of the piece in text order. The comment of its symbol comes first, and ends at the declaration. */
  readonly stretches: readonly TextSpan[];
}

const maxLines = 100;

/** Divides a text into pieces. Text belongs to the piece of the innermost symbol that has one. */
export function piecesOf(text: string, symbols: readonly CodeSymbol[]): Piece[] {
  const lineStarts = lineStartsOf(text);
  const pieces: Piece[] = [];
  for (const [symbol, stretches] of ownStretches(text, symbols)) {
    let part: TextSpan[] = [];
    let firstLine = 0;
    let lastLine = 0;
    const close = () => {
      if (part.length > 0) pieces.push({ symbol, firstLine, lastLine, stretches: part });
      part = [];
    };
    for (const stretch of stretches.flatMap((whole) => shortStretches(text, whole))) {
      const from = lineOf(lineStarts, stretch.start);
      const to = lineOf(lineStarts, stretch.end - 1);
      if (part.length > 0 && to - firstLine >= maxLines) close();
      if (part.length === 0) firstLine = from;
      lastLine = to;
      part.push(stretch);
    }
    close();
  }
  return pieces.sort((one, other) => one.firstLine - other.firstLine);
}

/** Symbols of these kinds belong to the piece of their parent. */
export const partKinds: ReadonlySet<string> = new Set(
  "field property variant key element variable".split(" "),
);

/** Returns the text of each symbol without its children; undefined stands for text outside symbols. */
function ownStretches(text: string, symbols: readonly CodeSymbol[]): Map<number | undefined, TextSpan[]> {
  const stretches = new Map<number | undefined, TextSpan[]>();
  const open: number[] = [];
  let at = 0;
  const take = (until: number) => {
    const owner = open.at(-1);
    const start = startOfText(text, at, until);
    const end = endOfText(text, until, start);
    if (end > start && /\w|\P{ASCII}/u.test(text.slice(start, Math.min(end, start + 200)))) {
      getOrMake(stretches, owner, () => []).push({ start, end });
    }
    at = Math.max(at, until);
  };
  const closeUntil = (start: number) => {
    while (open.length > 0 && symbols[open.at(-1)!]!.end <= start) {
      take(symbols[open.at(-1)!]!.end);
      open.pop();
    }
  };
  symbols.forEach(({ kind, parent, start }, index) => {
    if (parent !== undefined && partKinds.has(kind)) return;
    closeUntil(start);
    take(start);
    open.push(index);
  });
  closeUntil(text.length);
  take(text.length);
  return stretches;
}

function shortStretches(text: string, { start, end }: TextSpan): TextSpan[] {
  const short: TextSpan[] = [];
  let first = start;
  let count = 0;
  let blank = -1;
  for (let at = start; at < end; ) {
    const newline = text.indexOf("\n", at);
    const next = newline === -1 || newline >= end ? end : newline + 1;
    if (startOfText(text, at, next) === next) blank = next;
    count += 1;
    at = next;
    if (count < maxLines || at >= end) continue;
    const cut = blank > first ? blank : at;
    short.push({ start: first, end: endOfText(text, cut, first) });
    first = startOfText(text, cut, end);
    at = Math.max(first, cut);
    count = 0;
    blank = -1;
  }
  if (end > first) short.push({ start: first, end });
  return short.filter((stretch) => stretch.end > stretch.start);
}
