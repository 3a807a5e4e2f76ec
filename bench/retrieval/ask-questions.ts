import { setTimeout as sleep } from "node:timers/promises";
import type { Embedder } from "../../src/contract/embeddings.ts";
import type { CodeSearchData } from "../../src/tools/code/found-code.ts";
import { openSubject } from "../subject.ts";
import type { QuestionSet } from "./question-sets.ts";
import type { Question } from "./questions.ts";

/** The quality of one answer. */
export interface Judged {
  readonly question: Question;
  /** The share of the right files among the first ten files, and among the first ten results. */
  readonly recall: number;
  readonly recallInTen: number;
  /** The reciprocal rank of the first right file; 0 when it is not among the first ten. */
  readonly reciprocal: number;
  /** Whether one of the first ten results, of at most 150 lines, is the function. */
  readonly block: number;
  readonly ms: number;
}

/** Asks code.search questions about a tree, when its index and, with an embedder, all vectors are made. */
export async function ask(
  { tree, questions }: QuestionSet,
  { embedder }: { readonly embedder?: Embedder | undefined } = {},
): Promise<Judged[]> {
  const subject = await openSubject({ workspace: tree, embedder });
  const search = async (query: string, limit: number) => {
    const data = (await subject.call("code.search", { query, limit })).data as CodeSearchData;
    const problem = data.wordsOnly ?? data.index?.vectors?.problem?.message;
    if (problem !== undefined) throw new Error(`The model does not answer: ${problem}`);
    return data;
  };
  try {
    for (;;) {
      const { index } = await search("anything", 1);
      const isIndexed = !index || (index.indexed === index.files && index.outlined === index.outlinable);
      const missing = index?.vectors?.missing ?? 0;
      if (isIndexed && missing === 0) break;
      if (missing > 0) await sleep(1_000);
    }
    const judged: Judged[] = [];
    for (const question of questions) {
      const started = performance.now();
      const { results } = await search(asWords(question.text), 10);
      const ms = performance.now() - started;
      const more = await search(asWords(question.text), 100);
      judged.push({ ...judge(question, results, more.results), question, ms });
    }
    return judged;
  } finally {
    await subject.close();
  }
}

/** Quotes or slashes around the whole text would have a meaning. */
function asWords(text: string): string {
  return text.replace(/^["/]+|["/]+$/g, "");
}

function judge(
  { files, block }: Question,
  ten: CodeSearchData["results"],
  more: CodeSearchData["results"],
): Pick<Judged, "recall" | "recallInTen" | "reciprocal" | "block"> {
  const first = [...new Set(more.map(({ path }) => path))].slice(0, 10);
  const rank = first.findIndex((path) => files.includes(path));
  const isHit = ten.some(
    ({ path, firstLine, lastLine }) =>
      files.includes(path) &&
      lastLine - firstLine < 150 &&
      (!block || (firstLine <= block.firstLine && block.firstLine <= lastLine)),
  );
  return {
    recall: share(files, first),
    recallInTen: share(
      files,
      ten.map(({ path }) => path),
    ),
    reciprocal: rank === -1 ? 0 : 1 / (rank + 1),
    block: isHit ? 1 : 0,
  };
}

function share(wanted: readonly string[], found: readonly string[]): number {
  return wanted.filter((path) => found.includes(path)).length / wanted.length;
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The mean, ± half of its 95 % interval. */
export function withInterval(values: readonly number[]): string {
  const middle = mean(values);
  const variance = mean(values.map((value) => (value - middle) ** 2));
  return `${middle.toFixed(3)} ± ${(1.96 * Math.sqrt(variance / values.length)).toFixed(3)}`;
}
