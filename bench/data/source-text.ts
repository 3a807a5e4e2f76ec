import type { Random } from "./random.ts";

/** Occurs in every few lines. */
export const commonWord = "return";
/** Occurs only where a data set puts it. */
export const rareWord = "quixoticLedger";
/** Occurs nowhere. */
export const absentWord = "zyzzyvaNowhere";

export const words: readonly string[] = (
  "account action adapter address batch branch buffer cache channel client cluster column command commit config " +
  "context counter cursor customer decoder delivery device document driver editor element encoder engine entry error " +
  "event factory feature field filter folder format gateway group handler header history identity import index input " +
  "inventory invoice item journal kernel label layer ledger limit listener loader logger manifest mapper margin marker " +
  "matrix member merge message method metric middleware model module monitor network node notice number object offset " +
  "option order output owner package packet page parser partner patch path payload payment peer pipeline player plugin " +
  "pointer policy pool price printer process product profile project promise prompt proxy query queue range reader " +
  "record region registry release render report request reserve resource response result role route router rule sample " +
  "schedule schema scope screen section segment sender sequence server service session setting shard signal site slice " +
  "socket source stage state status step storage stream string supplier switch symbol system table target task template " +
  "tenant theme thread ticket timer token topic trace track transfer tree trigger unit update user vendor version view " +
  "visitor volume waiter warehouse watcher widget window worker writer zone"
).split(" ");

/** Text that looks like a program. Every file gets a part of it. */
export class SourceText {
  readonly #text: string;
  /** The offsets of its lines. */
  readonly #starts: readonly number[];

  constructor(random: Random) {
    const lines = Array.from({ length: 20_000 }, () => `${writeLine(random)}\n`);
    const starts: number[] = [];
    let offset = 0;
    for (const line of lines) {
      starts.push(offset);
      offset += line.length;
    }
    this.#text = lines.join("");
    this.#starts = starts;
  }

  /** Returns whole lines of about this many bytes. */
  take(random: Random, bytes: number): string {
    const start = random.pick(this.#starts);
    const end = this.#text.indexOf("\n", start + bytes);
    if (end !== -1) return this.#text.slice(start, end + 1);
    return this.#text.slice(start) + this.#text.slice(0, this.#text.indexOf("\n", bytes) + 1);
  }
}

function writeLine(random: Random): string {
  const indent = "  ".repeat(random.below(4));
  const [one, two, three] = [random.pick(words), random.pick(words), random.pick(words)];
  const capital = two[0]!.toUpperCase() + two.slice(1);
  switch (random.below(9)) {
    case 0:
      return "";
    case 1:
      return `${indent}// The ${one} of a ${two} is known once the ${three} has been read.`;
    case 2:
      return `${indent}return ${one}${capital}(${three}, { ${two}: ${random.below(1000)} });`;
    case 3:
      return `${indent}if (${one}.${two} === undefined) throw new Error("no ${three}");`;
    case 4:
      return `${indent}export function ${one}${capital}(${three}: string, ${two}: number): boolean {`;
    case 5:
      return `import { ${one}${capital} } from "../${three}/${two}.js";`;
    case 6:
      return `${indent}}`;
    default:
      return `${indent}const ${one}${capital} = await ${three}.${two}(${one}, "${two}-${random.below(9999)}");`;
  }
}
