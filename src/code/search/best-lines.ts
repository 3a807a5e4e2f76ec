import { readQuestion } from "./question.ts";
import { termsOf } from "./words.ts";

/** The lines of a piece of code that show best why it answers a question: one run of them, by their place. */
export function bestLines(lines: readonly string[], words: string, count: number): number[] {
  const { terms } = readQuestion(words);
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
