import { headOf } from "../../code/blocks/describe-block.ts";
import { isCalled } from "../../code/blocks/kind-words.ts";
import type { CodeSymbol, Outline } from "../../contract/code.ts";
import { printableLine } from "../../lib/printable.ts";

/** A symbol and how deep it lies in others. */
export interface Listed {
  readonly symbol: CodeSymbol;
  /** 1 for what lies in nothing. */
  readonly depth: number;
}

export interface SymbolsChosen {
  readonly kind?: string | undefined;
  readonly name?: string | undefined;
  readonly depth?: number | undefined;
}

/** The symbols of an outline that are wanted, in the order of the file. */
export function chooseSymbols(
  { symbols }: Outline,
  { kind, name, depth: most }: SymbolsChosen,
): readonly Listed[] {
  const depths: number[] = [];
  const listed: Listed[] = [];
  for (const symbol of symbols) {
    const parent = symbol.parent === undefined ? undefined : symbols[symbol.parent];
    const depth = symbol.parent === undefined ? 1 : depths[symbol.parent]! + 1;
    depths.push(depth);
    if (most !== undefined && depth > most) continue;
    if (kind !== undefined && kind !== "" && !isCalled(kind, symbol, parent)) continue;
    if (name !== undefined && !symbol.name.toLowerCase().includes(name.toLowerCase())) continue;
    listed.push({ symbol, depth });
  }
  return listed;
}

/** `Kind name [start-end]`, indented by its depth, then its head and the first sentence of what documents it. */
export function showSymbol({ symbol, depth }: Listed): string {
  const { signature, doc } = symbol;
  const head = saysMore(symbol) ? `: ${cut(signature, 160)}` : "";
  return `${"  ".repeat(depth - 1)}${headOf(symbol)}${head}${doc === undefined || doc === "" ? "" : ` — ${cut(doc, 120)}`}`;
}

/** Than its kind and name do. A single word before the name is mostly the kind again. */
function saysMore({ name, signature }: CodeSymbol): boolean {
  const [before, after] = signature.split(name, 2);
  if (after === undefined) return signature !== "";
  return (
    /\w\s+\w/.test(before!) ||
    !/^["'\s{:;,()]*$/.test(after + signature.slice(before!.length + name.length + after.length))
  );
}

function cut(text: string, most: number): string {
  const line = printableLine(text.replace(/\s+/g, " "));
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}
