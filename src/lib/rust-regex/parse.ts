import { parseClass, parseEscape } from "./parse-class.ts";
import { type ClassSet, escapeHint, type Flags, type Node, Scanner } from "./syntax.ts";

export interface ParsedRegex {
  readonly node: Node;
  /** A part of the pattern that JavaScript cannot express. */
  readonly untranslatable: string | undefined;
}

/** Parses the regex syntax of Rust, which is ripgrep's. Throws `invalid-input` with the position of the error. */
export function parseRegex(pattern: string, options: { readonly ignoreCase: boolean }): ParsedRegex {
  const flags = { i: options.ignoreCase, m: true, s: false, u: true, x: false, U: false };
  const scanner = new Scanner(pattern, flags);
  const node = parseAlternation(scanner, 0);
  if (scanner.looksAt(")")) throw scanner.error("unopened group", escapeHint(")"));
  return { node, untranslatable: scanner.untranslatable };
}

const maxDepth = 250;

/** Parses to the end of the pattern or the ")" of the group. Flags that are set inside apply up to there. */
function parseAlternation(scanner: Scanner, depth: number): Node {
  const outer = scanner.flags;
  const branches: Node[] = [];
  do branches.push(parseConcatenation(scanner, depth));
  while (scanner.take("|"));
  scanner.flags = outer;
  return branches.length === 1 ? branches[0]! : { kind: "alternation", nodes: branches };
}

function parseConcatenation(scanner: Scanner, depth: number): Node {
  const nodes: Node[] = [];
  let repeatable = false;
  for (;;) {
    scanner.skipBlanks();
    if (scanner.atEnd || scanner.looksAt("|") || scanner.looksAt(")")) break;
    if (/[*+?{]/.test(scanner.pattern[scanner.index]!)) {
      if (!repeatable) throw scanner.error("nothing to repeat", escapeHint(scanner.pattern[scanner.index]!));
      nodes.push(parseRepetition(scanner, nodes.pop()!));
      continue;
    }
    const node = parseAtom(scanner, depth);
    // A group that only sets flags is not an atom and cannot be repeated.
    repeatable = node !== undefined;
    if (node !== undefined) nodes.push(node);
  }
  if (nodes.length === 0) return { kind: "empty" };
  return nodes.length === 1 ? nodes[0]! : { kind: "concatenation", nodes };
}

function parseAtom(scanner: Scanner, depth: number): Node | undefined {
  const { flags } = scanner;
  if (flags.i && !flags.u) scanner.untranslatable = "(?i-u) ignores case only in ASCII";
  if (scanner.looksAt("(")) return parseGroup(scanner, depth + 1);
  if (scanner.looksAt("[")) return classNode(parseClass(scanner), flags.i);
  if (scanner.looksAt("\\")) {
    const escaped = parseEscape(scanner);
    if (escaped.kind === "assertion" || escaped.kind === "literal") return escaped;
    return classNode(escaped, flags.i);
  }
  if (scanner.take(".")) {
    if (!flags.u) scanner.untranslatable = "(?-u:.) matches single bytes";
    return { kind: "dot", newlines: flags.s };
  }
  if (scanner.take("^"))
    return { kind: "assertion", at: flags.m ? "line-start" : "text-start", unicode: true };
  if (scanner.take("$")) return { kind: "assertion", at: flags.m ? "line-end" : "text-end", unicode: true };
  return { kind: "literal", code: scanner.next(), ignoreCase: flags.i };
}

/** Replaces a class of one character by that character, as Rust does. */
function classNode(set: ClassSet, ignoreCase: boolean): Node {
  const [only, ...others] = set.kind === "union" && !set.negated ? set.sets : [];
  if (only?.kind !== "range" || only.first !== only.last || others.length > 0)
    return { kind: "class", set, ignoreCase };
  return { kind: "literal", code: only.first, ignoreCase };
}

function parseGroup(scanner: Scanner, depth: number): Node | undefined {
  const open = scanner.index;
  const outer = scanner.flags;
  scanner.index += 1;
  if (depth > maxDepth) {
    throw scanner.error(`groups nest deeper than ${maxDepth} levels`, "Search for a simpler pattern.", open);
  }
  if (parseGroupStart(scanner, open) === "flags-only") return undefined;
  const node = parseAlternation(scanner, depth);
  scanner.flags = outer;
  if (scanner.take(")")) return node;
  throw unclosedGroup(scanner, open);
}

function unclosedGroup(scanner: Scanner, open: number): Error {
  scanner.index = open + 1;
  return scanner.error("unclosed group", escapeHint("("), open);
}

function parseRepetition(scanner: Scanner, node: Node): Node {
  const [min, max] = parseCount(scanner);
  const lazy = scanner.take("?");
  return { kind: "repetition", node, min, max, greedy: lazy === scanner.flags.U };
}

function parseCount(scanner: Scanner): [number, number] {
  if (scanner.take("*")) return [0, Number.POSITIVE_INFINITY];
  if (scanner.take("+")) return [1, Number.POSITIVE_INFINITY];
  if (scanner.take("?")) return [0, 1];
  const start = scanner.index;
  const found = scanner.takeMatch(/\{\s*(\d+)\s*(?:(,)\s*(\d+)?\s*)?\}/y);
  if (found === undefined) {
    scanner.index += 1;
    throw scanner.error("expected a number of repetitions", escapeHint("{"), start);
  }
  const min = Number(found[1]);
  const max =
    found[2] === undefined ? min : found[3] === undefined ? Number.POSITIVE_INFINITY : Number(found[3]);
  if (max < min) throw scanner.error("reversed repetition bounds", `Write {${max},${min}}.`, start);
  return [min, max];
}

/** Parses `?:`, `?<name>`, `?P<name>` or `?flags:` after "(". `?flags)` applies to the rest of the enclosing group. */
function parseGroupStart(scanner: Scanner, open: number): "group" | "flags-only" {
  scanner.skipBlanks();
  if (scanner.takeMatch(/\?(?:<?[=!]|>)/y)) {
    throw scanner.error(
      "look-around is not supported by ripgrep",
      "Search for a longer text and filter the matches; for whole words use \\b.",
      open,
    );
  }
  if (scanner.takeMatch(/\?P?</y)) {
    parseName(scanner, open);
    return "group";
  }
  if (!scanner.take("?")) return "group";
  scanner.flags = parseFlags(scanner, open);
  if (scanner.take(":")) return "group";
  scanner.index += 1;
  return "flags-only";
}

function parseName(scanner: Scanner, open: number): void {
  const start = scanner.index;
  const name = scanner.takeMatch(/([_\p{Alphabetic}][_.[\]\p{Alphabetic}\p{Nd}]*)>/uy)?.[1];
  if (name === undefined) {
    scanner.index = Math.min(start + 1, scanner.pattern.length);
    throw scanner.error(
      "invalid group name",
      "Write (?<name>…), with letters, digits and underscores.",
      open,
    );
  }
  if (scanner.names.has(name)) {
    throw scanner.error(`duplicate group name "${name}"`, "Rename one of the groups, or use (?:…).", open);
  }
  scanner.names.add(name);
}

function parseFlags(scanner: Scanner, open: number): Flags {
  const found: Record<string, boolean> = {};
  let value = true;
  let last = "";
  while (!scanner.looksAt(":") && !scanner.looksAt(")")) {
    if (scanner.atEnd) throw unclosedGroup(scanner, open);
    const start = scanner.index;
    last = String.fromCodePoint(scanner.next());
    if (last === "-" && value) {
      value = false;
    } else if ("imsuxUR".includes(last) && last !== "-" && found[last] === undefined) {
      found[last] = value;
    } else {
      throw scanner.error(`invalid flag "${last}"`, "Flags are i, m, s, x, u, U and R, each once.", start);
    }
  }
  if (last === "-" || (last === "" && scanner.looksAt(")"))) {
    throw scanner.error("expected flags", "Write (?i) or (?i:…); for a plain group (?:…).", open);
  }
  if (found.R !== undefined) scanner.untranslatable = "(?R) changes what a line end is";
  return { ...scanner.flags, ...found };
}
