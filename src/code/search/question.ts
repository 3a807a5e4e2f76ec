import { termsOf } from "./words.ts";

/** What is looked for, and what the question says about where. */
export interface Question {
  /** Each once, with how often it was said. */
  readonly terms: ReadonlyMap<string, number>;
}

export function readQuestion(words: string): Question {
  const terms = new Map<string, number>();
  const all = termsOf(words);
  const telling = all.filter((term) => !emptyWords.has(term));
  for (const term of telling.length > 0 ? telling : all) terms.set(term, (terms.get(term) ?? 0) + 1);
  return { terms };
}

/** Words of questions that say nothing of what is looked for. */
const emptyWords: ReadonlySet<string> = new Set(
  termsOf(
    "a an the this that these those it its is are was were be been being am do does did done has have had having " +
      "of in on at by to for from with without into onto over under about as and or not no nor but if then else than " +
      "so such too very can could will would shall should may might must i we you they he she me us them my our your " +
      "their what which who whom whose when where why how there here all any each both some more most other only own " +
      "same also just please find show give tell code",
  ),
);
