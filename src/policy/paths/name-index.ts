import { boundedMemo } from "../../lib/bounded-cache.ts";
import { matchSegment, type NamePattern, type Segment } from "../../lib/glob/glob-segment.ts";
import type { PathRule } from "../rules/rule.ts";
import { fold, literalText } from "./path-names.ts";

/**
 * Finds the rules that may match a path, by its names. Every segment of a pattern must match a name of the path, so each
 * pattern is filed under one segment: a literal name, or three characters that every matching name contains. The search
 * takes time in proportion to the name, not to the number of rules.
 */
export class NameIndex {
  readonly #literals = new Map<string, PathRule[]>();
  readonly #grams = new Map<string, Filed[]>();
  /** Marks the hashes of all grams, so that most names need no further look. */
  readonly #marks = new Uint8Array(markCount);
  /** Rules with patterns that have no such segment, such as `*.c` and `?x*`. */
  readonly #others: Filed[] = [];
  readonly find: (name: string) => readonly PathRule[];

  constructor(rules: readonly PathRule[]) {
    const patterns = rules.flatMap((rule) =>
      rule.patterns.map((pattern) => ({ rule, pattern, literals: literalsIn(pattern) })),
    );
    const literalCounts = countAll(patterns.map(({ literals }) => literals));
    const wild = patterns.flatMap(({ rule, pattern, literals }) => {
      const literal = rarest(literals, literalCounts);
      if (literal === undefined || literalCounts.get(literal)! > fewRules)
        return [{ rule, pattern, literal, grams: pattern.flatMap(gramsIn) }];
      put(this.#literals, literal, rule);
      return [];
    });
    const gramCounts = countAll(wild.map(({ grams }) => grams));
    for (const each of wild) this.#file(each, literalCounts, gramCounts);
    this.find = boundedMemo(maxRemembered, (name) => this.#search(name));
  }

  #file({ rule, pattern, literal, grams }: WildPattern, literalCounts: Counts, gramCounts: Counts): void {
    const gram = rarest(grams, gramCounts);
    if (literal !== undefined && (gram === undefined || literalCounts.get(literal)! <= gramCounts.get(gram)!))
      put(this.#literals, literal, rule);
    else if (gram !== undefined) {
      const segment = pattern.find((one) => gramsIn(one).includes(gram))!;
      put(this.#grams, gram, { rule, segment });
      this.#marks[hashOf(gram, 0)] = 1;
    } else this.#others.push({ rule, segment: pattern.findLast((one) => one !== "**") ?? "**" });
  }

  #search(name: string): readonly PathRule[] {
    const found: PathRule[] = [...(this.#literals.get(name) ?? [])];
    const add = ({ rule, segment }: Filed) => {
      if (segment === "**" || matchSegment(segment, name)) found.push(rule);
    };
    this.#others.forEach(add);
    for (let at = 0; at + gramLength <= name.length; at += 1)
      if (this.#marks[hashOf(name, at)] === 1) this.#grams.get(name.slice(at, at + gramLength))?.forEach(add);
    return found;
  }
}

interface WildPattern {
  readonly rule: PathRule;
  readonly pattern: readonly Segment[];
  /** The rarest of the literal names. */
  readonly literal: string | undefined;
  readonly grams: readonly string[];
}

interface Filed {
  readonly rule: PathRule;
  readonly segment: Segment;
}

type Counts = ReadonlyMap<string, number>;

const gramLength = 3;
const markCount = 1 << 13;
const maxRemembered = 4096;

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
