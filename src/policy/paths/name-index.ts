import { boundedMemo } from "../../lib/bounded-cache.ts";
import { matchSegment, type NamePattern, type Segment } from "../../lib/glob/glob-segment.ts";
import type { PathRule } from "../rules/rule.ts";
import { fold, literalText } from "./path-names.ts";

/**
 * Finds the rules that may match a path, by its names. Every segment of a pattern must match a name of the path, so each
 * pattern is indexed under one segment: a literal name, or three characters that every matching name contains. The search
 * takes time in proportion to the name, not to the number of rules.
 */
export class NameIndex {
  readonly #literals: ReadonlyMap<string, readonly number[]>;
  readonly #grams: ReadonlyMap<string, readonly IndexedSegment[]>;
  /** Marks the hashes of all grams, so that most names need no further look. */
  readonly #marks = new Uint8Array(markCount);
  readonly #others: readonly IndexedSegment[];
  readonly #ruleAt: (number: number) => PathRule;
  readonly find: (name: string) => readonly PathRule[];

  /** `ruleAt` returns the rules that were indexed, by their number. It is called only for rules that may match. */
  constructor({ literals, grams, others }: FiledRules, ruleAt: (number: number) => PathRule) {
    this.#literals = new Map(literals);
    this.#grams = new Map(grams);
    this.#others = others;
    this.#ruleAt = ruleAt;
    for (const [gram] of grams) this.#marks[hashOf(gram, 0)] = 1;
    this.find = boundedMemo(maxRemembered, (name) => this.#search(name));
  }

  #search(name: string): readonly PathRule[] {
    const found = (this.#literals.get(name) ?? []).map(this.#ruleAt);
    const add = ([number, pattern, fromEnd]: IndexedSegment) => {
      const rule = this.#ruleAt(number);
      // The pattern of the root directory is empty.
      const segment = rule.patterns[pattern]!.at(-fromEnd) ?? "**";
      if (segment === "**" || matchSegment(segment, name)) found.push(rule);
    };
    this.#others.forEach(add);
    for (let at = 0; at + gramLength <= name.length; at += 1)
      if (this.#marks[hashOf(name, at)] === 1) this.#grams.get(name.slice(at, at + gramLength))?.forEach(add);
    return found;
  }
}

/** Rules by number, indexed under the names that they need. Plain data, which the build computes for the built-in rules. */
export interface FiledRules {
  readonly literals: Entries<number>;
  readonly grams: Entries<IndexedSegment>;
  /** Patterns that have no such segment, such as `*.c` and `?x*`. */
  readonly others: readonly IndexedSegment[];
}

type Entries<Value> = readonly (readonly [string, readonly Value[]])[];

/** Counted from the end of the pattern, where it does not depend on the home and the workspace. */
type IndexedSegment = readonly [rule: number, pattern: number, fromEnd: number];

export function fileRules(rules: readonly Pick<PathRule, "patterns">[]): FiledRules {
  const literals = new Map<string, number[]>();
  const grams = new Map<string, IndexedSegment[]>();
  const others: IndexedSegment[] = [];
  const patterns = rules.flatMap((rule, number) =>
    rule.patterns.map((pattern, index) => ({ number, index, pattern, literals: literalsIn(pattern) })),
  );
  const literalCounts = countAll(patterns.map((each) => each.literals));
  const wild: WildPattern[] = [];
  for (const each of patterns) {
    const literal = rarest(each.literals, literalCounts);
    if (literal === undefined || literalCounts.get(literal)! > fewRules)
      wild.push({ ...each, literal, grams: each.pattern.flatMap(gramsIn) });
    else put(literals, literal, each.number);
  }
  const gramCounts = countAll(wild.map((each) => each.grams));
  for (const { number, index, pattern, literal, grams: known } of wild) {
    const indexed = (segment: Segment): IndexedSegment => [
      number,
      index,
      pattern.length - pattern.lastIndexOf(segment),
    ];
    const gram = rarest(known, gramCounts);
    if (literal !== undefined && (gram === undefined || literalCounts.get(literal)! <= gramCounts.get(gram)!))
      put(literals, literal, number);
    else if (gram !== undefined)
      put(grams, gram, indexed(pattern.find((one) => gramsIn(one).includes(gram))!));
    else others.push(indexed(pattern.findLast((one) => one !== "**") ?? "**"));
  }
  return { literals: [...literals], grams: [...grams], others };
}

interface WildPattern {
  readonly number: number;
  readonly index: number;
  readonly pattern: readonly Segment[];
  /** The rarest of the literal names. */
  readonly literal: string | undefined;
  readonly grams: readonly string[];
}

type Counts = ReadonlyMap<string, number>;

const gramLength = 3;
const markCount = 1 << 13;
export const maxRemembered = 4096;

/** Up to this many rules are cheap to compare one by one. */
const fewRules = 8;

function hashOf(text: string, at: number): number {
  const [first, second, third] = [text.charCodeAt(at), text.charCodeAt(at + 1), text.charCodeAt(at + 2)];
  return (Math.imul(Math.imul(first, 31) + second, 31) + third) & (markCount - 1);
}

function literalsIn(pattern: readonly Segment[]): readonly string[] {
  return pattern.flatMap((segment) => {
    const text = literalText(segment);
    return text === undefined ? [] : [fold(text)];
  });
}

/** Returns the texts of three characters that are part of every name which a segment with wildcards matches. */
function gramsIn(segment: Segment): readonly string[] {
  if (segment === "**" || segment.shape.kind === "literal") return [];
  return fixedTexts(segment).flatMap((text) =>
    Array.from({ length: Math.max(0, text.length - gramLength + 1) }, (_, at) =>
      text.slice(at, at + gramLength),
    ),
  );
}

function fixedTexts({ shape, tokens }: NamePattern): readonly string[] {
  if ("text" in shape) return [shape.text];
  const texts = [""];
  for (const token of tokens) {
    if (typeof token === "string" || !("code" in token)) texts.push("");
    else texts.push(texts.pop()! + String.fromCodePoint(token.code));
  }
  return texts;
}

/** Counts in how many patterns a text occurs. */
function countAll(texts: readonly (readonly string[])[]): Counts {
  const counts = new Map<string, number>();
  for (const ofPattern of texts)
    for (const text of new Set(ofPattern)) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

/** Returns the text that occurs in the fewest patterns, of several the last one. */
function rarest(texts: readonly string[], counts: Counts): string | undefined {
  return texts.reduce<string | undefined>(
    (best, text) => (best !== undefined && counts.get(best)! < counts.get(text)! ? best : text),
    undefined,
  );
}

function put<Value>(map: Map<string, Value[]>, key: string, value: Value): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else if (!list.includes(value)) list.push(value);
}
