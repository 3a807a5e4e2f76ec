import { type CodeSymbol, type SymbolKind, symbolKinds } from "../../contract/code.ts";

/** Returns whether `word` names this kind of symbol, or is its keyword. "function" and "method" name both kinds. */
export function isCalled(word: string, symbol: CodeSymbol, parent: CodeSymbol | undefined): boolean {
  const wanted = word.trim().toLowerCase().replace(/\s+/g, " ");
  if (wanted === symbol.kind || kindsOf.get(wanted)?.includes(symbol.kind)) return true;
  if (/^(?:method|member)$/.test(wanted) && symbol.kind === "function")
    return parent !== undefined && holders.has(parent.kind);
  // A keyword may precede the name: `pub async fn run`, `data class Point`, `defmodule A`.
  const { signature, name } = symbol;
  const [head] = name === "" ? [""] : signature.split(name, 1);
  return ` ${head!.toLowerCase().replace(/[^\p{L}\p{N}_!]+/gu, " ")} `.includes(` ${wanted} `);
}

export function isKindWord(word: string): boolean {
  const wanted = word.toLowerCase();
  return kindsOf.has(wanted) || symbolKinds.some((kind) => kind === wanted);
}

export function kindsCalled(word: string): readonly SymbolKind[] {
  const wanted = word.trim().toLowerCase();
  const itself = symbolKinds.filter((kind) => kind === wanted);
  return [...new Set([...itself, ...(kindsOf.get(wanted) ?? [])])];
}

const words: readonly (readonly [string, readonly SymbolKind[]])[] = [
  [
    "function fn func fun def defp sub proc procedure subroutine routine callable",
    ["function", "method", "constructor"],
  ],
  ["method member", ["method", "constructor"]],
  ["constructor ctor init initializer", ["constructor"]],
  ["class object record actor", ["class"]],
  ["struct structure record", ["struct"]],
  ["enum enumeration", ["enum"]],
  ["trait protocol typeclass", ["trait", "interface"]],
  ["interface protocol", ["interface", "trait"]],
  ["impl implementation extension instance", ["impl"]],
  ["type typedef alias newtype", ["type"]],
  ["module mod namespace package object", ["module"]],
  ["macro define macro_rules macro_rules!", ["macro"]],
  ["constant const static val let var variable global", ["constant", "variable"]],
  ["variable var let val local", ["variable"]],
  ["field property attribute member prop val var", ["field", "property"]],
  ["variant case enumerator", ["variant"]],
  ["heading section header title chapter", ["heading"]],
  ["key entry pair setting property option table section", ["key", "property"]],
  ["rule selector target", ["rule"]],
  ["element tag component", ["element"]],
  ["table view section", ["table"]],
];

const kindsOf = new Map<string, readonly SymbolKind[]>();
for (const [spellings, kinds] of words)
  for (const word of spellings.split(" ")) kindsOf.set(word, [...(kindsOf.get(word) ?? []), ...kinds]);

const holders: ReadonlySet<string> = new Set("class struct union enum trait interface impl".split(" "));
