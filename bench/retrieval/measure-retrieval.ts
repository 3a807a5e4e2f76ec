import type { CodeSearchData } from "../../src/tools/code/found-code.ts";
import type { CaseResult, Verdict } from "../harness.ts";
import { openSubject } from "../subject.ts";
import { type QuestionSet, questionSets } from "./question-sets.ts";
import type { Question } from "./questions.ts";

/** The quality of one answer. */
interface Judged {
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

export interface RetrievalOptions {
  /** Only repositories whose name contains this; "tuning" and "held-out" are the two halves. */
  readonly only: string;
}

/** Asks code.search the questions that authors wrote about their code, and checks whether it finds that code. */
export async function* measureRetrieval({ only }: RetrievalOptions): AsyncGenerator<CaseResult> {
  const side = only === "tuning" || only === "held-out" ? only : undefined;
  const judged: Judged[] = [];
  for (const set of await questionSets(side ? "" : only)) {
    if (side && set.questions[0]!.side !== side) continue;
    process.stderr.write(`${set.name}, ${set.questions.length} questions …\n`);
    judged.push(...(await ask(set)));
  }
  for (const wanted of ["tuning", "held-out"] as const) {
    const of = judged.filter(({ question }) => question.side === wanted);
    if (of.length > 0) yield result(wanted, of);
  }
}

async function ask({ tree, questions }: QuestionSet): Promise<Judged[]> {
  const subject = await openSubject({ workspace: tree });
  const search = async (query: string, limit: number) =>
    (await subject.call("code.search", { query, limit })).data as CodeSearchData;
  try {
    for (;;) {
      const { index } = await search("anything", 1);
      if (!index || (index.indexed === index.files && index.outlined === index.outlinable)) break;
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

function result(side: string, judged: readonly Judged[]): CaseResult {
  const kinds = [
    { kind: "commits and changelogs", of: judged.filter(({ question }) => question.from !== "comment") },
    { kind: "comments", of: judged.filter(({ question }) => question.from === "comment") },
  ].filter(({ of }) => of.length > 0);
  const byRepository = [
    ...new Set(judged.map(({ question }) => `${question.from}: ${question.repository}`)),
  ].map((kind) => ({
    kind,
    of: judged.filter(({ question }) => `${question.from}: ${question.repository}` === kind),
  }));
  return {
    group: "retrieval",
    name: `questions about ${side} repositories`,
    about:
      "The subject of a commit, or a line of a changelog, should lead to the files that it changed; the comment of a function, taken out of the text, to that function. Recall is among the first ten files (in brackets: the first ten results), a block is one result of at most 150 lines among ten. ± is half the 95 % interval over questions.",
    contenders: [],
    table: [["", "questions", "R@10", "MRR", "block", "p50/p95 ms"], ...[...kinds, ...byRepository].map(row)],
    verdicts: side === "held-out" ? kinds.flatMap(({ kind, of }) => goals(kind, of)) : [],
  };
}

function row({ kind, of }: { readonly kind: string; readonly of: readonly Judged[] }): string[] {
  const times = of.map(({ ms }) => ms).sort((one, other) => one - other);
  const at = (part: number) => times[Math.min(times.length - 1, Math.floor(times.length * part))]!.toFixed(0);
  return [
    kind,
    String(of.length),
    `${withInterval(of.map(({ recall }) => recall))} (${mean(of.map(({ recallInTen }) => recallInTen)).toFixed(3)})`,
    withInterval(of.map(({ reciprocal }) => reciprocal)),
    withInterval(of.map(({ block }) => block)),
    `${at(0.5)} / ${at(0.95)}`,
  ];
}

function goals(kind: string, of: readonly Judged[]): Verdict[] {
  const goal = (what: string, value: number, least: number): Verdict => ({
    goal: `${kind}: ${what} >= ${least}`,
    value,
    measured: value.toFixed(3),
    met: value >= least,
  });
  const recall = mean(of.map((one) => one.recall));
  if (kind === "comments")
    return [goal("R@10", recall, 0.94), goal("block", mean(of.map(({ block }) => block)), 0.8)];
  return [goal("R@10", recall, 0.7), goal("MRR", mean(of.map(({ reciprocal }) => reciprocal)), 0.52)];
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function withInterval(values: readonly number[]): string {
  const middle = mean(values);
  const variance = mean(values.map((value) => (value - middle) ** 2));
  return `${middle.toFixed(3)} ± ${(1.96 * Math.sqrt(variance / values.length)).toFixed(3)}`;
}
