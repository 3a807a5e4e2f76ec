import fc from "fast-check";
import { expect, it } from "vitest";
import type { EditRequest } from "../../src/edit/edit-request.ts";
import { rounds } from "../support/rounds.ts";
import { applied, attempt, path } from "./attempt.ts";
import { bytesOf } from "./documents.ts";
import { lookalikes } from "./lookalikes.ts";
import { type Hunk, newLines } from "./modification.ts";
import { asClosedReplace, asDiff, asPatch, asReplace, diffLines, patchLines } from "./render.ts";
import { hunksOfRevision, revised } from "./revision.ts";

const ways: readonly [string, (hunks: readonly Hunk[]) => EditRequest, { readonly mayBeOpen: boolean }][] = [
  ["a patch", (hunks) => asPatch(patchLines(path, hunks)), { mayBeOpen: true }],
  ["a diff", (hunks) => asDiff(diffLines(path, hunks)), { mayBeOpen: true }],
  ["a replacement", (hunks) => asReplace(path, hunks), { mayBeOpen: true }],
  // A line end that the last line does not have may make the text equal to another line.
  ["a replacement with the final line end", (hunks) => asClosedReplace(path, hunks), { mayBeOpen: false }],
];

it.each(ways)("%s among lookalikes changes the right lines or nothing", (_, render, { mayBeOpen }) => {
  const numRuns = rounds(125);
  let done = 0;
  fc.assert(
    fc.property(lookalikes, fc.integer({ min: 0, max: 3 }), (revision, context) => {
      const hunks = hunksOfRevision(revision, context);
      const request = render(hunks);
      fc.pre(hunks.length > 0 && (mayBeOpen || revision.document.lines.at(-1)!.end !== ""));
      // Replacing text with nothing leaves its line end.
      fc.pre(request.kind !== "replace" || hunks.every((hunk) => newLines(hunk).length > 0));
      const outcome = attempt(bytesOf(revision.document), request);
      if ("refused" in outcome) return;
      done += 1;
      expect(outcome).toEqual(applied(bytesOf(revised(revision))));
    }),
    { numRuns },
  );
  expect(done).toBeGreaterThan(0.3 * numRuns);
});

it("reads a context line that looks like a header as context", () => {
  const shown = "@@ -1,4 +1,4 @@";
  const file = Buffer.from(`first\n${shown}\n drifted\n last\nother\n${shown}\n greets\n last\n`);
  const patch = ["@@", " first", "+added", ` ${shown}`, "-  greets", "+  changed", "   last"];
  const lines = ["*** Begin Patch", `*** Update File: ${path}`, ...patch, "*** End Patch"];
  expect(attempt(file, { kind: "patch", patch: lines.join("\n") })).toMatchObject({
    refused: expect.anything(),
  });
});
