import { type IndexQuery, symbolKinds } from "../../contract/code.ts";
import { type FileRole, fileRoles } from "../../lib/file-roles.ts";
import { getOrMake } from "../get-or-make.ts";
import { filterFiles } from "../index/query/path-filter.ts";
import type { FileDocuments, WordFile, WordIndex } from "../index/query/word-index.ts";
import type { FoundTerm, Postings } from "../index/storage/segment.ts";
import { likelyNameWords } from "./name-words.ts";
import type { Piece } from "./pieces.ts";
import { readQuery, type SearchQuery } from "./query.ts";

export interface Ranked {
  readonly segment: number;
  readonly document: number;
  readonly file: WordFile;
  readonly score: number;
  /** Set when the words of the query did not find it. */
  readonly isByMeaning?: true;
}

/** Compares the pieces of a file with a query by meaning. NaN stands for a piece that cannot be compared. */
export type Comparison = (file: WordFile, pieces: number) => Float32Array | undefined;

/** Returns the best matching pieces, best first: those with the words of the query, and those of similar meaning. */
export function rank(index: WordIndex, query: IndexQuery, compare?: Comparison): Ranked[] {
  const byWords = rankByWords(index, query);
  const all = compare === undefined ? byWords : fuse(byWords, rankByMeaning(index, query, compare));
  return ofMoreFiles(withoutCrowding(all), query.limit);
}

/** A term counts more in fewer pieces, and by its weight in the piece. */
function rankByWords(index: WordIndex, query: IndexQuery): readonly Ranked[] {
  const asked = readQuery(query.words);
  const scores = new Scores(index.segments, asked);
  const isAskedFor = filterFiles(query);
  const kinds = kindsOf(query);
  const best = new Best(query.limit * (1 + spare));
  index.segments.forEach((words, segment) => {
    const { documents, fileOf, kindOf } = words;
    const pieces = scores.ofPieces(segment);
    const { files } = scores;
    for (let document = 0; document < documents; document += 1) {
      if (pieces[document] === 0 || (kinds && !kinds.has(kindOf[document]!))) continue;
      const most = pieces[document]! + fileWeight * files[fileOf[document]!]!;
      if (most <= best.least) continue;
      const file = index.file(fileOf[document]!);
      if (!file || !isAskedFor(file)) continue;
      const kindFactor = kinds ? 1 : kindWeight[kindOf[document]!]!;
      const score = most * roleWeight(file, asked.roles) * kindFactor * lengthWeight(words.piece(document));
      if (score > best.least) best.add({ segment, document, file, score });
    }
  });
  return best.sorted();
}

function kindsOf({ kinds }: IndexQuery): ReadonlySet<number> | undefined {
  return kinds && new Set(kinds.map((kind) => symbolKinds.indexOf(kind)));
}

/** Similarities of one model are in a narrow range, so a piece counts by how far it is above the average. */
function rankByMeaning(index: WordIndex, query: IndexQuery, compare: Comparison): readonly Ranked[] {
  const { roles } = readQuery(query.words);
  const isAskedFor = filterFiles(query);
  const kinds = kindsOf(query);
  const compared: { readonly file: WordFile; readonly at: FileDocuments; readonly values: Float32Array }[] =
    [];
  let [count, sum, squares] = [0, 0, 0];
  for (const file of index.files()) {
    const at = isAskedFor(file) ? index.documentsOf(file.number) : undefined;
    const values = at && compare(file, at.count);
    if (values === undefined) continue;
    compared.push({ file, at: at!, values });
    for (const value of values) {
      if (Number.isNaN(value)) continue;
      count += 1;
      sum += value;
      squares += value * value;
    }
  }
  const mean = sum / count;
  const deviation = Math.sqrt(Math.max(squares / count - mean * mean, Number.EPSILON));
  const best = new Best(query.limit * (1 + spare));
  for (const { file, at, values } of compared) {
    const { segment, first } = at;
    const { kindOf, piece } = index.segments[segment]!;
    for (const [position, value] of values.entries()) {
      const document = first + position;
      // This leaves out NaN, too.
      if (!(value >= mean) || (kinds && !kinds.has(kindOf[document]!))) continue;
      const above = 1 + (value - mean) / deviation;
      const score = above * roleWeight(file, roles) * lengthWeight(piece(document));
      if (score > best.least) best.add({ segment, document, file, score });
    }
  }
  return best.sorted();
}

/** The most similar piece counts as much as this share of the best piece by words, so that a weak model does little harm. */
const meaningWeight = 0.1;
/** The most similar piece is not ranked below this place, because it may have no word of the query. */
const lowestPlace = 5;

/** Adds the scores of both orders, each as a share of its best. */
function fuse(byWords: readonly Ranked[], byMeaning: readonly Ranked[]): readonly Ranked[] {
  const fused = new Map<string, Ranked>();
  const keyOf = ({ segment, document }: Ranked) => `${segment} ${document}`;
  for (const one of byWords) fused.set(keyOf(one), { ...one, score: one.score / byWords[0]!.score });
  for (const one of byMeaning) {
    const found = fused.get(keyOf(one)) ?? { ...one, score: 0, isByMeaning: true };
    const added = (meaningWeight * one.score) / byMeaning[0]!.score;
    fused.set(keyOf(one), { ...found, score: found.score + added });
  }
  const [nearest] = byMeaning;
  const least = [...fused.values()].sort(byScore)[lowestPlace - 1]?.score ?? 0;
  const found = nearest && fused.get(keyOf(nearest))!;
  if (found && found.score < least) fused.set(keyOf(found), { ...found, score: least });
  return [...fused.values()].sort(byScore);
}

const nameWeight = 0.8;
const fileWeight = 0.2;

/** The scores of one segment after the other, because those of all pieces would take much memory. */
class Scores {
  readonly #segments: WordIndex["segments"];
  readonly #terms: readonly WeighedTerm[];
  readonly #likely: readonly WeighedTerm[];
  /**
   * The scores of files by number, with each term at its best position. All pieces of a file are in one segment, so its score
   * is complete after `ofPieces` of that segment.
   */
  readonly files: Float32Array;
  readonly #sums: readonly Float32Array[];

  constructor(segments: WordIndex["segments"], { terms, words }: SearchQuery) {
    this.#segments = segments;
    const total = segments.reduce((sum, { documents }) => sum + documents, 0);
    const rarities = new Map<string, number>();
    this.#terms = [...terms].flatMap(([term, weight]): WeighedTerm[] => {
      const { found, having } = find(segments, term);
      if (having === 0) return [];
      const rarity = rarityOf(having, total);
      rarities.set(term, rarity);
      return [{ term, found, worth: weight * rarity }];
    });
    this.#likely = likelyTerms(segments, { words, rarities, total });
    const fileCount = Math.max(0, ...segments.map(({ fileOf }) => countOfFiles(fileOf)));
    const most = Math.max(0, ...segments.map(({ documents }) => documents));
    const take = zeros(fileCount + 3 * most);
    this.files = take(fileCount);
    this.#sums = [take(most), take(most), take(most)];
  }

  /** Returns the scores of the pieces of a segment, valid until the next call. Call it once for each segment. */
  ofPieces(position: number): Float32Array {
    const segment = this.#segments[position]!;
    const [pieces, shares, worths] = this.#sums.map((sums) =>
      sums.subarray(0, segment.documents).fill(0),
    ) as [Float32Array, Float32Array, Float32Array];
    for (const { term, found, worth } of this.#terms) {
      const postings = found[position]?.postings();
      if (!postings) continue;
      addWeights(postings, pieces, worth / 255);
      addMostOfFiles(postings, segment.fileOf, this.files, worth / 255);
      const named = term.startsWith("=") ? undefined : segment.postings(`@${term}`);
      if (!named) continue;
      addWeights(named, shares, 1 / 255);
      for (const document of named.documents) worths[document]! += worth;
    }
    for (let document = 0; document < pieces.length; document += 1) {
      if (worths[document]! > 0) pieces[document]! += nameWeight * worths[document]! * shares[document]! ** 3;
    }
    for (const { found, worth } of this.#likely) {
      const named = found[position]?.postings();
      if (named) addToFound(named, pieces, worth);
    }
    return pieces;
  }
}

/** A term in each segment, and how much it counts. */
interface WeighedTerm {
  readonly term: string;
  readonly found: readonly (FoundTerm | undefined)[];
  readonly worth: number;
}

/** A likely word counts at most this share of the word that suggests it, so that the word itself in a name counts more. */
const likelyWeight = 0.6;
/** The weight by share of the name, as a byte. A likely word counts a little less in a longer name. */
const shareWeights: Float32Array = Float32Array.from({ length: 256 }, (_, share) => (share / 255) ** 0.3);

interface Likely {
  readonly words: SearchQuery["words"];
  /** Of the terms that occur. */
  readonly rarities: ReadonlyMap<string, number>;
  /** The number of all pieces. */
  readonly total: number;
}

/**
 * Returns the words that names are likely to have for those of a query. They count in pieces that the query finds anyway,
 * and only in names, because counting them in comments and bodies, too, found fewer functions.
 */
function likelyTerms(segments: WordIndex["segments"], { words, rarities, total }: Likely): WeighedTerm[] {
  return likelyNameWords(words).flatMap(({ term, probability, from }): WeighedTerm[] => {
    const { found, having } = find(segments, `@${term}`);
    if (having === 0) return [];
    const rarity = Math.min(rarityOf(having, total), rarities.get(from) ?? Number.POSITIVE_INFINITY);
    return [{ term, found, worth: rarity * Math.min(likelyWeight, Math.sqrt(probability)) }];
  });
}

function addToFound({ documents, weights }: Postings, sums: Float32Array, worth: number): void {
  for (let at = 0; at < documents.length; at += 1) {
    const document = documents[at]!;
    if (sums[document]! > 0) sums[document]! += worth * shareWeights[weights[at]!]!;
  }
}

function find(segments: WordIndex["segments"], term: string) {
  const found = segments.map((segment) => segment.find(term));
  return { found, having: found.reduce((sum, one) => sum + (one?.count ?? 0), 0) };
}

/** A term in fewer pieces tells more about them. */
function rarityOf(having: number, total: number): number {
  return Math.log(1 + (total - having + 0.5) / (having + 0.5));
}

let scratch = new Float32Array(0);

/** Returns zeroed arrays, valid until the next query. Allocating new ones would cost more than the rest. */
function zeros(count: number): (length: number) => Float32Array {
  if (scratch.length < count) scratch = new Float32Array(count);
  else scratch.fill(0, 0, count);
  let taken = 0;
  return (length) => {
    taken += length;
    return scratch.subarray(taken - length, taken);
  };
}

function addWeights({ documents, weights }: Postings, sums: Float32Array, factor: number): void {
  for (let at = 0; at < documents.length; at += 1) sums[documents[at]!]! += factor * weights[at]!;
}

function addMostOfFiles(
  { documents, weights }: Postings,
  fileOf: Uint32Array,
  sums: Float32Array,
  factor: number,
): void {
  let most = 0;
  for (let at = 0; at < documents.length; at += 1) {
    most = Math.max(most, weights[at]!);
    const file = fileOf[documents[at]!]!;
    if (at + 1 < documents.length && fileOf[documents[at + 1]!] === file) continue;
    sums[file]! += factor * most;
    most = 0;
  }
}

const counts = new WeakMap<Uint32Array, number>();

function countOfFiles(fileOf: Uint32Array): number {
  return getOrMake(counts, fileOf, () => fileOf.reduce((most, file) => Math.max(most, file + 1), 0));
}

/** Files that are not code count less, unless the query is about them. */
const roleWeights = { code: 1, test: 0.6, example: 0.7, documentation: 0.5, data: 0.5, generated: 0.5 };

function roleWeight({ role }: WordFile, roles: ReadonlySet<FileRole>): number {
  const name = fileRoles[role]!;
  return roles.has(name) ? 1 : roleWeights[name];
}

/** Weights by index in `symbolKinds`; 255 is text around symbols. Queries mostly ask for actions. */
const kindWeight: readonly number[] = Array.from({ length: 256 }, (_, kind) =>
  kind >= symbolKinds.length || /^(?:function|method|constructor)$/.test(symbolKinds[kind]!) ? 1 : 0.85,
);

/** Returns the weight by length. Declarations, getters and wrappers match less well than their few words suggest. */
function lengthWeight({ firstLine, lastLine }: Pick<Piece, "firstLine" | "lastLine">): number {
  return shortWeights[lastLine - firstLine] ?? 1;
}

const shortWeights: readonly number[] = [1, 2, 3, 4, 5, 6, 7].map((lines) => (lines / 8) ** 0.15);

/** This many times more results are collected, so that the pieces of one file do not displace others. */
const spare = 4;
const againWeight = 0.99;

function withoutCrowding(ranked: readonly Ranked[]): Ranked[] {
  const times = new Map<number, number>();
  return ranked
    .map((one) => {
      const { number } = one.file;
      const before = times.get(number) ?? 0;
      times.set(number, before + 1);
      return { ...one, score: one.score * againWeight ** before };
    })
    .sort(byScore);
}

/** Takes the last two of every ten results from new files if possible, because the best file may be the wrong one. */
function ofMoreFiles(ranked: readonly Ranked[], limit: number): Ranked[] {
  const left = [...ranked];
  const shown: Ranked[] = [];
  const files = new Set<number>();
  while (shown.length < limit && left.length > 0) {
    const isForAnother = shown.length % 10 >= 8;
    const next = isForAnother ? left.findIndex(({ file }) => !files.has(file.number)) : 0;
    const [one] = left.splice(Math.max(0, next), 1);
    files.add(one!.file.number);
    shown.push(one!);
  }
  return shown;
}

/** Compares by score. Ties keep the order of the index, so that results are stable. */
function byScore(one: Ranked, other: Ranked): number {
  return other.score - one.score || one.segment - other.segment || one.document - other.document;
}

class Best {
  readonly #count: number;
  #kept: Ranked[] = [];
  least = 0;

  constructor(count: number) {
    this.#count = count;
  }

  add(one: Ranked): void {
    this.#kept.push(one);
    if (this.#kept.length >= 2 * this.#count) this.#cut();
  }

  sorted(): readonly Ranked[] {
    this.#cut();
    return this.#kept;
  }

  #cut(): void {
    this.#kept.sort(byScore);
    if (this.#kept.length < this.#count) return;
    this.#kept = this.#kept.slice(0, this.#count);
    this.least = this.#kept.at(-1)!.score;
  }
}
