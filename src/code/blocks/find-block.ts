import type { CodeSymbol, Outline } from "../../contract/code.ts";
import { ToolError } from "../../contract/error.ts";
import { nearest } from "../../lib/text/nearest.ts";
import { describeBlock, listBlocks } from "./describe-block.ts";
import { isCalled } from "./kind-words.ts";
import { nearnessTo, spellingsOf } from "./module-path.ts";

/** Returns the only block that matches. Throws `no-match`, or `ambiguous-match` for several. */
export function findBlock(path: string, outline: Outline, wanted: BlockWanted): CodeSymbol {
  const found = findBlocks(path, outline, wanted);
  const nearest = wanted.lineHint === undefined ? found : nearestTo(wanted.lineHint, found);
  const [first, ...others] = nearest;
  if (others.length === 0) return first!;
  const list = listBlocks(outline, nearest);
  const message = `${path} has ${nearest.length} blocks that match ${describeWanted(wanted)}:\n${list}`;
  throw new ToolError("ambiguous-match", message, {
    hint: `Choose one with \`line_hint\`, ${first!.line} for the first, or with \`module_path\`, its container.`,
  });
}

/** Returns all blocks that match, in file order. Throws `no-match` if there is none. */
export function findBlocks(path: string, outline: Outline, wanted: BlockWanted): readonly CodeSymbol[] {
  const ofKind = outline.symbols.filter((symbol) => fitsKind(outline, symbol, wanted));
  const split = /^(.+?)(?:::|\.|#|\/)([^:.#/\s]+)$/su.exec(wanted.name.trim());
  for (const named of [spelledSo, spelledAlike]) {
    const whole = within(path, outline, wanted.modulePath, named(ofKind, wanted.name));
    if (whole.length > 0) return nearestSpelled(whole, wanted.name);
    const inHolder = split ? within(path, outline, split[1], named(ofKind, split[2]!)) : [];
    const found = within(path, outline, wanted.modulePath, inHolder);
    if (found.length > 0) return nearestSpelled(found, split![2]!);
  }
  throw noSuchBlock(path, outline, wanted);
}

export function holdersOf({ symbols }: Outline, symbol: CodeSymbol): readonly CodeSymbol[] {
  const holders: CodeSymbol[] = [];
  for (let parent = symbol.parent; parent !== undefined; parent = symbols[parent]!.parent)
    holders.unshift(symbols[parent]!);
  return holders;
}

function fitsKind({ symbols }: Outline, symbol: CodeSymbol, { kind }: BlockWanted): boolean {
  if (kind === undefined || kind.trim() === "") return true;
  return isCalled(kind, symbol, symbol.parent === undefined ? undefined : symbols[symbol.parent]);
}

function spelledSo(symbols: readonly CodeSymbol[], wanted: string): readonly CodeSymbol[] {
  const name = wanted.trim().replace(/\s+/g, " ");
  return symbols.filter((symbol) => symbol.name === name || symbol.name === wanted);
}

/** Returns the symbols whose names are equal except for type parameters, or the trait of an implementation. */
function spelledAlike(symbols: readonly CodeSymbol[], wanted: string): readonly CodeSymbol[] {
  return symbols.filter((symbol) => loosenessOf(symbol, wanted) !== undefined);
}

function loosenessOf(symbol: CodeSymbol, wanted: string): number | undefined {
  const name = wanted.trim().replace(/\s+/g, " ");
  const names = [name, name.replace(kindWord, "")];
  const fitting = spellingsOf(symbol).filter(({ text }) => names.includes(text));
  return fitting.length === 0 ? undefined : Math.min(...fitting.map(({ looseness }) => looseness));
}

/** Returns the nearest names: `impl<T> Stack<T>` before `impl<T> Display for Stack<T>` for "Stack". */
function nearestSpelled(symbols: readonly CodeSymbol[], wanted: string): readonly CodeSymbol[] {
  const loosenesses = symbols.map((symbol) => loosenessOf(symbol, wanted) ?? 0);
  const least = Math.min(...loosenesses);
  return symbols.filter((_, index) => loosenesses[index] === least);
}

/** Matches a kind before a name: "impl Agent", "fn run". */
const kindWord = /^(?:impl(?:<[^>]*>)?|fn|func|def|class|struct|enum|trait|interface|mod|type|#+)\s+/;

function within(
  path: string,
  outline: Outline,
  modulePath: string | undefined,
  symbols: readonly CodeSymbol[],
): readonly CodeSymbol[] {
  if (modulePath === undefined || modulePath.trim() === "") return symbols;
  const names = path.replace(/\.[^./]+$/, "").split(/[/\\]/);
  const ranked = symbols.map((symbol) => {
    const holders = [...holdersOf(outline, symbol), ...receiverOf(outline, symbol)];
    // A caller that names an implementation often repeats it in the module path.
    const repeated = symbol.kind === "impl" ? nearnessTo(modulePath, [...holders, symbol], names) : undefined;
    return { symbol, nearness: nearnessTo(modulePath, holders, names) ?? repeated };
  });
  const nearest = Math.min(...ranked.map(({ nearness = Number.POSITIVE_INFINITY }) => nearness));
  return ranked.filter(({ nearness }) => nearness === nearest).map(({ symbol }) => symbol);
}

/** Returns the type of a Go method, which is declared outside its type and names it in its head. */
function receiverOf({ symbols, language }: Outline, symbol: CodeSymbol): readonly CodeSymbol[] {
  const head =
    language === "go" ? /^func\s*\([^)]*?(\w+)\s*(?:\[[^\]]*\])?\s*\)/.exec(symbol.signature) : null;
  if (!head) return [];
  const isType = ({ name, kind }: CodeSymbol) => name === head[1] && kind !== "method" && kind !== "function";
  return [symbols.find(isType) ?? { ...symbol, kind: "type", name: head[1]! }];
}

/** Returns the symbols nearest to a line; of nested symbols, the innermost. */
function nearestTo(line: number, symbols: readonly CodeSymbol[]): readonly CodeSymbol[] {
  const distance = ({ firstLine, lastLine }: CodeSymbol) => Math.max(0, firstLine - line, line - lastLine);
  const least = Math.min(...symbols.map(distance));
  const near = symbols.filter((symbol) => distance(symbol) === least);
  const size = ({ start, end }: CodeSymbol) => end - start;
  if (least > 0 || near.length < 2) return near;
  const byHead = (symbol: CodeSymbol) => Math.abs(symbol.line - line);
  const closest = Math.min(...near.map(byHead));
  const heads = near.filter((symbol) => byHead(symbol) === closest);
  const smallest = Math.min(...heads.map(size));
  return heads.filter((symbol) => size(symbol) === smallest);
}

export interface BlockWanted {
  /** The plain or qualified name: "Agent.run", "Agent::run". */
  readonly name: string;
  readonly kind?: string | undefined;
  readonly modulePath?: string | undefined;
  readonly lineHint?: number | undefined;
}

function describeWanted({ kind, name, modulePath }: BlockWanted): string {
  const holder = modulePath === undefined || modulePath.trim() === "" ? "" : ` in ${modulePath.trim()}`;
  return `${kind?.trim() ?? ""} \`${name}\``.trim() + holder;
}

export function noSuchBlock(path: string, outline: Outline, wanted: BlockWanted): ToolError {
  const { symbols, faults, language } = outline;
  const none = symbols.length === 0 ? `: no symbols of ${language} were found in it` : "";
  const message = `${path} has no ${describeWanted(wanted)}${none}`;
  const near = nearBlocks(symbols, wanted.name).slice(0, 3);
  const suggestion = near.map((symbol) => describeBlock(outline, symbol)).join(", or ");
  const [fault] = faults;
  const broken = fault
    ? `Some symbols may be missing: line ${fault.line} does not parse (${fault.message}).`
    : "";
  const hint = [
    suggestion === "" ? "" : `Did you mean ${suggestion}?`,
    broken,
    "List the symbols with code.symbols.",
  ];
  return new ToolError("no-match", message, { hint: hint.filter((each) => each !== "").join(" ") });
}

/** Returns symbols with the same name, else a similar name, else a name that contains the wanted one. */
function nearBlocks(symbols: readonly CodeSymbol[], wanted: string): readonly CodeSymbol[] {
  const name = wanted.trim();
  const last = name.slice(
    Math.max(name.lastIndexOf("::") + 2, name.lastIndexOf(".") + 1, name.lastIndexOf(" ") + 1),
  );
  const names = new Set(symbols.map((symbol) => symbol.name));
  const suggestion =
    [name, last].find((each) => names.has(each)) ?? nearest(name, names) ?? nearest(last, names);
  if (suggestion !== undefined) return symbols.filter((symbol) => symbol.name === suggestion);
  return last.length < 3 ? [] : symbols.filter((symbol) => symbol.name.includes(last));
}
