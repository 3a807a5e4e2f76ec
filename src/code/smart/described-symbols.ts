import type { CodeSymbol, Outline } from "../../contract/code.ts";
import { spanOf } from "../blocks/block-text.ts";
import { holdersOf } from "../blocks/find-block.ts";
import { isCalled, isKindWord } from "../blocks/kind-words.ts";
import { getOrMake } from "../get-or-make.ts";
import { piecesOf } from "../search/pieces.ts";
import { relatedWords } from "../search/related-words.ts";
import { termsOf } from "../search/terms.ts";
import { inPlainWords, lightWords, plainWords, stopWords } from "./description-words.ts";
import type { LikelyLocations, TextLocation } from "./location.ts";

/**
 * Ranks the symbols of a file by a description in words. A word counts by its rarity among the symbols, and by where a symbol has
 * it: in the name most, then in the first sentence of the comment, then in the signature, then elsewhere. The score is the share
 * of the description that a symbol has, from 0 to 1, less what its name says beyond the description.
 *
 * The first symbol is good enough if it has most of the description. It wins alone if it is ahead of the second by a word that few
 * others have. Measured with 83 descriptions that did not choose these limits: 26 found their function, none another, and 70 had
 * it among the first three. Two found another before `isDirected` and `isOfKind` were added. Of descriptions of what is not in the
 * file, 2 % found something.
 */
export function describedSymbols(text: string, outline: Outline, description: string): LikelyLocations {
  if (text.length > maxChars || !isProse.test(description.trim())) return { winners: [], ranked: [] };
  const { kind, about } = kindIn(description);
  const wanted = wordsOf(inPlainWords(about));
  const candidates = rank(wanted, symbolWords(text, outline, kind));
  const ranked = candidates.map(({ index, score }) => locationOf(text, outline.symbols[index]!, score));
  const [first] = candidates;
  const isGood =
    first !== undefined &&
    first.score >= leastScore &&
    first.known >= leastKnown &&
    isOfKind(outline, candidates, kind) &&
    !isNegative.test(description) &&
    !isDirected.test(description);
  const near = candidates.filter(({ weight }) => first!.weight - weight < leadOf(first!));
  return { winners: isGood ? ranked.slice(0, near.length) : [], ranked };
}

const maxChars = 2_000_000;
const leastScore = 0.25;
const leastKnown = 0.6;

/** Returns how far the first symbol must be ahead. A word that only one symbol has weighs 2 or more in its name. */
function leadOf({ weight }: Candidate): number {
  return Math.min(1, 0.6 * weight);
}

/** Whether the text has several words without the punctuation of code. */
const isProse = /^[\p{L}\p{N}_'’"`.[\]-]+(?:[,:;/]?\s+[\p{L}\p{N}_'’"`.[\]-]+)+[!?]?$/u;

/** Matches negation, which the words of a description do not show: "without blocking" contains "blocking". */
const isNegative =
  /\b(?:not|no|non|none|never|neither|nor|cannot|without|except|excluding|unless|unlike|instead|rather|but|besides|other than)\b|n['’]t\b/i;

/** Matches a direction, which the words do not show either: "camel case into snake case" has the words of its opposite. */
const isDirected =
  /\b(?:into|before|after|from\b.*\bto|(?:convert|transform|translat|turn|chang)\w*\b.*\bto)\b/i;

interface Candidate {
  readonly index: number;
  readonly score: number;
  /** The sum of the weights that make up the score. */
  readonly weight: number;
  /** The share of the description of which the symbol has anything, wherever it is. */
  readonly known: number;
}

/** Returns the symbols that have any of the words, best first. */
function rank(wanted: readonly string[], symbols: readonly SymbolWords[]): readonly Candidate[] {
  const findings = wanted.map((word) => {
    // The symbols of a large file share most of their words.
    const known = new Map<string, number>();
    const likeness = (other: string) => getOrMake(known, other, () => likenessOf(word, other));
    const found = symbols.map((symbol) => shareIn(symbol, likeness));
    const isLight = lightWords.has(word);
    return { found, isLight, weight: rarityAmong(found) * (isLight ? lightShare : 1) };
  });
  const sum = (some: typeof findings, part: (found: readonly number[]) => number) =>
    some.reduce((whole, { found, weight }) => whole + weight * part(found), 0);
  const heavy = findings.filter(({ isLight }) => !isLight);
  const total = sum(findings, () => 1);
  const totalHeavy = sum(heavy, () => 1);
  return symbols
    .map((symbol, at) => {
      const weight = sum(findings, (found) => found[at]!) * (1 - surplusShare * surplusOf(symbol, wanted));
      const known = totalHeavy === 0 ? 0 : sum(heavy, (found) => (found[at]! > 0 ? 1 : 0)) / totalHeavy;
      return { index: symbol.index, score: weight / total, weight, known };
    })
    .filter(({ weight }) => weight > 0)
    .sort((one, other) => other.weight - one.weight || one.index - other.index);
}

const lightShare = 0.25;
const surplusShare = 0.4;

/** Returns how much it says that a symbol has a word. In a small file, words are as rare as among some symbols more. */
function rarityAmong(found: readonly number[]): number {
  const having = Math.max(
    1,
    found.reduce((sum, share) => sum + share, 0),
  );
  return Math.log(1 + (found.length + moreSymbols - having + 0.5) / (having + 0.5));
}

const moreSymbols = 10;

/** Returns how much of a word a symbol has, from 0 to 1. */
function shareIn({ shares }: SymbolWords, likeness: (other: string) => number): number {
  let best = 0;
  for (const [other, share] of shares) if (share > best) best = Math.max(best, share * likeness(other));
  return best;
}

/** Returns the share of the words in a name that are not described. */
function surplusOf({ names }: SymbolWords, wanted: readonly string[]): number {
  const surplus = names.filter((name) => !wanted.some((word) => likenessOf(word, name) > 0));
  return names.length === 0 ? 0 : surplus.length / names.length;
}

function likenessOf(word: string, other: string): number {
  if (word === other) return 1;
  if (haveOneRoot(word, other)) return rootLikeness;
  if (isPart(word, other) || isPart(other, word)) return partLikeness;
  return plainWords.get(word)?.has(other) || relatedWords.get(word)?.includes(other) ? relatedLikeness : 0;
}

const rootLikeness = 0.95;
const partLikeness = 0.8;
const relatedLikeness = 0.7;

/** Returns whether words differ only in their endings: "authentication" and "authenticate", "validate" and "valid". */
function haveOneRoot(one: string, other: string): boolean {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at >= 4 && isEnding.test(one.slice(at)) && isEnding.test(other.slice(at));
}

const isEnding =
  /^(?:|e|er|or|r|ion|at|ation|ator|ition|ment|ity|able|ible|ness|ly|al|ance|ence|iv|ativ|iz|izer|ization|y|i|d|ed|ing|s|en|th)$/;

/** Returns whether a word begins or ends another that is written as one: "own" in "chown", "tree" in "rmtree". */
function isPart(part: string, whole: string): boolean {
  return part.length >= 3 && whole.length >= 5 && (whole.startsWith(part) || whole.endsWith(part));
}

export function locationOfSymbol(text: string, symbol: CodeSymbol): TextLocation {
  return { ...locationOf(text, symbol, 1), way: "symbol" };
}

function locationOf(text: string, symbol: CodeSymbol, score: number): TextLocation {
  const { start, end } = spanOf(text, symbol);
  const { firstLine, lastLine } = symbol;
  return { way: "description", start, end, firstLine, lastLine, symbol, score };
}

/** Splits a description that states the kind first: "the function that checks tokens". */
function kindIn(description: string): { readonly kind: string | undefined; readonly about: string } {
  const kind = kindFirst.exec(description)?.[1];
  if (kind === undefined) return { kind, about: description };
  if (isKindWord(kind)) return { kind, about: description.replace(kind, " ") };
  return { kind: undefined, about: isOtherKind.test(kind) ? description.replace(kind, " ") : description };
}

const kindFirst =
  /^\s*(?:(?:the|a|an)\s+)?([\p{L}_]+)\s+(?:that|which|who|to|for|where|with|doing|of|responsible|[\p{L}]+ing)\b/iu;
const isOtherKind = /^(?:code|helper|getter|setter|part|block|wrapper|logic|bit)$/i;

function wordsOf(text: string): readonly string[] {
  return [...new Set(termsOf(text))].filter((term) => !isWhole(term) && !stopWords.has(term));
}

/** Matches the term of a whole identifier, whose words are terms, too. */
function isWhole(term: string): boolean {
  return term.startsWith("=");
}

type SymbolWords = ReturnType<typeof symbolWords>[number];

/**
 * Returns the words of symbols that have their own piece, without those of their children; only of the wanted kind, if there
 * are any.
 */
function symbolWords(text: string, outline: Outline, kind: string | undefined) {
  const known = new Map<number, Words>();
  for (const { symbol: index, stretches } of piecesOf(text, outline.symbols)) {
    if (index === undefined) continue;
    const words = getOrMake(known, index, () => new Words());
    const symbol = outline.symbols[index]!;
    const { name, doc, signature } = symbol;
    // A comment must not win only because others have none.
    const doubt = doc === undefined ? undocumentedShare : 1;
    words.add(name, 1);
    words.add(doc ?? "", sentenceShare);
    words.add(signature, signatureShare * doubt);
    for (const holder of holdersOf(outline, symbol)) words.add(holder.name, otherShare);
    for (const { start, end } of stretches) words.add(text.slice(start, end), otherShare * doubt);
  }
  const all = Array.from(known, ([index, { shares }]) => ({
    index,
    shares,
    names: termsOf(outline.symbols[index]!.name).filter((term) => !isWhole(term)),
  }));
  const fitting = all.filter(({ index }) => kind === undefined || fits(outline, index, kind));
  return fitting.length > 0 ? fitting : all;
}

const sentenceShare = 0.6;
const signatureShare = 0.45;
const otherShare = 0.3;
const undocumentedShare = 1.2;

/** Some people call a function a method, so both are ranked. A function is not meant where methods could be. */
function isOfKind(outline: Outline, candidates: readonly Candidate[], kind: string | undefined): boolean {
  const isExact = ({ index }: Candidate) => kind === undefined || isKind(outline, index, kind);
  return isExact(candidates[0]!) || !candidates.some(isExact);
}

function fits(outline: Outline, index: number, kind: string): boolean {
  return isKind(outline, index, /^method$/i.test(kind) ? "function" : kind);
}

function isKind({ symbols }: Outline, index: number, kind: string): boolean {
  const symbol = symbols[index]!;
  return isCalled(kind, symbol, symbol.parent === undefined ? undefined : symbols[symbol.parent]);
}

class Words {
  /** The words, each with the largest share that it was added with. */
  readonly shares: Map<string, number> = new Map();

  add(text: string, share: number): void {
    for (const term of termsOf(text))
      if (!isWhole(term) && share > (this.shares.get(term) ?? 0)) this.shares.set(term, share);
  }
}
