import type { Postings } from "./segment-reader.ts";
import { type Trigram, trigramTerm } from "./trigrams.ts";

/** Which texts can match. "all": nothing is known. */
export type TrigramQuery =
  | "all"
  | { readonly trigram: Trigram }
  | { readonly every: readonly TrigramQuery[] }
  | { readonly some: readonly TrigramQuery[] };

export function every(queries: readonly TrigramQuery[]): TrigramQuery {
  const parts = new Map<string, TrigramQuery>();
  for (const query of queries) {
    if (query === "all") continue;
    for (const part of "every" in query ? query.every : [query]) parts.set(JSON.stringify(part), part);
  }
  const [first, ...others] = parts.values();
  return first === undefined ? "all" : others.length === 0 ? first : { every: [first, ...others] };
}

/** Of no query nothing is known either. */
export function some(queries: readonly TrigramQuery[]): TrigramQuery {
  if (queries.length === 0 || queries.includes("all")) return "all";
  const different = [...new Map(queries.map((query) => [JSON.stringify(query), query])).values()];
  return different.length === 1 ? different[0]! : { some: different };
}

/** The documents of a segment that can match, ascending. */
export function documentsFor(
  query: TrigramQuery,
  segment: { postings(term: Uint8Array): Postings | undefined },
): Uint32Array | "all" {
  if (query === "all") return "all";
  if ("trigram" in query) return segment.postings(trigramTerm(query.trigram))?.documents ?? none;
  if ("some" in query) {
    let found: Uint32Array = none;
    for (const part of query.some) {
      const documents = documentsFor(part, segment);
      if (documents === "all") return "all";
      found = union(found, documents);
    }
    return found;
  }
  let found: Uint32Array | "all" = "all";
  for (const part of query.every) {
    const documents = documentsFor(part, segment);
    if (documents !== "all") found = found === "all" ? documents : intersection(found, documents);
    if (found.length === 0) return none;
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
