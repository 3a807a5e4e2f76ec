import type { CodeSymbol, Outline } from "../../contract/code.ts";
import { spanOf } from "../blocks/block-text.ts";
import { holdersOf } from "../blocks/find-block.ts";
import { isCalled, isKindWord } from "../blocks/kind-words.ts";
import { getOrMake } from "../get-or-make.ts";
import { piecesOf } from "../search/pieces.ts";
import { readQuery } from "../search/query.ts";
import { relatedWords } from "../search/related-words.ts";
import { stem, termsOf } from "../search/terms.ts";
import { type LikelyLocations, type TextLocation, winnersOf } from "./location.ts";

/**
 * Ranks the symbols of a file by a description, with the words that code.search uses. The score is the share of the
 * description that is found, from 0 to 1. A rare word counts more.
 *
 * Measured with 152 doc comments of TypeScript and Python, with 4 of 10 words left out: 18 % found their symbol, none
 * another. If only the wanted symbol has no comment, or no symbol has one, 1 % found another (3 of 304).
 */
export function describedSymbols(text: string, outline: Outline, description: string): LikelyLocations {
  if (text.length > maxChars || !isProse.test(description.trim())) return { winners: [], ranked: [] };
  const { kind, about } = kindIn(description);
  const symbols = symbolWords(text, outline);
  const queryWords = [...readQuery(about).writtenAs.keys()].filter((word) => !word.startsWith("="));
  const locations = (words: readonly string[], leastInCode: number): LikelyLocations => {
    const findings = words.map((word) => findingOf(word, symbols));
    const fitting = symbols
      .map((symbol, at) => ({ ...symbol, ...scoreOf(findings, at) }))
      .filter(({ index }) => fits(outline, index, kind))
      .sort((one, other) => other.score - one.score || one.index - other.index);
    const ranked = fitting
      .filter(({ score }) => score > 0)
      .map(({ index, score }) => locationOf(text, outline.symbols[index]!, score));
    const isClear =
      !isNegative.test(description) && isClearlyFirst(fitting) && fitting[0]!.codeScore >= leastInCode;
    return { winners: isClear ? winnersOf(ranked, clearly) : [], ranked };
  };
  const whole = locations(queryWords, 0);
  const subject = queryWords.filter((word) => !lightVerbs.has(word));
  if (subject.length === 0 || subject.length === queryWords.length) return whole;
  return bestOfBoth(whole, locations(subject, inName));
}

/** Joins the results for the whole description and for its subject alone. Different winners make it ambiguous. */
function bestOfBoth(whole: LikelyLocations, subject: LikelyLocations): LikelyLocations {
  if (whole.winners.length === 0) return subject.winners.length > 0 ? subject : whole;
  const agrees = ({ start }: TextLocation) => subject.winners.some((other) => other.start === start);
  if (subject.winners.length === 0 || whole.winners.every(agrees)) return whole;
  const others = subject.winners.filter(({ start }) =>
    whole.winners.every((winner) => winner.start !== start),
  );
  return { winners: [...whole.winners, ...others], ranked: whole.ranked };
}

const lightVerbs: ReadonlySet<string> = new Set(
  ["handle", "perform", "implement", "manage", "deal", "responsible", "take", "care", "provide"].map(stem),
);

/** Whether the text has several words without the punctuation of code. */
const isProse = /^[\p{L}\p{N}_'’"`-]+(?:[,.:;/]?\s+[\p{L}\p{N}_'’"`-]+)+[.!?]?$/u;

const maxChars = 2_000_000;
const clearly = { least: 0.7, margin: 0.6 };
const mostMissing = 0.1;
const codeMargin = 0.3;
/** This score is higher than a match in the signature alone. */
const inName = 0.85;

/** Matches negation, which the words of a description do not show: "without blocking" contains "blocking". */
const isNegative =
  /\b(?:not|no|non|none|never|neither|nor|cannot|without|except|excluding|unless|unlike|instead|rather|but|besides|other than)\b|n['’]t\b/i;

type Score = ReturnType<typeof scoreOf>;

/**
 * Returns whether the first symbol contains almost the whole description. Symbols without a comment are compared by
 * code, because otherwise a comment that happens to have the words would always win.
 */
function isClearlyFirst([first, ...others]: readonly (Score & SymbolWords)[]): boolean {
  if (!first || first.missing > mostMissing) return false;
  // The code alone, for example the name, can be enough.
  const bar = (first.codeScore >= clearly.least ? clearly.margin : codeMargin) * first.codeScore;
  return !first.isDocumented || others.every((other) => other.isDocumented || other.codeScore < bar);
}

function scoreOf(findings: readonly Finding[], at: number) {
  const total = findings.reduce((sum, { weight }) => sum + weight, 0);
  const sum = (part: (finding: Finding) => number) =>
    findings.reduce((whole, finding) => whole + (finding.weight * part(finding)) / total, 0);
  return {
    score: sum(({ found }) => found[at]!),
    codeScore: sum(({ inCode }) => inCode[at]!),
    missing: sum(({ found }) => (found[at] ? 0 : 1)),
  };
}

type Finding = ReturnType<typeof findingOf>;

function findingOf(word: string, symbols: readonly SymbolWords[]) {
  const others = relatedWords.get(word) ?? [];
  const verbs = verbsOf(word);
  const shareIn = (words: ReadonlyMap<string, number>) =>
    Math.max(
      words.get(word) ?? 0,
      ...verbs.map((verb) => verbShare * (words.get(verb) ?? 0)),
      ...others.map((other) => relatedShare * (words.get(other) ?? 0)),
    );
  const found = symbols.map(({ words }) => shareIn(words));
  const inCode = symbols.map(({ code }) => shareIn(code));
  const holding = found.filter((share) => share > 0).length;
  return { found, inCode, weight: Math.log(1 + (symbols.length - holding + 0.5) / (holding + 0.5)) };
}

const relatedShare = 0.5;
const verbShare = 0.9;

/** Returns the stems of the verb in a noun: "authentication" is of "authenticate", "transformation" of "transform". */
function verbsOf(noun: string): readonly string[] {
  const verb = /^([a-z]{4,})ion$/.exec(noun)?.[1];
  if (verb === undefined) return [];
  const short = /^([a-z]{2,}(?:iz|is|rm|nt|rt))at$/.exec(verb)?.[1];
  return short === undefined ? [verb] : [verb, short];
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
  return kind !== undefined && isKindWord(kind)
    ? { kind, about: description.replace(kind, " ") }
    : { kind: undefined, about: description };
}

const kindFirst =
  /^\s*(?:(?:the|a|an)\s+)?([\p{L}_]+)\s+(?:that|which|who|to|for|where|with|doing|of|responsible|[\p{L}]+ing)\b/iu;

function fits({ symbols }: Outline, index: number, kind: string | undefined): boolean {
  const symbol = symbols[index]!;
  if (kind === undefined) return true;
  return isCalled(kind, symbol, symbol.parent === undefined ? undefined : symbols[symbol.parent]);
}

type SymbolWords = ReturnType<typeof symbolWords>[number];

/** Returns the words of symbols that have their own piece, without those of their children. */
function symbolWords(text: string, outline: Outline) {
  const known = new Map<number, Words>();
  for (const { symbol: index, stretches } of piecesOf(text, outline.symbols)) {
    if (index === undefined) continue;
    const words = getOrMake(known, index, () => new Words());
    const symbol = outline.symbols[index]!;
    const { name, doc = "", signature, declarationStart } = symbol;
    words.addComment(doc);
    words.addCode(name, 1);
    words.addCode(signature, headShare);
    for (const holder of holdersOf(outline, symbol)) words.addCode(holder.name, headShare);
    for (const { start, end } of stretches) {
      const body = Math.min(Math.max(start, declarationStart), end);
      words.addComment(text.slice(start, body));
      words.addCode(text.slice(body, end), bodyShare);
    }
  }
  return Array.from(known, ([index, { words, code }]) => ({
    index,
    words,
    code,
    isDocumented: outline.symbols[index]!.doc !== undefined,
  }));
}

class Words {
  readonly words: Map<string, number> = new Map();
  readonly code: Map<string, number> = new Map();

  addComment(queryWords: string): void {
    for (const word of termsOf(queryWords)) this.words.set(word, 1);
  }

  addCode(queryWords: string, share: number): void {
    for (const word of termsOf(queryWords))
      for (const known of [this.words, this.code]) known.set(word, Math.max(known.get(word) ?? 0, share));
  }
}

const headShare = 0.7;
const bodyShare = 0.4;
