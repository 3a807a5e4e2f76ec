import { fork } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { readModelSettings } from "../../src/agent/read-model-settings.ts";
import { termsOf } from "../../src/code/search/terms.ts";
import type { Embedder } from "../../src/contract/embeddings.ts";
import { openEmbedder } from "../../src/models/embeddings.ts";
import { dataPath } from "../data/data.ts";
import type { CaseResult, Verdict } from "../harness.ts";
import { ask, type Judged, mean, withInterval } from "./ask-questions.ts";
import { type QuestionSet, questionSets } from "./question-sets.ts";
import type { Question } from "./questions.ts";

/** Without ox, ai and python-django, which were used to choose the weight of meaning. */
const repositories = ["viem", "fabric", "librsvg", "guava-libraries"] as const;
/** Small files only, because even a small model takes a tenth of a second for a piece of code. */
const maxBytes = 25_000;

interface MeaningOptions {
  /** Only repositories whose name contains this. */
  readonly only: string;
  /** A model as in the setting `embeddings`. Default: a small English one. */
  readonly embeddings?: string | undefined;
}

/** Judged answers to the same questions in the same order. */
interface Compared {
  readonly kind: string;
  readonly words: readonly Judged[];
  readonly both: readonly Judged[];
}

/**
 * Asks for functions by their comments, which are taken out of the code, and by what is left of the comments without
 * the words of the declaration and the path. Compares search by words with search by words and meaning.
 */
export async function* measureMeaning({ only, embeddings }: MeaningOptions): AsyncGenerator<CaseResult> {
  await using model = embeddings === undefined ? await sentenceModel() : await chosenModel(embeddings);
  const compared: Compared[] = [];
  for (const name of repositories.filter((name) => name.includes(only))) {
    const set = await smallSet(name);
    const nameless = set.questions.flatMap((question) => withoutNames(question, set.tree));
    for (const [kind, questions] of [
      ["comments", set.questions],
      ["comments without names", nameless],
    ] as const) {
      process.stderr.write(`${name}, ${questions.length} ${kind} …\n`);
      const words = await ask({ ...set, questions });
      const both = await ask({ ...set, questions }, { embedder: model.embedder });
      compared.push({ kind, words, both });
    }
  }
  yield result(compared, model.embedder.model);
}

/** The tree has only the files that answer a question. */
async function smallSet(name: string): Promise<QuestionSet> {
  const sets = await questionSets(name);
  const { tree: from, questions } = sets.find((set) => set.questions[0]!.from === "comment")!;
  const tree = join(dataPath("retrieval"), "small", name);
  const few = questions.filter(({ files: [path] }) => statSync(join(from, path!)).size < maxBytes);
  for (const path of few.flatMap(({ files }) => files)) {
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    copyFileSync(join(from, path), join(tree, path));
  }
  return { name, tree, questions: few };
}

/** Removes the words of the declaration and the path. Leaves out a question with fewer than three other words. */
function withoutNames(question: Question, tree: string): Question[] {
  const [path = ""] = question.files;
  const declaration = readFileSync(join(tree, path), "utf8").split("\n")[question.block!.firstLine - 1];
  const named = new Set(termsOf(`${declaration} ${path}`));
  const isNamed = (word: string) => termsOf(word).some((term) => named.has(term));
  const words = question.text.split(/\s+/).filter((word) => !isNamed(word));
  const text = words.join(" ");
  return (text.match(/[A-Za-z]{3,}/g) ?? []).length < 3 ? [] : [{ ...question, text }];
}

function result(compared: readonly Compared[], model: string): CaseResult {
  const kinds = [...new Set(compared.map(({ kind }) => kind))].map((kind): Compared => {
    const of = compared.filter((one) => one.kind === kind);
    return { kind, words: of.flatMap(({ words }) => words), both: of.flatMap(({ both }) => both) };
  });
  return {
    group: "meaning",
    name: "words alone and with an embedding model",
    about: `The comment of a function, taken out of the code, should lead to that function; harder, without the words of its declaration and its path. Files below ${maxBytes / 1000} kB of ${repositories.join(", ")}, in which the answers are. R@10 and MRR are those of files; block is the share of questions whose function is among ten results. The difference is that of the same questions, ± half of its 95 % interval. The model is ${model}.`,
    contenders: [],
    table: [["questions", "by", "number", "R@10", "MRR", "block"], ...kinds.flatMap(rows)],
    verdicts: kinds.map(goal),
  };
}

const measures = ["recall", "reciprocal", "block"] as const;

function rows({ kind, words, both }: Compared): string[][] {
  const row = (by: string, values: (measure: (typeof measures)[number]) => readonly number[]) => [
    kind,
    by,
    String(words.length),
    ...measures.map((measure) => withInterval(values(measure))),
  ];
  return [
    row("words", (measure) => words.map((one) => one[measure])),
    row("words and meaning", (measure) => both.map((one) => one[measure])),
    row("difference", (measure) => both.map((one, index) => one[measure] - words[index]![measure])),
  ];
}

function goal({ kind, words, both }: Compared): Verdict {
  const value = mean(both.map(({ block }) => block)) - mean(words.map(({ block }) => block));
  const goal = `${kind}: meaning lowers block by at most 0.02`;
  return { goal, value, measured: value.toFixed(3), met: value >= -0.02 };
}

interface OpenModel extends AsyncDisposable {
  readonly embedder: Embedder;
}

async function chosenModel(id: string): Promise<OpenModel> {
  return {
    embedder: openEmbedder(id, await readModelSettings(), process.env, patient),
    [Symbol.asyncDispose]: async () => {},
  };
}

/** Long deadlines, because the model is slow on a busy machine. */
const patient = { queryMs: 120_000, documentsMs: 1_200_000 };

/** A general English model, in a process of its own. */
async function sentenceModel(): Promise<OpenModel> {
  const server = fork(new URL("sentence-server.ts", import.meta.url), { stdio: "inherit" });
  const [port] = await once(server, "message");
  const providers = { bench: { type: "openai-chat", baseUrl: `http://127.0.0.1:${port}/v1` } } as const;
  return {
    embedder: openEmbedder("bench/universal-sentence-encoder-lite", { providers }, {}, patient),
    [Symbol.asyncDispose]: async () => {
      const exit = once(server, "exit");
      server.disconnect();
      await exit;
    },
  };
}
