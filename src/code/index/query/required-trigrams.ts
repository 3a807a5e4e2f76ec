import { ToolError } from "../../../contract/error.ts";
import { parseRegex } from "../../../lib/rust-regex/parse.ts";
import type { ClassSet, Node } from "../../../lib/rust-regex/syntax.ts";
import { byteClasses, every, some, type TrigramQuery } from "./trigrams.ts";

/** Returns the trigrams that a file must contain to match a text. In this module, texts are strings of byte classes. */
export function trigramsOfLiteral(text: string, options: { readonly ignoreCase: boolean }): TrigramQuery {
  const codes = Array.from(text, (character) => character.codePointAt(0)!);
  return whole(analyseRow(codes.map((code) => ({ kind: "literal", code, ...options }))));
}

/** Returns the required trigrams of a pattern in ripgrep's syntax, or "all" if it cannot be parsed. */
export function trigramsOfRegex(pattern: string, options: { readonly ignoreCase: boolean }): TrigramQuery {
  try {
    const { node, untranslatable } = parseRegex(pattern, options);
    return untranslatable === undefined ? whole(analyse(node)) : "all";
  } catch (error) {
    if (error instanceof ToolError || error instanceof RangeError) return "all";
    throw error;
  }
}

interface Known {
  /** All matching texts, if they are few. Then the other fields add nothing. */
  readonly exact: readonly string[] | undefined;
  /** Every match begins with one of `starts` and ends with one of `ends`. */
  readonly starts: readonly string[];
  readonly ends: readonly string[];
  readonly query: TrigramQuery;
}

const anything: Known = { exact: undefined, starts: [""], ends: [""], query: "all" };
const nothing: Known = { exact: [""], starts: [""], ends: [""], query: "all" };

/** Looking up more texts would cost more than it saves. */
const maxTexts = 24;
const maxLength = 64;

function analyse(node: Node): Known {
  switch (node.kind) {
    case "empty":
    case "assertion":
      return nothing;
    case "dot":
      return anything;
    case "literal":
      return literal(node);
    case "class":
      return characters(node.set, node.ignoreCase);
    case "concatenation":
      return analyseRow(node.nodes);
    case "alternation":
      return node.nodes.map(analyse).reduce(alternate);
    case "repetition": {
      if (node.max === 0) return nothing;
      if (node.min === 0) return node.max === 1 ? alternate(analyse(node.node), nothing) : anything;
      const once = analyse(node.node);
      return node.max === 1 ? once : { ...loosened(once), query: whole(once) };
    }
  }
}

/** Analyses a sequence of nodes. Consecutive letters are handled together, for speed. */
function analyseRow(nodes: readonly Node[]): Known {
  const parts: Known[] = [];
  let letters = "";
  const endLetters = () => {
    if (letters !== "") parts.push(exactly([letters]));
    letters = "";
  };
  for (const node of nodes) {
    const known = analyse(node);
    if (node.kind === "literal" && known.exact) letters += known.exact[0]!;
    else {
      endLetters();
      parts.push(known);
    }
  }
  endLetters();
  return concatenate(parts);
}

function literal({ code, ignoreCase }: Extract<Node, { kind: "literal" }>): Known {
  const character = String.fromCodePoint(code);
  // The index ignores the case of ASCII. Any other letter has other bytes in the other case.
  if (ignoreCase && code > 0x7f && character.toLowerCase() !== character.toUpperCase()) return anything;
  return exactly([classesOf(character)]);
}

function characters(set: ClassSet, ignoreCase: boolean): Known {
  const ranges = rangesOf(set);
  const count = ranges?.reduce((sum, { first, last }) => sum + last - first + 1, 0);
  if (ranges === undefined || count! > maxTexts) return anything;
  const codes = ranges.flatMap(({ first, last }) =>
    Array.from({ length: last - first + 1 }, (_, at) => first + at),
  );
  const known = codes.map((code) => literal({ kind: "literal", code, ignoreCase }));
  return known.length === 0 ? anything : known.reduce(alternate);
}

function rangesOf(set: ClassSet): readonly { readonly first: number; readonly last: number }[] | undefined {
  if (set.kind === "range") return [set];
  if (set.kind !== "union" || set.negated) return undefined;
  const ranges = set.sets.map(rangesOf);
  return ranges.includes(undefined) ? undefined : ranges.flatMap((part) => part!);
}

function concatenate(parts: readonly Known[]): Known {
  return parts.reduce((left, right) => {
    const query = every([left.query, right.query]);
    if (left.exact && right.exact) {
      const exact = products(left.exact, right.exact);
      if (exact !== undefined) return { ...exactly(exact), query };
    }
    const starts = (left.exact && products(left.exact, right.starts)) ?? left.starts;
    const ends = (right.exact && products(left.ends, right.exact)) ?? right.ends;
    const between = products(left.exact ?? left.ends, right.exact ?? right.starts);
    const found = between === undefined ? [] : [trigramsIn(between)];
    const all = every([query, exactQuery(left), exactQuery(right), ...found]);
    return { exact: undefined, starts, ends, query: all };
  }, nothing);
}

function alternate(one: Known, other: Known): Known {
  if (one.exact && other.exact && one.exact.length + other.exact.length <= maxTexts) {
    const exact = [...new Set([...one.exact, ...other.exact])];
    return { ...exactly(exact), query: some([one.query, other.query]) };
  }
  const [left, right] = [loosened(one), loosened(other)];
  return {
    exact: undefined,
    starts: few([...left.starts, ...right.starts]),
    ends: few([...left.ends, ...right.ends]),
    query: some([whole(one), whole(other)]),
  };
}

function exactly(exact: readonly string[]): Known {
  return { exact, starts: exact, ends: exact, query: "all" };
}

function loosened(known: Known): Known {
  return known.exact === undefined ? known : { ...known, exact: undefined };
}

function whole(known: Known): TrigramQuery {
  return every([known.query, exactQuery(known)]);
}

function exactQuery({ exact, starts, ends }: Known): TrigramQuery {
  return exact ? trigramsIn(exact) : every([trigramsIn(starts), trigramsIn(ends)]);
}

function products(one: readonly string[], other: readonly string[]): readonly string[] | undefined {
  if (one.length * other.length > maxTexts) return undefined;
  const all = one.flatMap((start) => other.map((end) => start + end));
  return all.every((text) => text.length <= maxLength) ? [...new Set(all)] : undefined;
}

function few(texts: readonly string[]): readonly string[] {
  const all = [...new Set(texts)];
  return all.length <= maxTexts ? all : [""];
}

function trigramsIn(texts: readonly string[]): TrigramQuery {
  return some(
    texts.map((text) => {
      const trigrams = new Set<number>();
      for (let at = 0; at + 2 < text.length; at++) {
        trigrams.add((text.charCodeAt(at) << 14) | (text.charCodeAt(at + 1) << 7) | text.charCodeAt(at + 2));
      }
      return every([...trigrams].map((trigram) => ({ trigram })));
    }),
  );
}

function classesOf(text: string): string {
  return String.fromCharCode(...Array.from(Buffer.from(text), (byte) => byteClasses[byte]!));
}
