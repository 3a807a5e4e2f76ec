/**
 * Learns which words of a question point to which words of names, from the doc comments of published packages, and
 * writes src/code/search/name-words.json. Run it with `node bench/retrieval/learn-name-words.ts`; it downloads about
 * 800 MB and takes some minutes. No package of packages.json may be in its list, because those measure the result.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { subjectWords } from "../../src/code/search/query.ts";
import { termsOf } from "../../src/code/search/terms.ts";
import { dataPath } from "../data/data.ts";
import { Random } from "../data/random.ts";
import { packInto } from "../edit/packages.ts";
import { readTarball } from "../edit/tar.ts";
import { documentedNames } from "./documented-names.ts";
import learned from "./learned-packages.json" with { type: "json" };
import measured from "./packages.json" with { type: "json" };

/** The words of a comment that are not in the name, and the words of the name that are not in the comment. */
interface Pair {
  readonly package: number;
  readonly comment: readonly string[];
  readonly name: readonly string[];
}

/** More pairs of one package would teach its vocabulary. */
const mostOfPackage = 3000;
/** A word counts if it is in this many packages. */
const leastPackagesOfWord = 8;
const rounds = 6;
/** Added to the count of each word of comments, because the relations of rare words are chance. */
const prior = 5;
/** A relation needs this many packages in which it explains this share of a word of a name, and this probability. */
const leastPackages = 4;
const leastShare = 0.2;
const leastProbability = 0.005;
const mostOfWord = 8;

const output = new URL("../../src/code/search/name-words.json", import.meta.url);

function learn(): void {
  const pairs = readPairs();
  const model = estimate(pairs);
  const words: Record<string, string> = {};
  for (const [word, relations] of [...model].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const best = relations.sort((one, other) => other.probability - one.probability).slice(0, mostOfWord);
    words[word] = best.map(({ name, probability }) => `${name} ${Math.round(1000 * probability)}`).join(" ");
  }
  writeFileSync(output, `${JSON.stringify(words, undefined, 2)}\n`);
  process.stderr.write(`${pairs.length} pairs, ${Object.keys(words).length} words\n`);
}

function readPairs(): Pair[] {
  const folder = join(dataPath("retrieval"), "learned");
  mkdirSync(folder, { recursive: true });
  const wanted = Object.entries(learned.packages).map(([name, version]) => ({
    name,
    spec: `${name}@${version}`,
    file: join(folder, `${name.replace("@", "").replace("/", "-")}-${version}.tgz`),
  }));
  const isMeasured = new Set(measured.npm.map(({ name }) => name));
  const wrong = wanted.find(({ name }) => isMeasured.has(name));
  if (wrong) throw new Error(`${wrong.name} measures the result, so nothing may be learned from it.`);
  const missing = wanted.filter(({ file }) => !existsSync(file)).map(({ spec }) => spec);
  for (let first = 0; first < missing.length; first += 10) packInto(folder, missing.slice(first, first + 10));
  const seen = new Set<string>();
  return wanted.flatMap(({ file }, number) => pairsOf(readTarball(readFileSync(file)), number, seen));
}

function pairsOf(files: ReadonlyMap<string, Buffer>, number: number, seen: Set<string>): Pair[] {
  const random = new Random(number + 1);
  const some = documentedNames(files)
    .map((one) => ({ ...one, order: random.below(2 ** 30) }))
    .sort((one, other) => one.order - other.order)
    .slice(0, mostOfPackage);
  return some.flatMap(({ name, summary }) => {
    const key = `${name}\0${summary}`;
    if (seen.has(key)) return [];
    seen.add(key);
    const ofName = plainWords(termsOf(name));
    const ofComment = plainWords(subjectWords(termsOf(summary)));
    const comment = [...ofComment].filter((word) => !ofName.has(word));
    return [{ package: number, comment, name: [...ofName].filter((word) => !ofComment.has(word)) }];
  });
}

function plainWords(terms: readonly string[]): Set<string> {
  return new Set(terms.filter((term) => /^[a-z]{2,}$/.test(term)));
}

interface Relation {
  readonly name: string;
  readonly probability: number;
}

/** Estimates P(word of a name | word of a comment) by IBM's model 1. The empty word stands for no word. */
function estimate(pairs: readonly Pair[]): Map<string, Relation[]> {
  const isComment = frequent(pairs, ({ comment }) => comment);
  const isName = frequent(pairs, ({ name }) => name);
  const links = new Links();
  const data = pairs.flatMap((pair) => {
    const comment = ["", ...pair.comment.filter((word) => isComment.has(word))];
    const names = pair.name.filter((word) => isName.has(word));
    if (comment.length === 1) return [];
    return names.map((name) => ({
      package: pair.package,
      links: comment.map((word) => links.numberOf(word, name)),
    }));
  });
  let probabilities = new Float64Array(links.all.length).fill(1);
  for (let round = 0; round < rounds; round++) {
    const counts = new Float64Array(probabilities.length);
    const totals = new Map<string, number>();
    for (const { links: some } of data) {
      const sum = some.reduce((total, link) => total + probabilities[link]!, 0);
      for (const link of some) {
        const share = probabilities[link]! / sum;
        const { word } = links.all[link]!;
        counts[link]! += share;
        totals.set(word, (totals.get(word) ?? prior) + share);
      }
    }
    probabilities = counts.map((count, link) => count / totals.get(links.all[link]!.word)!);
  }
  const supports = links.all.map(() => new Set<number>());
  for (const { links: some, package: number } of data) {
    const sum = some.reduce((total, link) => total + probabilities[link]!, 0);
    for (const link of some) if (probabilities[link]! / sum > leastShare) supports[link]!.add(number);
  }
  const relations = new Map<string, Relation[]>();
  for (const [link, { word, name }] of links.all.entries()) {
    const probability = probabilities[link]!;
    if (word === "" || supports[link]!.size < leastPackages || probability < leastProbability) continue;
    relations.set(word, [...(relations.get(word) ?? []), { name, probability }]);
  }
  return relations;
}

function frequent(pairs: readonly Pair[], words: (pair: Pair) => readonly string[]): ReadonlySet<string> {
  const packages = new Map<string, Set<number>>();
  for (const pair of pairs) {
    for (const word of words(pair)) {
      const those = packages.get(word) ?? new Set();
      packages.set(word, those.add(pair.package));
    }
  }
  return new Set(
    [...packages].filter(([, those]) => those.size >= leastPackagesOfWord).map(([word]) => word),
  );
}

/** Numbers the pairs of a word of comments and a word of names. */
class Links {
  readonly all: { readonly word: string; readonly name: string }[] = [];
  readonly #numbers = new Map<string, number>();

  numberOf(word: string, name: string): number {
    const key = `${word} ${name}`;
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    this.#numbers.set(key, this.all.length);
    return this.all.push({ word, name }) - 1;
  }
}

learn();
