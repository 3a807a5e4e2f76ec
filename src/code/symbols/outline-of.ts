import { type Language, type Node, Query, type Tree } from "web-tree-sitter";
import type { CodeSymbol, Outline } from "../../contract/code.ts";
import { getOrMake } from "../get-or-make.ts";
import { lineStartsOf } from "../lines.ts";
import { gatherPieces } from "./gather-pieces.ts";
import { rulesOf } from "./rules-of.ts";
import { startWithBlanked, withBestReading } from "./second-reading.ts";
import type { SymbolRules } from "./symbol-rules.ts";
import { symbolsOf } from "./symbols-of.ts";
import { faultsOf } from "./syntax-faults.ts";

/*
 * How symbols are found.
 *
 * Each language has a tree-sitter query in rules/, and small functions for what a query cannot express. Captures mean the
 * same in every language:
 *
 *   @function, @class, @field …   the node that is the symbol; any of symbolKinds
 *   @name       its name; captured twice, everything from the first to the last (`Display for Agent`). Default: the whole node
 *   @inside     the node with its content, with or without brackets; the head of the symbol ends there
 *   @bodied     the node whose field "body" is @inside: the same, but such patterns compile faster
 *   @open @close   instead of @inside, where only its first and last tokens are nodes: `do` … `end`. A named node that opens
 *               it is the last part of the head: the parameters, in Lua. Without @close it ends with the symbol
 *   @body       the head ends there, but nothing can be inserted: the value of `f = lambda x: x`
 *   @doc        a string inside that is the doc comment
 *   @first @last   nodes before or after the symbol that belong to it: a getter in Kotlin
 *   @parameters the parameters of a function: their number distinguishes functions of the same name (see joinClauses)
 *
 * and in patterns of their own:
 *
 *   @comment    comments; those on separate lines right above a symbol belong to it. Default: the types in `commentType`
 *   @attribute  attributes, decorators, annotations: before the symbol, or first in it. With @doc if it is a doc comment
 *   @scope      a function without a name, a block: variables in it are local, as in a function
 *   @outer @inner   a statement around a symbol: `export …`, `template<…> …`, `const …`. The symbol (or another @outer) is
 *               @inner. A single symbol covers the whole statement; of several, each keeps its own part
 *
 * `(a|b …)` on a line stands for two patterns, one for each node type.
 *
 * A name belongs to one symbol: when several patterns find it, the FIRST in the query decides its kind, and the others only
 * add a missing inside or doc. So write special patterns before general ones. Start patterns at the symbol itself, not
 * at its container: that is fast, and @outer does the rest.
 *
 * The text that symbols cover shows their nesting. Two rules hold everywhere: a @function directly in a class, struct, union,
 * enum, trait, interface or impl is a method; a @variable or @constant directly in a function, method or constructor is
 * not a symbol. `kind` of the rules can override both. For the rest see SymbolRules.
 */

/** Returns the symbols of a parsed text and its syntax faults. Without rules for the language there are no symbols. */
export function outlineOf(tree: Tree, text: string, language: string): Outline {
  const lineStarts = lineStartsOf(text);
  const compiled = compiledRules(language, tree.language);
  return withBestReading(tree, text, compiled?.rules, (read, respelled) => ({
    language,
    symbols: compiled ? allSymbols(compiled, read, text, respelled, lineStarts) : [],
    faults: faultsOf(read, text, lineStarts),
  }));
}

function allSymbols(
  compiled: CompiledRules,
  tree: Tree,
  text: string,
  respelled: string,
  lineStarts: Uint32Array,
): CodeSymbol[] {
  const { rules } = compiled;
  if (isNotCode(tree.rootNode)) return [];
  const pieces = gatherPieces(compiled, tree.rootNode, text);
  for (const piece of pieces.symbols) piece.start = startWithBlanked(piece.start, text, respelled);
  const symbols = symbolsOf(rules.arrange?.(pieces, text) ?? pieces, text, rules, lineStarts);
  return rules.most === undefined ? symbols : limitSymbols(rules.most, symbols);
}

/** Returns whether a text is not code. Among very many unnamed tokens, a query would never end. */
function isNotCode(root: Node): boolean {
  if (!root.hasError) return false;
  const isEndless = (node: Node | null) => node?.isError === true && node.childCount > 10_000;
  return isEndless(root) || root.children.some(isEndless);
}

export interface CompiledRules {
  readonly rules: SymbolRules;
  readonly query: Query;
}

const compiled = new WeakMap<Language, CompiledRules>();

/** Returns the rules of a language, compiled once per grammar; undefined without rules. */
export function compiledRules(language: string, grammar: Language): CompiledRules | undefined {
  const rules = rulesOf(language);
  return (
    rules &&
    getOrMake(compiled, grammar, () => ({ rules, query: new Query(grammar, fullQuery(rules, grammar)) }))
  );
}

/** Expands `(a|b …)`, and adds the pattern for comments to a query without one. */
function fullQuery(rules: SymbolRules, grammar: Language): string {
  const query = rules.query.replace(/\((\w+(?:\|\w+)+)(.*)/g, (_, types: string, rest: string) =>
    types.replace(/(\w+)\|?/g, (_found, type: string) => `(${type}${rest}\n`),
  );
  const isComment = (type: string, id: number) => grammar.nodeTypeIsNamed(id) && commentType.test(type);
  const types = new Set(grammar.types.filter(isComment));
  if (query.includes("@comment") || types.size === 0) return query;
  return `${query} [${Array.from(types, (type) => `(${type})`).join(" ")}] @comment`;
}

const commentType = /^(?:(?:line|block|multiline|documentation)_)?comment$/i;

/** Omits the innermost symbols, level by level, until at most `wanted` are left, and then the last ones. */
export function limitSymbols(wanted: number, symbols: readonly CodeSymbol[]): CodeSymbol[] {
  if (symbols.length <= wanted) return [...symbols];
  const levels: number[] = [];
  const counts: number[] = [];
  for (const { parent } of symbols) {
    const level = parent === undefined ? 0 : (levels[parent] ?? 0) + 1;
    levels.push(level);
    counts[level] = (counts[level] ?? 0) + 1;
  }
  const deepest = deepestThatFits(wanted, counts);
  const kept: CodeSymbol[] = [];
  const indexes = new Map<number, number>();
  for (const [index, symbol] of symbols.entries()) {
    if ((levels[index] ?? 0) > deepest || kept.length === wanted) continue;
    indexes.set(index, kept.length);
    kept.push({ ...symbol, parent: symbol.parent === undefined ? undefined : indexes.get(symbol.parent) });
  }
  return kept;
}

function deepestThatFits(wanted: number, counts: readonly number[]): number {
  let total = counts[0] ?? 0;
  let level = 0;
  while (level + 1 < counts.length && total + (counts[level + 1] ?? 0) <= wanted) {
    level++;
    total += counts[level] ?? 0;
  }
  return level;
}
