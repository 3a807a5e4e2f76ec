import { type Language, type Node, Query, type Tree } from "web-tree-sitter";
import type { CodeSymbol, Outline } from "../../contract/code.ts";
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
 * A language has one file in rules/: a tree-sitter query of our own, and small functions where a query cannot say it.
 * Captures mean the same in every language:
 *
 *   @function, @class, @field …   the node that is the symbol; any word of symbolKinds
 *   @name       its name; captured twice, the name is all from the first to the last (impl: `Display for Agent`). Without
 *               it the whole node is the name.
 *   @inside     the node that holds what lies inside, from one bracket to the other or without brackets; the head ends there
 *   @bodied     the node whose field "body" is @inside: the same, but patterns with it compile faster
 *   @open @close   instead of @inside, where only the tokens at its ends are nodes: `do` … `end`. A node with a name that
 *               opens it is the last of the head: the parameters, in Lua. Without @close it ends with the symbol
 *   @body       the head ends there, but nothing can be put inside: the value of `f = lambda x: x`
 *   @doc        a string inside that is the doc comment
 *   @first @last   what stands before or behind the symbol and belongs to it: a getter in Kotlin
 *   @parameters those of a function, told from another of the same name by their number (see joinClauses)
 *
 * and in patterns of their own:
 *
 *   @comment    every comment. Those that stand right above a symbol, on lines of their own, belong to it
 *   @attribute  attributes, decorators, annotations: in front of the symbol, or the first thing within it. With @doc in
 *               it, where it takes the place of a doc comment
 *   @scope      a function without a name, a block: variables in it are local, as in a function
 *   @outer @inner   a statement around a symbol: `export …`, `template<…> …`, `const …`. The symbol (or another @outer) is
 *               @inner. A symbol that stands alone in it takes all of it, of several each keeps its own part
 *
 * A name is the name of one symbol: when several patterns find it, the FIRST in the query tells what it is, and the others
 * only add inside or doc where it has none. So write the special pattern before the general one. Start patterns at the
 * symbol itself, not at what holds it: that is fast, and @outer does the rest.
 *
 * What a symbol lies in is told from the text it covers. Then two rules hold everywhere: a @function right in a class,
 * struct, union, enum, trait, interface or impl is a method; a @variable or @constant right in a function, method or
 * constructor is no symbol. `kind` of the rules can change what they say. For the rest see SymbolRules.
 */

/** The symbols of a parsed text and its syntax faults. No symbols if there are no rules for the language. */
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

/** A query searches from each token to the next named one: among very many unnamed tokens it would never end. */
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

/** Compiled once per grammar; undefined without rules. */
export function compiledRules(language: string, grammar: Language): CompiledRules | undefined {
  const known = compiled.get(grammar);
  if (known) return known;
  const rules = rulesOf(language);
  if (!rules) return undefined;
  const made = { rules, query: new Query(grammar, rules.query) };
  compiled.set(grammar, made);
  return made;
}

/** Leaves out the innermost symbols, level by level, until at most `wanted` are left; then the last ones. */
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
