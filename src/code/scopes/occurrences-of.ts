import type { Tree } from "web-tree-sitter";
import type { Occurrence, Occurrences, Outline } from "../../contract/code.ts";
import { lineOf, lineStartsOf } from "../symbols/line-starts.ts";
import { bindingsOf, type Understood } from "./bindings-of.ts";
import { meaningOf } from "./meaning-of.ts";
import { scopeRulesOf } from "./rules-of.ts";
import { type Place, waysTo } from "./ways-to.ts";

/** Where a name stands in a parsed text, and which places mean the same. */
export function occurrencesOf(tree: Tree, text: string, name: string, outline: Outline): Occurrences {
  const { language } = outline;
  const rules = scopeRulesOf(language);
  const words = name === "" ? [] : waysTo(name, tree, text);
  const lineStarts = lineStartsOf(text);
  const shown = ({ start, end }: Place) => {
    const line = lineOf(lineStarts, start);
    return { start, end, line, column: 1 + Array.from(text.slice(lineStarts[line - 1], start)).length };
  };
  if (rules === undefined) {
    const places = words
      .filter(isCode)
      .map((place): Occurrence => ({ ...shown(place), role: "reference", binding: undefined }));
    const defined = definedBy(outline, name, places);
    return {
      language,
      scoped: false,
      places: places.map((place) => (defined.has(place.start) ? { ...place, role: "definition" } : place)),
    };
  }
  const understood = words.flatMap((place): Understood[] => {
    const found = meaningOf(place, rules);
    return found === undefined ? [] : [{ place, ...found }];
  });
  const bindings = bindingsOf(understood, rules);
  return {
    language,
    scoped: true,
    places: understood.map(({ place, meaning }, index): Occurrence => {
      const binding = bindings[index];
      const isDefinition =
        meaning.is === "definition" || ("role" in meaning && meaning.role === "definition");
      return {
        ...shown(place),
        role: isDefinition ? "definition" : "reference",
        binding,
        ...(binding === undefined && {
          unbound: meaning.is === "definition" || meaning.is === "reference" ? "outside" : meaning.is,
        }),
        ...("around" in meaning && meaning.around !== undefined && { around: meaning.around }),
        ...(meaning.is === "definition" && {
          ...(meaning.isPublic && { isPublic: true }),
          ...(meaning.isArgument && { isArgument: true }),
          ...(meaning.isMember && { isMember: true }),
        }),
      };
    }),
  };
}

/** Without rules of the language: what the grammar neither takes for a comment nor for text. */
function isCode({ way, isLeaf, isKeyword }: Place): boolean {
  if (!isLeaf || isKeyword) return false;
  return !way.steps
    .slice(1)
    .some(({ type }, index, { length }) =>
      index === length - 1 ? notCode.test(type) : alwaysText.test(type),
    );
}

const notCode = /comment|string|text|char|regex|heredoc|content|number|integer|float|literal/;
const alwaysText = /comment/;

/** Of the names on the line of a symbol, the first is the one that it has. */
function definedBy({ symbols }: Outline, name: string, places: readonly Occurrence[]): ReadonlySet<number> {
  const named = symbols.filter((symbol) => symbol.name === name || symbol.name.endsWith(name));
  return new Set(
    named.flatMap(({ line, declarationStart }) => {
      const first = places.find((place) => place.line === line && place.start >= declarationStart);
      return first === undefined ? [] : [first.start];
    }),
  );
}
