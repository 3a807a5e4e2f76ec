import type { Tree } from "web-tree-sitter";
import type { Occurrence, Occurrences, Outline } from "../../contract/code.ts";
import { lineOf, lineStartsOf } from "../lines.ts";
import { bindingsOf, type Understood } from "./bindings-of.ts";
import { meaningOf, type NameLocation, nameLocations } from "./meaning-of.ts";
import { scopeRulesOf } from "./rules-of.ts";
import type { Meaning } from "./scope-rules.ts";

/** Where a name occurs in a parsed text, and which occurrences mean the same. */
export function occurrencesOf(tree: Tree, text: string, name: string, outline: Outline): Occurrences {
  const { language } = outline;
  const rules = scopeRulesOf(language);
  const words = name === "" ? [] : nameLocations(name, tree, text);
  const lineStarts = lineStartsOf(text);
  const shown = ({ start, end }: NameLocation) => {
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
    return found === undefined ? [] : [{ location: place, ...found }];
  });
  const bindings = bindingsOf(understood, rules);
  return {
    language,
    scoped: true,
    places: understood.map(({ location: place, meaning }, index) => ({
      ...shown(place),
      ...described(meaning, bindings[index]),
    })),
  };
}

function described(
  meaning: Meaning,
  bound: number | "unclear" | undefined,
): Omit<Occurrence, "start" | "end" | "line" | "column"> {
  if (meaning.is !== "definition" && meaning.is !== "reference")
    return { role: meaning.role ?? "reference", binding: undefined, unbound: meaning.is };
  if (bound === "unclear") return { role: meaning.is, binding: undefined, unbound: "unclear" };
  const { around } = meaning;
  const binding = bound;
  const written = {
    binding,
    ...(binding === undefined && { unbound: "outside" as const }),
    ...(around && { around }),
  };
  if (meaning.is === "reference") return { role: "reference", ...written };
  const { isPublic, isArgument, isMember, isPathed } = meaning;
  return {
    role: "definition",
    ...written,
    ...(isPublic && { isPublic }),
    ...(isArgument && { isArgument }),
    ...(isMember && { isMember }),
    ...(isPathed && { isPathed }),
  };
}

/** For a language without rules: what its grammar calls a name, outside of comments. */
function isCode({ way, isLeaf, isKeyword }: NameLocation): boolean {
  if (!isLeaf || isKeyword || way.steps.some(({ type }) => type.includes("comment"))) return false;
  return nameLike.test(way.steps.at(-1)!.type);
}

const nameLike =
  /ident|name|constant|variable|symbol|atom|word|field|property|label|type|selector|tag|key|function|module|plain_value/;

/** Of the names on a symbol's line, the first is its own. */
function definedBy({ symbols }: Outline, name: string, places: readonly Occurrence[]): ReadonlySet<number> {
  const named = symbols.filter((symbol) => symbol.name === name || symbol.name.endsWith(name));
  return new Set(
    named.flatMap(({ line, declarationStart }) => {
      const first = places.find((place) => place.line === line && place.start >= declarationStart);
      return first === undefined ? [] : [first.start];
    }),
  );
}
