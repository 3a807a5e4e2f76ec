import { matchSegment } from "../../lib/glob/glob-segment.ts";
import type { Word } from "../commands/analysis.ts";
import type { SpelledPattern } from "./run-rule.ts";

/** "maybe": only when the shell has filled in what is not known yet. */
export type Match = "no" | "maybe" | "yes";

/** `-rf` is there when both letters are, in whatever cluster; a long option also when it is cut short or has a value. */
export function matchOption(pattern: SpelledPattern, words: readonly Word[]): Match {
  const values = words.flatMap(({ value, parts }) => {
    const start = value ?? (typeof parts[0] === "string" ? parts[0] : undefined);
    return start !== undefined && /^-./.test(start) ? [start] : [];
  });
  if (hasOption(pattern, values, words)) return "yes";
  const isOpen = (word: Word) => word.value === undefined && beginsOption(word) !== "no";
  return words.some(isOpen) ? "maybe" : "no";
}

function hasOption(pattern: SpelledPattern, values: readonly string[], words: readonly Word[]): boolean {
  if (values.some((value) => isText(pattern, value))) return true;
  const [, letters] = /^-([^-=*]{1,4})$/.exec(pattern.text) ?? [];
  if (letters !== undefined) return [...letters].every((letter) => hasLetter(letter, values));
  const [, name, value] = /^--([^=*]+)(?:=(.*))?$/s.exec(pattern.text) ?? [];
  if (name === undefined) return false;
  if (value === undefined) return values.some((given) => isLong(given, name)) || hasShort(name, values);
  return words.some((word, place) => word.value === `--${name}` && words[place + 1]?.value === value);
}

function hasLetter(letter: string, values: readonly string[]): boolean {
  const letters = /[rR]/.test(letter) ? ["r", "R"] : [letter];
  const names = Object.keys(sameOptions).filter((name) => sameOptions[name]!.includes(letter));
  return values.some(
    (value) =>
      (/^-[^-]/.test(value) && letters.some((one) => value.includes(one))) ||
      names.some((name) => isLong(value, name)),
  );
}

function hasShort(name: string, values: readonly string[]): boolean {
  const short = Object.hasOwn(sameOptions, name) ? sameOptions[name]! : "";
  return values.some((value) => /^-[^-]/.test(value) && [...short].some((letter) => value.includes(letter)));
}

/** Most programs take any beginning of a long name. */
function isLong(value: string, name: string): boolean {
  const [given = ""] = value.split("=");
  return given === `--${name}` || (given.length > 2 && `--${name}`.startsWith(given));
}

/** Long options and the letters that mean the same in most programs that have them. */
const sameOptions: Readonly<Record<string, string>> = {
  all: "a",
  delete: "dD",
  force: "fD",
  global: "g",
  interactive: "i",
  "no-verify": "n",
  recursive: "rR",
  yes: "y",
};

/** Whether a word is an option, or may become one. */
export function beginsOption({ parts }: Word): Match {
  const [first] = parts;
  if (typeof first === "string")
    return /^-./.test(first) || (first === "-" && parts.length > 1) ? "yes" : "no";
  return first === undefined || first.unknown === "home" || first.unknown === "glob" ? "no" : "maybe";
}

/** Whether a known word is what the pattern says. */
export function isText(pattern: SpelledPattern, value: string): boolean {
  return pattern.kind === "literal" ? pattern.text === value : matchSegment(pattern.whole, value);
}
