import type { Postings } from "./segment-reader.ts";
import { type Trigram, trigramTerm } from "./trigrams.ts";

/** Which texts can match. "all": nothing is known. */
export type TrigramQuery = "all" | Condition;

type Condition =
  | { readonly trigram: Trigram }
  | { readonly every: readonly Condition[] }
  | { readonly some: readonly Condition[] };

export function every(queries: readonly TrigramQuery[]): TrigramQuery {
  const conditions = queries.filter((query) => query !== "all");
  const parts = unlike(conditions.flatMap((query) => ("every" in query ? query.every : [query])));
  return parts.length > 1 ? { every: parts } : (parts[0] ?? "all");
}

/** Of no query nothing is known either. */
export function some(queries: readonly TrigramQuery[]): TrigramQuery {
  const conditions = queries.filter((query) => query !== "all");
  if (conditions.length < queries.length) return "all";
  const parts = unlike(conditions);
  return parts.length > 1 ? { some: parts } : (parts[0] ?? "all");
}

function unlike(conditions: readonly Condition[]): readonly Condition[] {
  return [...new Map(conditions.map((condition) => [JSON.stringify(condition), condition])).values()];
}

/** The documents of a segment that can match, ascending. */
export function documentsFor(
  query: Condition,
  segment: { postings(term: Uint8Array): Postings | undefined },
): Uint32Array {
  if ("trigram" in query) return segment.postings(trigramTerm(query.trigram))?.documents ?? none;
  if ("some" in query) return query.some.map((part) => documentsFor(part, segment)).reduce(union);
  const [first, ...others] = query.every;
  let found = documentsFor(first!, segment);
  for (const part of others) {
    if (found.length === 0) return none;
    found = intersection(found, documentsFor(part, segment));
  }
  return found;
}

const none = new Uint32Array(0);

function intersection(one: Uint32Array, other: Uint32Array): Uint32Array {
  const both = new Uint32Array(Math.min(one.length, other.length));
  let count = 0;
  for (let left = 0, right = 0; left < one.length && right < other.length; ) {
    const difference = one[left]! - other[right]!;
    if (difference === 0) both[count++] = one[left]!;
    if (difference <= 0) left++;
    if (difference >= 0) right++;
  }
  return both.subarray(0, count);
}

function union(one: Uint32Array, other: Uint32Array): Uint32Array {
  if (one.length === 0) return other;
  return Uint32Array.from(new Set([...one, ...other])).sort();
}
