/** @module-tag slow */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rounds } from "../support/rounds.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { bytesOf, type LineEnds, revisions } from "./documents.ts";
import { drifted, driftsOf } from "./drift.ts";
import { lookalikes } from "./lookalikes.ts";
import { gitDiffs, programNames, programs } from "./programs.ts";
import { revised } from "./revision.ts";
import { applyDiff, type StoredFile, type Tree, treeOf } from "./trees.ts";

const numRuns = rounds(20);
const seed = fc.readConfigureGlobal().seed!;

/** Text files for diffs, without equal lines. */
const texts = revisions({ ends: fc.constantFrom<LineEnds[]>(["\n"], ["\r\n"], ["\n", "\r\n"]) }).filter(
  ({ document }) => document.encoding.name.startsWith("UTF-8") && document.encoding.evidence.length === 0,
);

describe(`compared with ${programNames}`, () => {
  it.each([0, 1, 3])("a diff with %i lines of context gives the same bytes", async (context) => {
    await using folder = temporaryFolder();
    const cases = fc.sample(fc.oneof(texts, lookalikes), { numRuns, seed });
    const before = treeOfCases(cases, ({ document }) => bytesOf(document));
    const after = treeOfCases(cases, (revision) => bytesOf(revised(revision)));
    const options = ["--no-renames", `-U${context}`];
    const [diff] = gitDiffs(folder.path, [{ before, after, options }]) as [string];
    const agreed = agreement(folder.path, before, diff);
    expect(ours(before, diff, agreed.keys())).toEqual(agreed);
    expect(agreed.size).toBeGreaterThan(0.5 * numRuns);
  });

  it.each([1, 3])(
    "a diff of a file that others changed in the meantime gives the same bytes (context %i)",
    async (context) => {
      await using folder = temporaryFolder();
      const cases = fc.sample(
        texts
          .filter((revision) => revised(revision).lines.length > 0)
          .chain((revision) => fc.tuple(fc.constant(revision), driftsOf(revision))),
        { numRuns, seed },
      );
      const before = treeOfCases(cases, ([revision]) => bytesOf(revision.document));
      const after = treeOfCases(cases, ([revision]) => bytesOf(revised(revision)));
      const now = treeOfCases(cases, ([revision, drifts]) => bytesOf(drifted(revision, drifts).document));
      const wanted = treeOfCases(cases, ([revision, drifts]) => bytesOf(revised(drifted(revision, drifts))));
      const options = ["--no-renames", `-U${context}`];
      const [diff] = gitDiffs(folder.path, [{ before, after, options }]) as [string];
      const agreed = agreement(folder.path, now, diff);
      expect(ours(now, diff, agreed.keys())).toEqual(agreed);
      // Where not all programs apply a diff, we may, if the result is right.
      const further = ours(
        now,
        diff,
        [...now.keys()].filter((path) => !agreed.has(path)),
      );
      const applied = [...further].filter(([, outcome]) => typeof outcome !== "string");
      expect(applied).toEqual(applied.map(([path]) => [path, wanted.get(path)]));
      expect(agreed.size).toBeGreaterThan(0.2 * numRuns);
    },
  );
});

function treeOfCases<Case>(cases: readonly Case[], bytes: (each: Case) => Buffer): Tree {
  return treeOf(Object.fromEntries(cases.map((each, index) => [`case-${index}.txt`, bytes(each)])));
}

/** The common result of all programs for the files of a diff. */
function agreement(folder: string, before: Tree, diff: string): ReadonlyMap<string, StoredFile> {
  const [first, ...others] = [...programs.values()].map((apply) => apply(folder, before, diff));
  const agreed = new Map<string, StoredFile>();
  for (const [path, section] of sectionsOf(diff)) {
    // We refuse lines for the top of a file without context, because they may be meant for a new file.
    if (/^@@ -0,0 /m.test(section) && before.get(path)!.bytes !== "") continue;
    const outcome = first!.get(path);
    if (outcome && others.every((other) => other.get(path)?.bytes === outcome.bytes))
      agreed.set(path, outcome);
  }
  return agreed;
}

/** Our result for files, each with its own part of the diff, or our refusal. */
function ours(before: Tree, diff: string, paths: Iterable<string>): ReadonlyMap<string, StoredFile | string> {
  const sections = sectionsOf(diff);
  const outcomes = new Map<string, StoredFile | string>();
  for (const path of paths) {
    const section = sections.get(path);
    if (section === undefined) continue;
    const after = applyDiff(before, section);
    outcomes.set(path, after instanceof Error ? `${after.message}\n${section}` : after.get(path)!);
  }
  return outcomes;
}

function sectionsOf(diff: string): ReadonlyMap<string, string> {
  const sections = diff.split(/^(?=diff --git )/m).filter((section) => section !== "");
  return new Map(sections.map((section) => [/^diff --git a\/(\S+) /.exec(section)![1]!, section]));
}
