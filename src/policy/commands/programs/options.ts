import type { ToolRisk } from "../../../contract/access.ts";
import { boundedMemo } from "../../../lib/bounded-cache.ts";
import { splits, type Word, wordAt } from "../analysis.ts";

/** How an option's value is used, or the effect of the option itself. */
type OptionMeaning = "text" | "read" | "write" | "delete" | "network" | "run" | "command";

export interface FoundOption {
  readonly name: string;
  readonly meaning: OptionMeaning | "flag";
  readonly value: Word | undefined;
  readonly word: Word;
}

export interface ScannedWords {
  readonly options: readonly FoundOption[];
  /** Returns whether an option with such a name was found. */
  has(name: RegExp): boolean;
  readonly operands: readonly Word[];
  /** Options that the table does not list, in a program with harmful options. */
  readonly unlisted: readonly Word[];
  /** Words that the shell may turn into options of such a program. */
  readonly unclear: readonly Word[];
  /** The highest risk of any listed option. */
  readonly worst: ToolRisk;
}

/**
 * Sorts the words after a program's name by a list of its options, written like `"n r k=text o=write i!write
 * --output=write"`: `k=text` takes a value, `i!write` has an effect itself, `i?text` may have a value attached, `#` is
 * any digit. With `*` all other options are harmless; without it they are `unlisted`. With `first` all words after the
 * first operand are operands.
 */
export function scanWords(
  list: string,
  words: readonly Word[],
  operandsStart: "first" | "any",
): ScannedWords {
  const known = compile(list);
  const found = { options: [], operands: [], unlisted: [], unclear: [] } as Mutable;
  let index = 0;
  const next = (): Word | undefined => {
    const value = words[++index];
    if (value !== undefined && splits(value)) found.unclear.push(value);
    return value;
  };
  for (; index < words.length; index++) {
    const word = words[index]!;
    if (word.value === "--") {
      found.operands.push(...words.slice(index + 1));
      break;
    }
    const start = word.parts[0];
    if (typeof start === "string" && start.startsWith("--"))
      scanLong(word, start, known, found, { next, following: words[index + 1] });
    else if (typeof start === "string" && start.startsWith("-") && word.value !== "-")
      scanShort(word, start, known, found, next);
    else {
      if (mayBeOption(start)) found.unclear.push(word);
      if (operandsStart === "first") {
        found.operands.push(...words.slice(index));
        break;
      }
      found.operands.push(word);
    }
  }
  const has = (pattern: RegExp) => found.options.some(({ name }) => pattern.test(name));
  return { ...found, has, unclear: known.worst === "read" ? [] : found.unclear, worst: known.worst };
}

/** Returns whether a word may be an option: every expansion but a home directory may begin with a dash. */
function mayBeOption(start: Word["parts"][number] | undefined): boolean {
  return typeof start === "object" && start.unknown !== "home" && start.unknown !== "file descriptor";
}

interface Mutable {
  readonly options: FoundOption[];
  readonly operands: Word[];
  readonly unlisted: Word[];
  readonly unclear: Word[];
}

interface KnownOption {
  readonly meaning: OptionMeaning | "flag";
  readonly takes: "nothing" | "value" | "attached value";
}

interface KnownOptions {
  readonly named: ReadonlyMap<string, KnownOption>;
  readonly open: boolean;
  readonly worst: ToolRisk;
}

const worstFirst: readonly (readonly [OptionMeaning, ToolRisk])[] = [
  ["delete", "destructive"],
  ["network", "network"],
  ["run", "execute"],
  ["command", "execute"],
  ["write", "write"],
];

const compile = boundedMemo(Infinity, (list: string): KnownOptions => {
  const named = new Map<string, KnownOption>();
  for (const item of list.split(" ")) {
    const [, name = "", sign, meaning] = /^(-?-?[^=!?]+)(?:([=!?])(\w+))?$/.exec(item) ?? [];
    const takes = sign === "=" ? "value" : sign === "?" ? "attached value" : "nothing";
    named.set(name, { meaning: (meaning as OptionMeaning | undefined) ?? "flag", takes });
  }
  const open = named.delete("*");
  const meanings = new Set([...named.values()].map(({ meaning }) => meaning));
  const worst = worstFirst.find(([meaning]) => meanings.has(meaning))?.[1] ?? "read";
  return { named, open, worst: open ? worst : "execute" };
});

type Next = () => Word | undefined;

function scanLong(
  word: Word,
  start: string,
  known: KnownOptions,
  found: Mutable,
  { next, following }: { readonly next: Next; readonly following: Word | undefined },
): void {
  const equals = start.indexOf("=");
  const written = equals < 0 ? start : start.slice(0, equals);
  if (equals < 0 && word.value === undefined) return void found.unclear.push(word);
  const attached = equals < 0 ? undefined : wordAt(word, [start.slice(equals + 1), ...word.parts.slice(1)]);
  const option = known.named.get(written);
  if (option !== undefined) {
    const value = attached ?? (option.takes === "value" ? next() : undefined);
    return void found.options.push({ name: written, meaning: option.meaning, value, word });
  }
  if (!known.open) return void found.unlisted.push(word);
  for (const [name, { meaning, takes }] of known.named) {
    // Many programs accept any beginning of a long name, so it counts as each possible option.
    if (!name.startsWith(written)) continue;
    // The next word may be the value of an unlisted option or an operand, so it counts as both.
    const value = attached ?? (takes === "value" ? following : undefined);
    found.options.push({ name, meaning, value, word });
  }
}

function scanShort(word: Word, start: string, known: KnownOptions, found: Mutable, next: Next): void {
  for (let index = 1; index < start.length; index++) {
    const letter = start[index]!;
    const option = known.named.get(/\d/.test(letter) && known.named.has("#") ? "#" : letter);
    if (option === undefined) {
      if (known.open) continue;
      return void found.unlisted.push(word);
    }
    const rest = wordAt(word, [start.slice(index + 1), ...word.parts.slice(1)]);
    const takes = option.takes !== "nothing";
    const attached = takes && rest.value !== "" ? rest : undefined;
    const value = attached ?? (option.takes === "value" ? next() : undefined);
    found.options.push({ name: `-${letter}`, meaning: option.meaning, value, word });
    if (takes) return;
  }
  if (word.value === undefined) found.unclear.push(word);
}
