/** @module-tag slow */
import { expect, it } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { gitDiffs, programs } from "./programs.ts";
import { treeChanges } from "./tree-changes.ts";
import { applyDiff, treeOf } from "./trees.ts";

const pairs = treeChanges.map(([, before, after, ...options]) => ({
  before: treeOf(before),
  after: treeOf(after),
  options: ["-M", ...options],
}));

it("applies every git diff correctly", async () => {
  await using folder = temporaryFolder();
  const diffs = gitDiffs(folder.path, pairs);
  const outcomes = pairs.map(({ before }, index) => applyDiff(before, diffs[index]!));
  expect(named(outcomes, diffs)).toEqual(
    named(
      pairs.map(({ after }) => after),
      diffs,
    ),
  );
});

it("applies every diff of `diff -ruN` as git apply does", async () => {
  await using folder = temporaryFolder();
  const gitApply = programs.get("git apply")!;
  for (const [index, diff] of gitDiffs(folder.path, pairs).map(asPlainDiff).entries()) {
    if (diff === undefined) continue;
    const { before, after } = pairs[index]!;
    const outcomes = { git: gitApply(folder.path, before, diff), ours: applyDiff(before, diff) };
    expect([diff, outcomes]).toEqual([diff, { git: after, ours: after }]);
  }
});

function named(outcomes: readonly unknown[], diffs: readonly string[]): readonly unknown[] {
  return treeChanges.map(([name], index) => ({ name, diff: diffs[index], outcome: outcomes[index] }));
}

/**
 * A diff without the lines that only git adds, and with time stamps (1970 for a missing file); undefined where git's
 * lines are needed.
 */
function asPlainDiff(diff: string): string | undefined {
  if (!diff.includes("\n@@ ") || /^(?:old mode|rename|copy|new file mode 100755)|^diff --git "/m.test(diff))
    return undefined;
  return diff
    .replace(/^(?:diff --git|index|new file mode|deleted file mode) .*\n/gm, "")
    .replace(/^--- \/dev\/null\n\+\+\+ b\/(.*)$/gm, `--- a/$1\t${epoch}\n+++ b/$1\t${today}`)
    .replace(/^--- a\/(.*)\n\+\+\+ \/dev\/null$/gm, `--- a/$1\t${today}\n+++ b/$1\t${epoch}`)
    .replace(/^--- ([^\t\n]*)\t?\n\+\+\+ ([^\t\n]*)\t?$/gm, `--- $1\t${today}\n+++ $2\t${today}`);
}

const epoch = "1970-01-01 00:00:00.000000000 +0000";
const today = "2026-11-15 05:44:50.629464221 +0000";
