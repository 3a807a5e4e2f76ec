import { linesSharingWords } from "../../edit/diagnose/near-misses.ts";
import type { Source } from "../../edit/source.ts";
import { type LikelyLocations, type TextLocation, winnersOf } from "./location.ts";
import { isSlip } from "./slips.ts";
import type { LineTable } from "./text-locations.ts";

/** Returns the lines most similar to a text. Lines that differ in meaning are listed but never win. */
export function similarLines(source: Source, lines: LineTable, text: string): LikelyLocations {
  const given = text
    .trimEnd()
    .replace(/^(?:[ \t]*\r?\n)+/, "")
    .split(/\r\n|\n|\r/);
  if (given.length > maxLines) return { winners: [], ranked: [] };
  const wanted = given.map(pairsOf);
  const most = Math.max(...wanted.map(({ count }) => count));
  const longest = wanted.findIndex(({ count }) => count === most);
  if (most < leastPairs) return { winners: [], ranked: [] };
  const found: TextLocation[] = [];
  for (const line of linesSharingWords(source, given[longest]!).keys()) {
    const first = line + 1 - longest;
    const last = first + wanted.length - 1;
    if (first < 1 || last > lines.count) continue;
    const score = meanLikeness(wanted, (index) => pairsOf(lines.text(first + index)));
    if (score < leastShown) continue;
    found.push({ way: "similar text", ...lines.span(first, last), score });
  }
  found.sort((one, other) => other.score - one.score || one.firstLine - other.firstLine);
  const ranked = found.filter(
    (candidate, index) => !found.slice(0, index).some((better) => overlap(better, candidate)),
  );
  const whole = source.text.utf8.toString();
  const winners = winnersOf(ranked, clearly).filter(({ start, end }) =>
    meansTheSame(text, whole.slice(start, end), whole),
  );
  return { winners, ranked };
}

const clearly = { least: 0.8, margin: 0.9 };

function overlap(one: TextLocation, other: TextLocation): boolean {
  return one.firstLine <= other.lastLine && other.firstLine <= one.lastLine;
}

const maxLines = 100;
const leastPairs = 8;
const leastShown = 0.5;

interface Pairs {
  readonly counts: ReadonlyMap<string, number>;
  readonly count: number;
}

function pairsOf(line: string): Pairs {
  const ink = line.replace(/\s+/g, "").slice(0, maxChars);
  const counts = new Map<string, number>();
  for (let at = 1; at < ink.length; at += 1) {
    const pair = ink.slice(at - 1, at + 1);
    counts.set(pair, (counts.get(pair) ?? 0) + 1);
  }
  return { counts, count: Math.max(0, ink.length - 1) };
}

const maxChars = 2_000;

function likeness(one: Pairs, other: Pairs): number {
  if (one.count + other.count === 0) return 1;
  let common = 0;
  for (const [pair, count] of one.counts) common += Math.min(count, other.counts.get(pair) ?? 0);
  return (2 * common) / (one.count + other.count);
}

function meanLikeness(wanted: readonly Pairs[], found: (index: number) => Pairs): number {
  let sum = 0;
  let weights = 0;
  for (const [index, pairs] of wanted.entries()) {
    const other = found(index);
    const weight = pairs.count + other.count + 1;
    sum += weight * likeness(pairs, other);
    weights += weight;
  }
  return sum / weights;
}

/** Returns whether texts differ only in punctuation and typing errors. A word of the file is not a typing error. */
function meansTheSame(wanted: string, found: string, file: string): boolean {
  const [one, other] = [wanted.match(signs) ?? [], found.match(signs) ?? []];
  return (
    one.length === other.length &&
    one.every((sign, index) => sign === other[index] || isSlip(sign, other[index]!, file, leastLetters))
  );
}

const signs = /[\p{L}\p{N}_$]+|&&|[-+*/%<>=!|^~?]/gu;

const leastLetters = 5;
