import { posixClasses } from "../text/posix-classes.ts";
import { type AssertionKind, type ClassSet, escapeHint, type Node, type Scanner } from "./syntax.ts";

const maxDepth = 250;

/** Parses a class from its "[" to its "]": ranges, escapes, `[:alpha:]`, nested classes, and `&&`, `--`, `~~`. */
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

/** Hyphens and a "]" at the beginning are literal. */
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
    throw scanner.error("a range needs a character at each end", escapeHint("-"), start);
  }
  if (last.first < first.first) {
    throw scanner.error("reversed range", "Write the smaller character first.", start);
  }
  return { kind: "range", first: first.first, last: last.first };
}

function parseItem(scanner: Scanner): ClassSet {
  if (!scanner.looksAt("\\")) return literal(scanner.next());
  const start = scanner.index;
  const escaped = parseEscape(scanner);
  if (escaped.kind === "literal") return literal(escaped.code);
  if (escaped.kind !== "assertion") return escaped;
  throw scanner.error("an assertion cannot be in a class", "Put it outside the brackets.", start);
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
  const sets = ranges.flatMap((first, index): ClassSet[] =>
    index % 2 === 0 ? [{ kind: "range", first, last: ranges[index + 1]! }] : [],
  );
  return { kind: "union", sets, negated };
}

const rustSets: ReadonlyMap<string, readonly number[]> = new Map([
  ...posixClasses,
  ["ascii", [0, 0x7f]],
  ["word", [...posixClasses.get("alnum")!, 0x5f, 0x5f]],
]);

function literal(code: number): ClassSet {
  return { kind: "range", first: code, last: code };
}

function unclosed(scanner: Scanner, open: number): Error {
  scanner.index = open + 1;
  return scanner.error("unclosed class", escapeHint("["), open);
}

type Escape =
  | Extract<Node, { kind: "assertion" | "literal" }>
  | Extract<ClassSet, { kind: "perl" | "property" }>;

/** Parses an escape sequence from its backslash on. */
export function parseEscape(scanner: Scanner): Escape {
  const start = scanner.index;
  const { i: ignoreCase, u: unicode } = scanner.flags;
  scanner.index += 1;
  if (scanner.atEnd) throw scanner.error("trailing backslash", escapeHint("\\"), start);
  const letter = String.fromCodePoint(scanner.next());

  if (/[0-9]/.test(letter)) {
    const message = "back-references are not supported by ripgrep";
    throw scanner.error(message, "Search for the repeated text itself.", start);
  }
  if (letter === "p" || letter === "P") return parseProperty(scanner, start);
  if ("xuU".includes(letter))
    return { kind: "literal", code: parseHexadecimal(scanner, letter, start), ignoreCase };
  if (/[dswDSW]/.test(letter)) {
    const negated = letter < "a";
    if (negated && !unicode) scanner.untranslatable = `(?-u:\\${letter}) matches single bytes`;
    return { kind: "perl", name: letter.toLowerCase() as "d" | "s" | "w", negated, unicode };
  }
  const assertion = assertionOf(scanner, letter, start);
  if (assertion !== undefined) return { kind: "assertion", at: assertion, unicode };
  const character = controls[letter] ?? letter;
  if (character === letter && !/[!-/:;=?@[-`{-~\s]/.test(letter)) {
    const hint = letter === "Z" ? "The end of the text is \\z, the end of a line $." : escapeHint("\\");
    throw scanner.error(`unknown escape \\${letter}`, hint, start);
  }
  return { kind: "literal", code: character.codePointAt(0)!, ignoreCase };
}

const controls: Readonly<Record<string, string>> = { a: "\x07", t: "\t", n: "\n", v: "\v", f: "\f", r: "\r" };

const assertions: ReadonlyMap<string, AssertionKind> = new Map([
  ["A", "text-start"],
  ["z", "text-end"],
  ["b", "word-boundary"],
  ["B", "no-word-boundary"],
  ["<", "word-start"],
  [">", "word-end"],
  ["b{start}", "word-start"],
  ["b{end}", "word-end"],
  ["b{start-half}", "word-start-half"],
  ["b{end-half}", "word-end-half"],
]);

function assertionOf(scanner: Scanner, letter: string, start: number): AssertionKind | undefined {
  const named = letter === "b" ? scanner.takeMatch(/\{[A-Za-z-]+\}/y)?.[0] : undefined;
  const assertion = assertions.get(letter + (named ?? ""));
  if (assertion !== undefined || named === undefined) return assertion;
  throw scanner.error(
    `unknown word boundary \\b${named}`,
    "Use \\b{start}, \\b{end}, \\b{start-half} or \\b{end-half}.",
    start,
  );
}

/** Parses `\x7F`, `\u00e9`, `\U0001F600`, or any of them with braces. */
function parseHexadecimal(scanner: Scanner, letter: string, start: number): number {
  const digits = { x: 2, u: 4, U: 8 }[letter]!;
  const found = scanner.takeMatch(/\{\s*([0-9A-Fa-f\s]+)\s*\}|([0-9A-Fa-f]+)/y);
  const text = found?.[1] ?? found?.[2]?.slice(0, digits);
  if (found?.[2] !== undefined) scanner.index -= found[2].length - text!.length;
  const code = Number.parseInt(text ?? "", 16);
  const complete = found?.[1] !== undefined || text?.length === digits;
  if (!complete || !(code <= 0x10ffff) || (code >= 0xd800 && code <= 0xdfff)) {
    throw scanner.error("invalid character number", `Write \\x7F or \\x{1F600}.`, start);
  }
  if (!scanner.flags.u && code > 0x7f) scanner.untranslatable = "a byte that is not a character";
  return code;
}

/** Parses one letter, `{Greek}`, `{sc=Greek}` or `{gc!=Lu}` after `\p` or `\P`. */
function parseProperty(scanner: Scanner, start: number): Extract<ClassSet, { kind: "property" }> {
  const found = scanner.takeMatch(/\{([^{}=!:]*)(!?[=:])?([^{}]*)\}|[^{]/uy);
  if (found === undefined) {
    throw scanner.error("expected a property", "Write \\pL, \\p{Lu} or \\p{Greek}.", start);
  }
  const [text, first, operator, second] = found;
  const source = propertyInJavaScript(first ?? text, operator, second);
  const written = scanner.pattern.slice(start, scanner.index);
  // Rust accepts more spellings of property names. Only ripgrep knows whether this property exists.
  if (source === undefined) scanner.untranslatable = `the property ${written}`;
  if (!scanner.flags.u) scanner.untranslatable = `${written} without Unicode`;
  const negated = (written[1] === "P") !== (operator?.startsWith("!") === true);
  return { kind: "property", source: source ?? "Any", negated };
}

const keys: ReadonlyMap<string, string> = new Map([
  ["gc", "gc="],
  ["generalcategory", "gc="],
  ["sc", "sc="],
  ["script", "sc="],
  ["scx", "scx="],
  ["scriptextensions", "scx="],
]);

/** Returns the property as JavaScript spells it: the name as written, or in the usual spelling (Old_Italic). */
function propertyInJavaScript(first: string, operator?: string, second = ""): string | undefined {
  const key = operator === undefined ? "" : keys.get(first.toLowerCase().replace(/[\s_-]/g, ""));
  if (key === undefined) return undefined;
  const name = (operator === undefined ? first : second).trim();
  const words = name.split(/[\s_-]+/);
  const titled = words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1).toLowerCase()).join("_");
  const spellings = [key + name, key + titled, ...(key === "" ? [`sc=${name}`, `sc=${titled}`] : [])];
  return spellings.find(isProperty);
}

function isProperty(source: string): boolean {
  try {
    new RegExp(`\\p{${source}}`, "u");
    return /^[\w=]+$/.test(source);
  } catch {
    return false;
  }
}
