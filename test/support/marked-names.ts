import { Parser } from "web-tree-sitter";
import { loadGrammar } from "../../src/code/grammars/load-grammar.ts";
import { findLanguage } from "../../src/code/languages/find-language.ts";
import { occurrencesOf } from "../../src/code/scopes/occurrences-of.ts";
import type { Occurrence, Occurrences } from "../../src/contract/code.ts";

/** A text in which «name» marks the occurrences with the same meaning, and the occurrences that are found. */
export async function readMarked(language: string, marked: string): Promise<Marked> {
  const [, name = ""] = /«([^»]+)»/.exec(marked) ?? [];
  const expected: number[] = [];
  let text = "";
  for (const part of marked.split(/([«»])/)) {
    if (part === "«") expected.push(text.length);
    else if (part !== "»") text += part;
  }
  const { places } = await occurrencesIn(language, text, name);
  const binding = places.find(({ start }) => start === expected[0])?.binding;
  const found = places.filter((place) => binding !== undefined && place.binding === binding);
  return { text, name, places, found, marked, shown: mark(text, name, found) };
}

export interface Marked {
  readonly text: string;
  readonly name: string;
  readonly places: readonly Occurrence[];
  /** The occurrences that have the meaning of the first marked one. */
  readonly found: readonly Occurrence[];
  readonly marked: string;
  /** The text with those marked. */
  readonly shown: string;
}

export async function occurrencesIn(language: string, text: string, name: string): Promise<Occurrences> {
  const grammar = await loadGrammar(findLanguage(language).grammar);
  const parser = new Parser();
  parser.setLanguage(grammar);
  const tree = parser.parse(text)!;
  try {
    return occurrencesOf(tree, text, name, { language, symbols: [], faults: [] });
  } finally {
    tree.delete();
    parser.delete();
  }
}

function mark(text: string, name: string, places: readonly Occurrence[]): string {
  return places.reduceRight(
    (result, { start, end }) => `${result.slice(0, start)}«${name}»${result.slice(end)}`,
    text,
  );
}
