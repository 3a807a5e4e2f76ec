import { type IndexQuery, symbolKinds } from "../../contract/code.ts";
import { type FileRole, fileRoles } from "../../lib/file-roles.ts";
import { getOrMake } from "../get-or-make.ts";
import { filterFiles } from "../index/query/path-filter.ts";
import type { FileDocuments, WordFile, WordIndex } from "../index/query/word-index.ts";
import type { Postings } from "../index/storage/segment.ts";
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
  const { pieces, files } = scoreAll(index, asked);
  const isAskedFor = filterFiles(query);
  const kinds = kindsOf(query);
  const best = new Best(query.limit * (1 + spare));
  index.segments.forEach((words, segment) => {
    const { documents, fileOf, kindOf } = words;
    const scores = pieces[segment]!;
    for (let document = 0; document < documents; document += 1) {
      if (scores[document] === 0 || (kinds && !kinds.has(kindOf[document]!))) continue;
      const most = scores[document]! + fileWeight * files[fileOf[document]!]!;
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

/** Returns the scores of pieces, and of files with each term at its best position. */
function scoreAll({ segments }: WordIndex, { terms, words }: SearchQuery) {
  const total = segments.reduce((sum, { documents }) => sum + documents, 0);
  const fileCount = Math.max(0, ...segments.map(({ fileOf }) => countOfFiles(fileOf)));
  const take = zeros(3 * total + fileCount);
  const perPiece = () => segments.map(({ documents }) => take(documents));
  const [pieces, shares, worths] = [perPiece(), perPiece(), perPiece()];
  const files = take(fileCount);
  const rarities = new Map<string, number>();
  for (const [term, termWeight] of terms) {
    const { postings, having } = find(segments, term);
    if (having === 0) continue;
    const rarity = rarityOf(having, total);
    rarities.set(term, rarity);
    const worth = termWeight * rarity;
    postings.forEach((found, position) => {
      if (!found) return;
      addWeights(found, pieces[position]!, worth / 255);
      addMostOfFiles(found, segments[position]!.fileOf, files, worth / 255);
      const named = term.startsWith("=") ? undefined : segments[position]!.postings(`@${term}`);
      if (!named) return;
      addWeights(named, shares[position]!, 1 / 255);
      for (let at = 0; at < named.documents.length; at += 1)
        worths[position]![named.documents[at]!]! += worth;
    });
  }
  pieces.forEach((scores, position) => {
    const [share, worth] = [shares[position]!, worths[position]!];
    for (let document = 0; document < scores.length; document += 1) {
      if (worth[document]! > 0) scores[document]! += nameWeight * worth[document]! * share[document]! ** 3;
    }
  });
  addLikelyNames(segments, { words, rarities, total, pieces });
  return { pieces, files };
}

/** A likely word counts at most this share of the word that suggests it, so that the word itself in a name counts more. */
const likelyWeight = 0.6;
/** The weight by share of the name, as a byte. A likely word counts a little less in a longer name. */
const shareWeights: Float32Array = Float32Array.from({ length: 256 }, (_, share) => (share / 255) ** 0.3);

interface Scores {
  readonly words: SearchQuery["words"];
  /** Of the terms that occur. */
  readonly rarities: ReadonlyMap<string, number>;
  /** The number of all pieces. */
  readonly total: number;
  readonly pieces: readonly Float32Array[];
}

/**
 * Adds the words that names are likely to have for those of a query, in pieces that the query finds anyway. They count
 * only in names, because counting them in comments and bodies, too, found fewer functions.
 */
function addLikelyNames(segments: WordIndex["segments"], { words, rarities, total, pieces }: Scores): void {
  for (const { term, probability, from } of likelyNameWords(words)) {
    const named = find(segments, `@${term}`);
    if (named.having === 0) continue;
    const rarity = Math.min(rarityOf(named.having, total), rarities.get(from) ?? Number.POSITIVE_INFINITY);
    const worth = rarity * Math.min(likelyWeight, Math.sqrt(probability));
    named.postings.forEach((found, position) => {
      if (found) addToFound(found, pieces[position]!, worth);
    });
  }
}

function addToFound({ documents, weights }: Postings, sums: Float32Array, worth: number): void {
  for (let at = 0; at < documents.length; at += 1) {
    const document = documents[at]!;
    if (sums[document]! > 0) sums[document]! += worth * shareWeights[weights[at]!]!;
  }
}

function find(segments: WordIndex["segments"], term: string) {
  const postings = segments.map((segment) => segment.postings(term));
  return { postings, having: postings.reduce((sum, found) => sum + (found?.documents.length ?? 0), 0) };
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
  const times = new Map<WordFile, number>();
  return ranked
    .map((one) => {
      const before = times.get(one.file) ?? 0;
      times.set(one.file, before + 1);
      return { ...one, score: one.score * againWeight ** before };
    })
    .sort(byScore);
}

/** Takes the last two of every ten results from new files if possible, because the best file may be the wrong one. */
function ofMoreFiles(ranked: readonly Ranked[], limit: number): Ranked[] {
  const left = [...ranked];
  const shown: Ranked[] = [];
  const files = new Set<WordFile>();
  while (shown.length < limit && left.length > 0) {
    const isForAnother = shown.length % 10 >= 8;
    const next = isForAnother ? left.findIndex(({ file }) => !files.has(file)) : 0;
    const [one] = left.splice(Math.max(0, next), 1);
    files.add(one!.file);
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
