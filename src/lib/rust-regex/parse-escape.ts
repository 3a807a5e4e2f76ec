import { parseProperty } from "./parse-property.ts";
import { escapeHint, type Scanner } from "./scanner.ts";
import type { ClassSet, Node, Place } from "./syntax.ts";

type Escape =
  | Extract<Node, { kind: "assertion" | "literal" }>
  | Extract<ClassSet, { kind: "perl" | "property" }>;

/** Reads from a backslash on. */
export function parseEscape(scanner: Scanner): Escape {
  const start = scanner.index;
  const { i: ignoreCase, u: unicode } = scanner.flags;
  scanner.index += 1;
  if (scanner.atEnd) throw scanner.error("a backslash at the end escapes nothing", escapeHint("\\"), start);
  const letter = String.fromCodePoint(scanner.next());

  if (/[0-9]/.test(letter)) {
    throw scanner.error(
      "back-references are not supported by ripgrep",
      "Search for the repeated text itself.",
      start,
    );
  }
  if (letter === "p" || letter === "P") return parseProperty(scanner, start);
  if ("xuU".includes(letter))
    return { kind: "literal", code: parseHexadecimal(scanner, letter, start), ignoreCase };
  if (/[dswDSW]/.test(letter)) {
    const negated = letter < "a";
    if (negated && !unicode) scanner.untranslatable = `(?-u:\\${letter}) matches single bytes`;
    return { kind: "perl", name: letter.toLowerCase() as "d" | "s" | "w", negated, unicode };
  }
  const place = placeOf(scanner, letter, start);
  if (place !== undefined) return { kind: "assertion", at: place, unicode };
  const code =
    controls.get(letter) ?? (/[!-/:;=?@[-`{-~\s]/.test(letter) ? letter.codePointAt(0) : undefined);
  if (code === undefined) throw unknownEscape(scanner, letter, start);
  return { kind: "literal", code, ignoreCase };
}

const controls: ReadonlyMap<string, number> = new Map([
  ["a", 0x07],
  ["t", 0x09],
  ["n", 0x0a],
  ["v", 0x0b],
  ["f", 0x0c],
  ["r", 0x0d],
]);

const places: ReadonlyMap<string, Place> = new Map([
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

function placeOf(scanner: Scanner, letter: string, start: number): Place | undefined {
  const named = letter === "b" ? scanner.takeMatch(/\{[A-Za-z-]+\}/y)?.[0] : undefined;
  const place = places.get(letter + (named ?? ""));
  if (place !== undefined || named === undefined) return place;
  throw scanner.error(
    `\\b${named} is no word boundary`,
    "There are \\b{start}, \\b{end} and their -half forms.",
    start,
  );
}

/** `\x7F`, `\u00e9`, `\U0001F600`, or any of them with braces. */
function parseHexadecimal(scanner: Scanner, letter: string, start: number): number {
  const digits = { x: 2, u: 4, U: 8 }[letter]!;
  const found = scanner.takeMatch(/\{\s*([0-9A-Fa-f\s]+)\s*\}|([0-9A-Fa-f]+)/y);
  const text = found?.[1] ?? found?.[2]?.slice(0, digits);
  if (found?.[2] !== undefined) scanner.index -= found[2].length - text!.length;
  const code = Number.parseInt(text ?? "", 16);
  const complete = found?.[1] !== undefined || text?.length === digits;
  if (!complete || !(code <= 0x10ffff) || (code >= 0xd800 && code <= 0xdfff)) {
    throw scanner.error("this is no character number", `Write \\x7F or \\x{1F600}.`, start);
  }
  if (!scanner.flags.u && code > 0x7f) scanner.untranslatable = "a byte that is no character";
  return code;
}

function unknownEscape(scanner: Scanner, letter: string, start: number): Error {
  const hint = /[Zz]/.test(letter) ? "The end of the text is \\z, the end of a line $." : escapeHint("\\");
  return scanner.error(`\\${letter} means nothing to ripgrep`, hint, start);
}
