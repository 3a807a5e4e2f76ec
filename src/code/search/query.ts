import { type FileRole, fileRoles } from "../../lib/file-roles.ts";
import { relatedWords } from "./related-words.ts";
import { termsOf } from "./terms.ts";

export interface SearchQuery {
  /** The terms with their weights. The terms of the query itself come first. */
  readonly terms: ReadonlyMap<string, number>;
  /** The words of the query, without words that say nothing. */
  readonly words: readonly string[];
  readonly writtenAs: ReadonlyMap<string, string>;
  readonly roles: ReadonlySet<FileRole>;
}

export function readQuery(text: string): SearchQuery {
  const all = termsOf(text);
  const relevant = all.filter((term) => !isEmpty(term));
  const counted = (relevant.length > 0 ? relevant : all).slice(0, mostTerms);
  const terms = new Map<string, number>();
  for (const term of counted) {
    const times = terms.has(term) ? Math.SQRT2 : 1;
    terms.set(term, (isWhole(term) ? wholeWeight : 1) * times);
  }
  const add = (term: string, weight: number) => {
    if (!terms.has(term)) terms.set(term, weight);
  };
  const writtenAs = spellings(text, terms);
  const words = [...new Set(subjectWords(all.slice(0, 2 * mostTerms)))];
  for (const word of words) for (const other of relatedWords.get(word) ?? []) add(other, relatedWeight);
  for (const word of counted) for (const short of shortened(word)) add(short, shortenedWeight);
  const roles = new Set(fileRoles.filter((role) => askingFor[role]?.test(text)));
  return { terms, words, writtenAs, roles };
}

/** Returns the single words among terms, without those that say nothing about the subject. */
export function subjectWords(terms: readonly string[]): string[] {
  return terms.filter((term) => !isWhole(term) && (!isEmpty(term) || asking.has(term)));
}

function spellings(words: string, terms: ReadonlyMap<string, number>): Map<string, string> {
  const writtenAs = new Map<string, string>();
  for (const [word] of words.matchAll(/[A-Z]?[a-z]+|[A-Z]+|\d+|\P{ASCII}+/gu)) {
    for (const term of termsOf(word))
      if (terms.has(term) && !isWhole(term)) writtenAs.set(term, word.toLowerCase());
  }
  return writtenAs;
}

const mostTerms = 100;

const wholeWeight = 0.5;
const relatedWeight = 0.15;
const shortenedWeight = 0.4;

/** These words count, so that a query such as "whether it is empty" also finds `isEmpty`. */
const asking: ReadonlySet<string> = new Set(["if", "whether"]);

function isWhole(term: string): boolean {
  return term.startsWith("=");
}

function isEmpty(term: string): boolean {
  return emptyWords.has(isWhole(term) ? term.slice(1) : term);
}

/** Returns abbreviations of a long word, as in `cert`, `dir` and `param`. */
function shortened(word: string): string[] {
  if (isWhole(word) || !/^[a-z]{6,}$/.test(word)) return [];
  return [3, 4, 5].map((length) => word.slice(0, length));
}

const askingFor: Partial<Record<FileRole, RegExp>> = {
  test: /\b(?:tests?|specs?|testing|unit tests?|fixtures?|mocks?)\b/i,
  example: /\b(?:examples?|samples?|demos?|benchmarks?|tutorials?)\b/i,
  documentation: /\b(?:docs?|documentation|readme|changelog|markdown|licen[cs]e|manual)\b/i,
  data: /\b(?:config(?:uration)?s?|settings|json|ya?ml|toml|css|stylesheets?|makefile|dockerfile|cmake|manifest)\b/i,
  generated: /\b(?:generated|vendor(?:ed)?|minified)\b/i,
};

/** Words of a query that say nothing about its subject. */
const emptyWords: ReadonlySet<string> = new Set(
  (
    "a an the this that these those it its is are was were be been being am do does did done has have had having " +
    "of in on at by to for from with without into onto over under about as and or not no nor but if then else than " +
    "so such too very can could will would shall should may might must whether i we you they he she me us them my our your " +
    "their what which who whom whose when where why how there here all any each both some more most other only own " +
    "same also just please find show give tell code"
  )
    .split(" ")
    .flatMap((word) => [word, ...termsOf(word)]),
);

/** Returns the indexes of the consecutive lines that best show why a piece of code matches. */
export function bestLines(lines: readonly string[], words: string, count: number): number[] {
  const { terms } = readQuery(words);
  const found = lines.map((line) => new Set(termsOf(line).filter((term) => terms.has(term))));
  let best = { first: 0, score: -1 };
  for (let first = 0; first === 0 || first + count <= lines.length; first += 1) {
    const seen = new Set<string>();
    for (const some of found.slice(first, first + count)) for (const term of some) seen.add(term);
    const score = [...seen].reduce((total, term) => total + terms.get(term)!, 0);
    if (score > best.score) best = { first, score };
  }
  const run = lines.map((_, index) => index).slice(best.first, best.first + count);
  while (run.length > 0 && lines[run.at(-1)!]!.trim() === "") run.pop();
  while (run.length > 0 && lines[run[0]!]!.trim() === "") run.shift();
  return run;
}
