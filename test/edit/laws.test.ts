import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { EditRequest, FilePlan } from "../../src/edit/edit-request.ts";
import { planEdits } from "../../src/edit/plan-edits.ts";
import { showDiff } from "../../src/edit/rewrite/show-diff.ts";
import { rounds } from "../support/rounds.ts";
import { applied, attempt, path } from "./attempt.ts";
import { bytesOf, lineFeeds, oneLineEnd, revisions } from "./documents.ts";
import { type Hunk, newLines } from "./modification.ts";
import { asClosedReplace, asDiff, asPatch, diffLines, patchLines } from "./render.ts";
import { hunksOfRevision, revised } from "./revision.ts";

const numRuns = rounds(20);
const context = fc.integer({ min: 1, max: 3 });

const ways: readonly [string, (hunks: readonly Hunk[]) => EditRequest][] = [
  ["a patch", (hunks) => asPatch(patchLines(path, hunks))],
  ["a diff", (hunks) => asDiff(diffLines(path, hunks))],
  ["a replacement", (hunks) => asClosedReplace(path, hunks)],
];

describe.each(ways)("%s", (_, render) => {
  it("is undone by its reverse", () => {
    fc.assert(
      fc.property(revisions({ ends: oneLineEnd }), context, (revision, lines) => {
        const hunks = hunksOfRevision(revision, lines);
        const after = revised(revision);
        // A file without a line end does not show which one it had.
        fc.pre(hunks.every((hunk) => newLines(hunk).length > 0) && after.lines.some(({ end }) => end !== ""));
        const reverse = hunks.map(reversed);
        expect(attempt(bytesOf(after), render(reverse))).toEqual(applied(bytesOf(revision.document)));
      }),
      { numRuns },
    );
  });

  it("is refused when it has already been applied", () => {
    fc.assert(
      fc.property(revisions(), context, (revision, lines) => {
        const hunks = hunksOfRevision(revision, lines);
        const request = render(hunks);
        // The old text is still in a text that only grows.
        const onlyGrows = hunks.every((hunk) => hunk.lines.every(({ sign }) => sign !== "-"));
        fc.pre(request.kind !== "replace" || !onlyGrows);
        expect(attempt(bytesOf(revised(revision)), request)).toEqual({
          refused: expect.stringMatching(/no-match|invalid-input|ambiguous-match/),
        });
      }),
      { numRuns },
    );
  });

  it("has the same effect in several calls as in one, in any order", () => {
    fc.assert(
      fc.property(revisions({ ends: lineFeeds }), fc.nat(), (revision, order) => {
        const hunks = hunksOfRevision(revision, 1);
        fc.pre(hunks.length > 1 && hunks.every((hunk) => newLines(hunk).length > 0));
        const together = attempt(bytesOf(revision.document), render(rotated(hunks, order)));
        let file: Buffer = bytesOf(revision.document);
        for (const hunk of rotated(hunks, order)) {
          const step = attempt(file, render([hunk]));
          file = Buffer.from("after" in step ? step.after : step.refused, "latin1");
        }
        expect(together).toEqual(applied(file));
      }),
      { numRuns },
    );
  });

  it("reports how many lines were added", () => {
    fc.assert(
      fc.property(revisions({ ends: lineFeeds }), context, (revision, lines) => {
        const hunks = hunksOfRevision(revision, lines);
        const file = bytesOf(revision.document);
        const [plan] = planEdits(render(hunks), () => file);
        const grown = plan!.changes.reduce(
          (sum, { addedLines, removedLines }) => sum + addedLines - removedLines,
          0,
        );
        expect(grown).toBe(revised(revision).lines.length - revision.document.lines.length);
      }),
      { numRuns },
    );
  });

  it("is shown as a diff with the same effect", () => {
    fc.assert(
      fc.property(revisions({ ends: oneLineEnd }), context, (revision, lines) => {
        const hunks = hunksOfRevision(revision, lines);
        const file = bytesOf(revision.document);
        const [plan] = planEdits(render(hunks), () => file);
        expect(attempt(file, { kind: "diff", diff: showDiff(plan as FilePlan) })).toEqual(
          applied(bytesOf(revised(revision))),
        );
      }),
      { numRuns },
    );
  });
});

function reversed(hunk: Hunk): Hunk {
  const signs = { "+": "-", "-": "+", " ": " " } as const;
  return { ...hunk, lines: hunk.lines.map(({ sign, text }) => ({ sign: signs[sign], text })) };
}

function rotated<Item>(items: readonly Item[], by: number): readonly Item[] {
  const start = by % items.length;
  return [...items.slice(start), ...items.slice(0, start)];
}
