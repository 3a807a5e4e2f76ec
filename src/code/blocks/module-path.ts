import type { CodeSymbol } from "../../contract/code.ts";
import { isCalled } from "./kind-words.ts";

/**
 * Returns how well a symbol matches `path`: "impl Agent", "impl Display for Agent", "mod a::b", "class Foo", "a.b",
 * "a::b::impl Agent". 0 is exact, a larger number is less near, and undefined means that it does not match. `holders`
 * contain the symbol, outermost first. `names` are the parts of the file's path, which may come first:
 * "crate::agent::impl Agent".
 */
export function nearnessTo(
  path: string,
  holders: readonly CodeSymbol[],
  names: readonly string[],
): number | undefined {
  const wanted = path.trim().replace(/\s+/g, " ");
  let best: number | undefined;
  for (let last = holders.length - 1; last >= 0; last -= 1) {
    const found = match(wanted, holders.slice(0, last + 1), names);
    if (found !== undefined)
      best = Math.min(best ?? Number.POSITIVE_INFINITY, found + 10 * (holders.length - 1 - last));
  }
  if (best !== undefined || holders.length > 0) return best;
  return isOwn(wanted, names) ? 0 : undefined;
}

/** Matches a path that ends with the last holder. The rest must match the other holders. */
function match(path: string, holders: readonly CodeSymbol[], names: readonly string[]): number | undefined {
  const holder = holders.at(-1)!;
  let best: number | undefined;
  for (const { text, looseness } of spellingsOf(holder)) {
    const before = withoutEnd(path, text);
    if (before === undefined) continue;
    const rest = withoutKind(before, holder, holders.at(-2));
    if (rest === undefined) continue;
    const above = matchAbove(rest, holders.slice(0, -1), names);
    if (above !== undefined) best = Math.min(best ?? Number.POSITIVE_INFINITY, above + looseness);
  }
  return best;
}

function matchAbove(
  path: string,
  holders: readonly CodeSymbol[],
  names: readonly string[],
): number | undefined {
  if (path === "") return 0;
  // A path that starts at the file prefers the outermost symbol.
  if (isOwn(path, names)) return holders.length;
  for (let last = holders.length - 1; last >= 0; last -= 1) {
    const found = match(path, holders.slice(0, last + 1), names);
    if (found !== undefined) return found;
  }
  return undefined;
}

interface Spelling {
  readonly text: string;
  /** 0 is the name as written, 1 without type parameters or path, 2 without the trait of an implementation. */
  readonly looseness: 0 | 1 | 2;
}

export function spellingsOf({ name, kind }: Pick<CodeSymbol, "name" | "kind">): readonly Spelling[] {
  const plain = withoutParameters(name);
  const [trait, type] = kind === "impl" ? plain.split(/ for /) : [];
  const alike = [plain, lastName(plain)];
  const types: string[] = [];
  if (trait !== undefined && type !== undefined) {
    types.push(type, lastName(type));
    alike.push(...types.map((each) => `${lastName(trait)} for ${each}`));
  }
  const found = new Map<string, Spelling>();
  for (const [looseness, texts] of [
    [0, [name]],
    [1, alike],
    [2, types],
  ] as const) {
    for (const each of texts) {
      const text = each.replace(/\s+/g, " ").trim();
      if (text !== "" && !found.has(text)) found.set(text, { text, looseness });
    }
  }
  return [...found.values()];
}

function withoutParameters(name: string): string {
  let plain = name;
  for (let before = ""; before !== plain; ) {
    before = plain;
    plain = plain.replace(/<[^<>]*>/g, "");
  }
  return plain;
}

function lastName(name: string): string {
  return name.slice(Math.max(name.lastIndexOf("::") + 2, name.lastIndexOf(".") + 1));
}

/** Returns the path before `spelling`, which must end it at a boundary, perhaps with more type parameters. */
function withoutEnd(path: string, spelling: string): string | undefined {
  for (const each of new Set([path, withoutParameters(path)])) {
    if (each === spelling) return "";
    if (each.endsWith(spelling) && /(?:::|[\s./>#\\])$/.test(each.slice(0, -spelling.length)))
      return each.slice(0, -spelling.length);
  }
  return undefined;
}

/** Removes the kind before a name, including "impl<T>" and "unsafe impl". Returns undefined for a wrong kind. */
function withoutKind(before: string, holder: CodeSymbol, parent: CodeSymbol | undefined): string | undefined {
  const path = withoutParameters(before).trimEnd();
  if (path === before) return withoutSeparator(path);
  const word = /(?:^|::|[./>#\\\s])([\p{L}_!]+)$/u.exec(path)?.[1];
  if (word === undefined) return withoutSeparator(path);
  if (!isCalled(word, holder, parent)) return undefined;
  const modifier = /\b(?:unsafe|pub|export|abstract|async|default)\s+$/;
  return withoutSeparator(path.slice(0, -word.length).replace(modifier, ""));
}

function withoutSeparator(path: string): string {
  return path.replace(/(?:::|[\s./>#\\])+$/, "");
}

function isOwn(path: string, names: readonly string[]): boolean {
  return path.split(/::|[\s./>#\\]+/).every((each) => own.test(each) || names.includes(each));
}

const own = /^(?:crate|self|super|mod|module|package|namespace)?$/;
