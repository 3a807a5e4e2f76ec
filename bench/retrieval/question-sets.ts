import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { openCode } from "../../src/code/open-code.ts";
import { ToolError } from "../../src/contract/error.ts";
import { fileRoles, roleOf } from "../../src/lib/file-roles.ts";
import { dataPath } from "../data/data.ts";
import { Random } from "../data/random.ts";
import { type Commented, commentedFunctions, withoutComments } from "./comment-questions.ts";
import { isSource, type Question } from "./questions.ts";
import { getRepositories, type Repository } from "./repositories.ts";

/** Questions about one tree. */
export interface QuestionSet {
  readonly name: string;
  readonly tree: string;
  readonly questions: readonly Question[];
}

const mostOfCommits = 30;
const mostOfComments = 40;

/** Made once; the same each time. */
export async function questionSets(only: string): Promise<QuestionSet[]> {
  const sets: QuestionSet[] = [];
  for (const repository of getRepositories((name) => name.includes(only))) {
    if (repository.questions.length >= 3) sets.push(changesOf(repository));
    if (repository.comments) sets.push(await commentsOf(repository));
  }
  return sets.filter(({ questions }) => questions.length > 0);
}

function changesOf({ name, side, tree, from, questions }: Repository): QuestionSet {
  const some = sample(questions, mostOfCommits);
  return { name, tree, questions: some.map((question) => ({ ...question, repository: name, side, from })) };
}

/** In a copy of the tree without the comments that are used as questions. */
async function commentsOf({ name, side, tree }: Repository): Promise<QuestionSet> {
  const copy = join(dataPath("retrieval"), "uncommented", name.replace("/", "-"));
  const kept = `${copy}.json`;
  if (existsSync(kept)) {
    return { name, tree: copy, questions: JSON.parse(readFileSync(kept, "utf8")) as Question[] };
  }
  process.stderr.write(`Reading the comments of ${name} …\n`);
  const found = await explainedFunctions(tree);
  const times = new Map<string, number>();
  for (const { text } of found) times.set(text, (times.get(text) ?? 0) + 1);
  const chosen = sample(
    found.filter(({ text }) => times.get(text) === 1),
    mostOfComments,
  );
  cpSync(tree, copy, { recursive: true, verbatimSymlinks: true });
  for (const path of new Set(chosen.map((one) => one.path))) {
    const comments = chosen.filter((one) => one.path === path).map(({ comment }) => comment);
    writeFileSync(join(copy, path), withoutComments(readFileSync(join(tree, path), "utf8"), comments));
  }
  const questions = chosen.map(
    ({ text, path, symbol }): Question => ({
      repository: name,
      side,
      from: "comment",
      text,
      files: [path],
      block: { firstLine: symbol.line, lastLine: symbol.lastLine },
    }),
  );
  mkdirSync(dirname(kept), { recursive: true });
  writeFileSync(kept, JSON.stringify(questions));
  return { name, tree: copy, questions };
}

async function explainedFunctions(tree: string): Promise<(Commented & { readonly path: string })[]> {
  const code = openCode({
    workspace: tree,
    directory: join(dataPath("retrieval"), "state"),
    reads: () => ({ key: "", guard: () => undefined }),
  });
  const found: (Commented & { readonly path: string })[] = [];
  try {
    for (const path of sourcesIn(tree)) {
      const text = readFileSync(join(tree, path), "utf8");
      try {
        const { symbols } = await code.outline({ path, text }, { signal: new AbortController().signal });
        found.push(...commentedFunctions(text, symbols).map((one) => ({ ...one, path })));
      } catch (error) {
        if (!(error instanceof ToolError)) throw error;
      }
    }
  } finally {
    await code.close();
  }
  return found;
}

function sourcesIn(tree: string): string[] {
  return readdirSync(tree, { recursive: true, encoding: "utf8" })
    .filter((path) => isSource(path) && fileRoles[roleOf(path)] === "code" && !/(?:^|\/)\./.test(path))
    .filter((path) => {
      const info = statSync(join(tree, path), { throwIfNoEntry: false });
      return info?.isFile() && info.size < 600_000;
    })
    .sort();
}

function sample<Item>(items: readonly Item[], most: number): Item[] {
  const random = new Random(7);
  return items
    .map((item) => ({ item, order: random.below(2 ** 30) }))
    .sort((one, other) => one.order - other.order)
    .slice(0, most)
    .map(({ item }) => item);
}
