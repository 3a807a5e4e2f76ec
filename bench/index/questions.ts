import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Random } from "../data/random.ts";

/** Names that the files define, as people search for them. */
export function sampleNames(tree: string, paths: readonly string[], count: number): readonly string[] {
  const random = new Random(11);
  const names = new Set<string>();
  while (names.size < count) {
    const text = readFileSync(join(tree, paths[random.below(paths.length)]!), "utf8");
    const found = [...text.matchAll(definition)];
    const name = found[random.below(Math.max(found.length, 1))]?.[1];
    if (name !== undefined) names.add(name);
  }
  return [...names];
}

const definition =
  /\b(?:function|class|struct|fn|func|def|interface|type|enum|trait|const|#define)\s+([A-Za-z_]\w{3,40})/g;

/** Three words of nearby lines, like a query from memory. */
export function sampleQuestions(tree: string, paths: readonly string[], count: number): readonly string[] {
  const random = new Random(12);
  const questions: string[] = [];
  while (questions.length < count) {
    const lines = readFileSync(join(tree, paths[random.below(paths.length)]!), "utf8").split("\n");
    const first = random.below(lines.length);
    const words =
      lines
        .slice(first, first + 5)
        .join(" ")
        .match(/[A-Za-z]{4,}/g) ?? [];
    const chosen = new Set(words.filter((_, index) => index % 2 === 0).slice(0, 4));
    if (chosen.size >= 3) questions.push([...chosen].join(" "));
  }
  return questions;
}
