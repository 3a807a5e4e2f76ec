import type { SegmentReader } from "../storage/segment.ts";

/**
 * Three consecutive bytes of a text as seven-bit classes. Capitals count as small letters, and most control characters
 * as one class; bytes beyond ASCII use the remaining classes. Several bytes may share a class.
 */
export type Trigram = number;

export const trigramCount: number = 2 ** 21;

/** Classes that no ASCII byte uses: capitals, and control characters except NUL, tab and line ends. */
const spare = [
  ...Array.from({ length: 32 }, (_, code) => code).filter((code) => ![0, 9, 10, 13].includes(code)),
  ...Array.from({ length: 26 }, (_, letter) => 0x41 + letter),
  0x7f,
];

export const byteClasses: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) => classOf(byte));

function classOf(byte: number): number {
  if (byte >= 0x80) return spare[byte % spare.length]!;
  if (byte >= 0x41 && byte <= 0x5a) return byte + 0x20;
  if (byte === 0x7f || (byte < 32 && ![9, 10, 13].includes(byte))) return 0;
  return byte;
}

/** Returns a trigram as a term. Terms sort like the numbers. */
export function trigramTerm(trigram: Trigram, term: Uint8Array = new Uint8Array(3)): Uint8Array {
  term[0] = trigram >> 14;
  term[1] = (trigram >> 7) & 0x7f;
  term[2] = trigram & 0x7f;
  return term;
}

/** A condition for texts that can match; "all" if nothing is known. */
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

export function some(queries: readonly TrigramQuery[]): TrigramQuery {
  const conditions = queries.filter((query) => query !== "all");
  if (conditions.length < queries.length) return "all";
  const parts = unlike(conditions);
  return parts.length > 1 ? { some: parts } : (parts[0] ?? "all");
}

function unlike(conditions: readonly Condition[]): readonly Condition[] {
  return [...new Map(conditions.map((condition) => [JSON.stringify(condition), condition])).values()];
}

/** Returns the condition with its rarest parts first, so that most segments need no other part. */
export function rarestFirst(query: Condition, countOf: (trigram: Trigram) => number): Condition {
  const most = (condition: Condition): number => {
    if ("trigram" in condition) return countOf(condition.trigram);
    if ("some" in condition) return condition.some.reduce((sum, part) => sum + most(part), 0);
    return Math.min(...condition.every.map(most));
  };
  if ("trigram" in query) return query;
  if ("some" in query) return { some: query.some.map((part) => rarestFirst(part, countOf)) };
  const parts = query.every.map((part) => ({ part: rarestFirst(part, countOf), count: most(part) }));
  parts.sort((one, other) => one.count - other.count);
  return { every: parts.map(({ part }) => part) };
}

type Documents = Pick<SegmentReader, "postings" | "among">;

/** Returns the documents that fulfil a condition, in ascending order. */
export function documentsFor(query: Condition, segment: Documents): Uint32Array {
  if ("trigram" in query) return segment.postings(trigramTerm(query.trigram))?.documents ?? none;
  if ("some" in query) return query.some.map((part) => documentsFor(part, segment)).reduce(union);
  const [first, ...others] = query.every;
  return others.reduce((found, part) => among(found, part, segment), documentsFor(first!, segment));
}

function among(found: Uint32Array, query: Condition, segment: Documents): Uint32Array {
  if (found.length === 0) return found;
  if ("trigram" in query) return segment.among(found, trigramTerm(query.trigram));
  if ("some" in query) return query.some.map((part) => among(found, part, segment)).reduce(union);
  return query.every.reduce((rest, part) => among(rest, part, segment), found);
}

const none = new Uint32Array(0);

function union(one: Uint32Array, other: Uint32Array): Uint32Array {
  if (one.length === 0) return other;
  return Uint32Array.from(new Set([...one, ...other])).sort();
}
