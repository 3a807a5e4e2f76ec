import learned from "./name-words.json" with { type: "json" };

/** A word that names may have instead of words of a question. */
export interface LikelyWord {
  readonly term: string;
  /** From 0 to 1. */
  readonly probability: number;
  /** The word of the question that suggests it most. */
  readonly from: string;
}

/**
 * Returns the words that the names of the wanted code are likely to have, most likely first: a question about
 * removing suggests `clear` and `delete`. Words of the question itself are left out. All words are stems.
 */
export function likelyNameWords(words: readonly string[]): readonly LikelyWord[] {
  const likely = new Map<string, LikelyWord & { readonly most: number }>();
  const asked = new Set(words);
  for (const word of asked) {
    for (const { term, probability } of relationsOf(word)) {
      if (asked.has(term)) continue;
      const known = likely.get(term);
      const isMost = known === undefined || probability > known.most;
      likely.set(term, {
        term,
        probability: 1 - (1 - (known?.probability ?? 0)) * (1 - probability),
        from: isMost ? word : known.from,
        most: isMost ? probability : known.most,
      });
    }
  }
  return [...likely.values()]
    .sort((one, other) => other.probability - one.probability)
    .slice(0, mostWords)
    .map(({ term, probability, from }) => ({ term, probability, from }));
}

/** More words cost more time, and are too unlikely to help. */
const mostWords = 12;

/**
 * The file is written by bench/retrieval/learn-name-words.ts. It has the stems of words in comments, and for each the
 * stems of words in the names of what they document, with the probability in thousandths.
 */
const table: Readonly<Record<string, string>> = learned;

function relationsOf(word: string): { readonly term: string; readonly probability: number }[] {
  if (!Object.hasOwn(table, word)) return [];
  return Array.from(table[word]!.matchAll(/(\S+) (\d+)/g), ([, term, thousandths]) => ({
    term: term!,
    probability: Number(thousandths) / 1000,
  }));
}
