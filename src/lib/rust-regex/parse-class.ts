import { characterSets } from "../character-sets.ts";
import { parseEscape } from "./parse-escape.ts";
import { escapeHint, type Scanner } from "./scanner.ts";
import type { ClassSet } from "./syntax.ts";

const maxDepth = 250;

/** Reads a class from its "[" to its "]": ranges, escapes, `[:alpha:]`, classes in it, and `&&`, `--`, `~~`. */
export function parseClass(scanner: Scanner, depth = 0): ClassSet {
  const open = scanner.index;
  scanner.index += 1;
  if (depth > maxDepth)
    throw scanner.error(`classes nest deeper than ${maxDepth} levels`, "Use a simpler class.", open);
  const negated = scanner.take("^");
  if (negated && !scanner.flags.u) scanner.untranslatable = "(?-u:[^…]) matches single bytes";

  let left: ClassSet | undefined;
  let operator: "&&" | "--" | "~~" | undefined;
  let items: ClassSet[] = leadingLiterals(scanner);
  const endOperand = () => {
    const right: ClassSet = { kind: "union", sets: items, negated: false };
    left =
      left === undefined || operator === undefined ? right : { kind: "operation", operator, left, right };
    items = [];
  };
  for (;;) {
    scanner.skipBlanks();
    if (scanner.atEnd) throw unclosed(scanner, open);
    const found = scanner.takeMatch(/&&|--|~~|\]/y)?.[0] as "&&" | "--" | "~~" | "]" | undefined;
    if (found !== undefined) endOperand();
    if (found === "]") return negated ? { kind: "union", sets: [left!], negated } : left!;
    if (found !== undefined) operator = found;
    else if (scanner.looksAt("[")) items.push(parseNamedSet(scanner) ?? parseClass(scanner, depth + 1));
    else items.push(parseRange(scanner, open));
  }
}

/** Hyphens at the beginning mean themselves, and so does a "]" right there. */
function leadingLiterals(scanner: Scanner): ClassSet[] {
  scanner.skipBlanks();
  const hyphens = scanner.takeMatch(/-+/y)?.[0] ?? "";
  const text = hyphens === "" && scanner.take("]") ? "]" : hyphens;
  return [...text].map((character) => literal(character.codePointAt(0)!));
}

function parseRange(scanner: Scanner, open: number): ClassSet {
  const start = scanner.index;
  const first = parseItem(scanner);
  scanner.skipBlanks();
  if (!scanner.looksAt("-")) return first;
  const hyphen = scanner.index;
  scanner.index += 1;
  scanner.skipBlanks();
  if (scanner.looksAt("]") || scanner.looksAt("-")) {
    scanner.index = hyphen;
    return first;
  }
  if (scanner.atEnd) throw unclosed(scanner, open);
  const last = parseItem(scanner);
  if (first.kind !== "range" || last.kind !== "range") {
    throw scanner.error("a range runs from one character to another", escapeHint("-"), start);
  }
  if (last.first < first.first) {
    throw scanner.error("this range runs backwards", "Write the smaller character first.", start);
  }
  return { kind: "range", first: first.first, last: last.first };
}

function parseItem(scanner: Scanner): ClassSet {
  if (!scanner.looksAt("\\")) return literal(scanner.next());
  const start = scanner.index;
  const escaped = parseEscape(scanner);
  if (escaped.kind === "literal") return literal(escaped.code);
  if (escaped.kind !== "assertion") return escaped;
  throw scanner.error("a class holds characters, not places", "Put it outside the brackets.", start);
}

function parseNamedSet(scanner: Scanner): ClassSet | undefined {
  const start = scanner.index;
  const found = scanner.takeMatch(/\[:(\^?)([a-z]+):\]/y);
  const ranges = found === undefined ? undefined : rustSets.get(found[2]!);
  if (found === undefined || ranges === undefined) {
    scanner.index = start;
    return undefined;
  }
  const negated = found[1] === "^";
  if (negated && !scanner.flags.u) scanner.untranslatable = "(?-u:[[:^…:]]) matches single bytes";
  const sets: ClassSet[] = [];
  for (let index = 0; index < ranges.length; index += 2) {
    sets.push({ kind: "range", first: ranges[index]!, last: ranges[index + 1]! });
  }
  return { kind: "union", sets, negated };
}

const rustSets: ReadonlyMap<string, readonly number[]> = new Map([
  ...characterSets,
  ["ascii", [0, 0x7f]],
  ["word", [...characterSets.get("alnum")!, 0x5f, 0x5f]],
]);

function literal(code: number): ClassSet {
  return { kind: "range", first: code, last: code };
}

function unclosed(scanner: Scanner, open: number): Error {
  scanner.index = open + 1;
  return scanner.error("this class is never closed", escapeHint("["), open);
}
