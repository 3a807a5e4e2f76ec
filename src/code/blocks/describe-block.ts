import type { CodeSymbol, Outline } from "../../contract/code.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { printableLine } from "../../lib/text/printable.ts";

/** Describes a block: "Function run [84-120] in Impl Agent". */
export function describeBlock({ symbols }: Outline, symbol: CodeSymbol): string {
  const holder = symbol.parent === undefined ? undefined : symbols[symbol.parent];
  return `${headOf(symbol)}${holder === undefined ? "" : ` in ${capitalised(holder.kind)} ${oneLine(holder.name)}`}`;
}

export function headOf({ kind, name, firstLine, lastLine }: CodeSymbol): string {
  return `${capitalised(kind)} ${oneLine(name)} [${firstLine}-${lastLine}]`;
}

export function listBlocks(outline: Outline, symbols: readonly CodeSymbol[]): string {
  const shown = symbols.slice(0, maxListed).map((symbol) => `  ${describeBlock(outline, symbol)}`);
  const hidden = symbols.length - shown.length;
  return [...shown, ...(hidden > 0 ? [`  … ${counted(hidden, "more", "more")}`] : [])].join("\n");
}

const maxListed = 20;

function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function oneLine(name: string): string {
  const line = printableLine(name.replace(/\s+/g, " "));
  return line.length > 120 ? `${line.slice(0, 119)}…` : line;
}
