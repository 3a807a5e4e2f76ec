/** @module-tag slow */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ToolError } from "../../src/contract/error.ts";
import { planEdits } from "../../src/edit/plan-edits.ts";
import { roundsFactor } from "../support/rounds.ts";
import { allDamages, type Task, tasksOf } from "./damages.ts";
import { hunksOf, modify } from "./modification.ts";
import { Random } from "./random.ts";

const root = join(import.meta.dirname, "../..");
const random = new Random(1);

/** Changes of our own documents and sources, as a model would request them. */
const subjects = globSync(["docs/**/*.md", "src/lib/*.ts", "src/pipeline/**/*.ts"], { cwd: root })
  .sort()
  .filter((path) => path !== "docs/benchmarks.md")
  // All of them take a minute: `npm run test:long` takes them all.
  .filter((_, index) => index % Math.max(1, Math.round(9 / roundsFactor)) === 0)
  .flatMap((path) => {
    const lines = readFileSync(join(root, path), "utf8").slice(0, -1).split("\n");
    // Changes of a few lines name all of them. Blanks after the last one are then not part of the text, and stay.
    if (lines.length < 10) return [];
    const modification = modify(path, lines, random);
    const hunks = hunksOf(modification, 3);
    return hunks && hunks.length > 0 ? [{ modification, hunks }] : [];
  });

/** A refusal is never wrong; any result other than the expected bytes is. */
function outcomeOf(task: Task): "right" | "refused" | "wrong" {
  try {
    const [plan, ...others] = planEdits(task.request, (path) => (path === task.path ? task.file : undefined));
    const after = plan && "after" in plan ? plan.after : undefined;
    const isRight = others.length === 0 && after !== undefined && Buffer.from(after).equals(task.expected);
    return task.expectation !== "refused" && isRight ? "right" : "wrong";
  } catch (error) {
    if (error instanceof ToolError) return "refused";
    throw error;
  }
}

it("never applies a damaged edit wrongly", () => {
  const wrong: string[] = [];
  let right = 0;
  for (const [index, subject] of subjects.entries()) {
    const foreign = subjects[(index + 7) % subjects.length]!;
    for (const task of tasksOf({ ...subject, random, foreign }, allDamages)) {
      const verdict = outcomeOf(task);
      if (verdict === "right") right += 1;
      if (verdict === "wrong") wrong.push(`${task.damage} [${task.kind}] ${task.path}`);
    }
  }
  expect(wrong).toEqual([]);
  expect(right).toBeGreaterThan(300);
});
