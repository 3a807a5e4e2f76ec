import type { CodeSymbol, Outline } from "../../contract/code.ts";
import { ToolError } from "../../contract/error.ts";
import { type BlockWanted, describeWanted } from "./block-wanted.ts";
import { isCalled } from "./kind-words.ts";
import { listBlocks } from "./list-blocks.ts";
import { nearnessTo, spellingsOf } from "./module-path.ts";
import { noSuchBlock } from "./no-such-block.ts";

/** The one block that is meant. Throws `no-match` or `ambiguous-match`: it never guesses. */
export function findBlock(path: string, outline: Outline, wanted: BlockWanted): CodeSymbol {
  const found = findBlocks(path, outline, wanted);
  const nearest = wanted.lineHint === undefined ? found : nearestTo(wanted.lineHint, found);
  if (nearest.length === 1) return nearest[0]!;
  throw ambiguous(path, outline, wanted, nearest);
}

/** All blocks that are named so, in the order of the file, at least one. */
export function findBlocks(path: string, outline: Outline, wanted: BlockWanted): readonly CodeSymbol[] {
  const ofKind = outline.symbols.filter((symbol) => fitsKind(outline, symbol, wanted));
  const split = /^(.+?)(?:::|\.|#|\/)([^:.#/\s]+)$/su.exec(wanted.name.trim());
  for (const named of [spelledSo, spelledAlike]) {
    const whole = within(path, outline, wanted.modulePath, named(ofKind, wanted.name));
    if (whole.length > 0) return whole;
    const inHolder = split ? within(path, outline, split[1], named(ofKind, split[2]!)) : [];
    const found = within(path, outline, wanted.modulePath, inHolder);
    if (found.length > 0) return found;
  }
  throw noSuchBlock(path, outline, wanted);
}

/** What a symbol lies in, outermost first. */
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

/** The same but for type parameters, or for what an implementation is of. */
function spelledAlike(symbols: readonly CodeSymbol[], wanted: string): readonly CodeSymbol[] {
  const name = wanted.trim().replace(/\s+/g, " ");
  const bare = withoutWord(name);
  return symbols.filter((symbol) =>
    spellingsOf(symbol).some((spelling) => spelling === name || spelling === bare),
  );
}

/** "impl Agent" and "fn run" given as a name. */
function withoutWord(name: string): string {
  return name.replace(
    /^(?:impl(?:<[^>]*>)?|fn|func|def|class|struct|enum|trait|interface|mod|type|#+)\s+/,
    "",
  );
}

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
    // Who names an implementation often says twice which one.
    const isOwnPath = symbol.kind === "impl" && nearnessTo(modulePath, [...holders, symbol], names);
    return {
      symbol,
      nearness: nearnessTo(modulePath, holders, names) ?? (isOwnPath === false ? undefined : isOwnPath),
    };
  });
  const nearest = Math.min(...ranked.map(({ nearness = Number.POSITIVE_INFINITY }) => nearness));
  return ranked.filter(({ nearness }) => nearness === nearest).map(({ symbol }) => symbol);
}

/** In Go a method stands beside its type, and names it in its head. */
function receiverOf({ symbols, language }: Outline, symbol: CodeSymbol): readonly CodeSymbol[] {
  const head =
    language === "go" ? /^func\s*\([^)]*?(\w+)\s*(?:\[[^\]]*\])?\s*\)/.exec(symbol.signature) : null;
  if (!head) return [];
  const isType = ({ name, kind }: CodeSymbol) => name === head[1] && kind !== "method" && kind !== "function";
  return [symbols.find(isType) ?? { ...symbol, kind: "type", name: head[1]! }];
}

/** Those that no other is nearer than: the line lies in them, or few lines are between. Of nested ones, the inner. */
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

function ambiguous(
  path: string,
  outline: Outline,
  wanted: BlockWanted,
  found: readonly CodeSymbol[],
): ToolError {
  const list = listBlocks(outline, found);
  const [first] = found;
  const message = `${path} has ${found.length} blocks that are ${describeWanted(wanted)}:\n${list}`;
  return new ToolError("ambiguous-match", message, {
    hint: `Say which one with \`line_hint\`, or \`module_path\`: what it lies in. The first is line_hint ${first!.line}.`,
  });
}
