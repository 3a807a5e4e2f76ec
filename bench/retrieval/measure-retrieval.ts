import type { CaseResult, Verdict } from "../harness.ts";
import { ask, type Judged, mean, withInterval } from "./ask-questions.ts";
import { questionSets } from "./question-sets.ts";

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
