import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { EditRequest } from "../../src/edit/edit-request.ts";
import { rounds } from "../support/rounds.ts";
import { applied, attempt, path } from "./attempt.ts";
import { bytesOf, type DocumentOptions, documents, lineFeeds, oneLineEnd, revisions } from "./documents.ts";
import { type Hunk, newLines } from "./modification.ts";
import { asClosedReplace, asDiff, asPatch, asReplace, diffLines, patchLines } from "./render.ts";
import { hunksOfRevision, revised } from "./revision.ts";

const numRuns = rounds(38);
const context = fc.integer({ min: 1, max: 3 });

describe("with any encoding and line ends", () => {
  it.each<[string, (hunks: readonly Hunk[]) => EditRequest, DocumentOptions]>([
    ["a patch", (hunks) => asPatch(patchLines(path, hunks)), {}],
    ["a diff", (hunks) => asDiff(diffLines(path, hunks)), {}],
    ["a patch with carriage returns", (hunks) => asPatch(patchLines(path, hunks).map(returned)), {}],
    ["a diff with carriage returns", (hunks) => asDiff(diffLines(path, hunks).map(returned)), {}],
    ["a replacement", (hunks) => asReplace(path, hunks), { ends: oneLineEnd }],
    ["a replacement with the final line end", (hunks) => asClosedReplace(path, hunks), { ends: lineFeeds }],
  ])("%s changes exactly the bytes of the lines it names", (_, render, options) => {
    fc.assert(
      fc.property(revisions(options), context, (revision, lines) => {
        const hunks = hunksOfRevision(revision, lines);
        const request = render(hunks);
        // Replacing text with nothing leaves its line end.
        fc.pre(request.kind !== "replace" || hunks.every((hunk) => newLines(hunk).length > 0));
        expect(attempt(bytesOf(revision.document), request)).toEqual(applied(bytesOf(revised(revision))));
      }),
      { numRuns },
    );
  });

  it("replacing text inside a line changes no other byte", () => {
    const pieces = documents().chain((document) =>
      fc.record({
        document: fc.constant(document),
        index: fc.integer({ min: document.encoding.evidence.length, max: document.lines.length - 1 }),
        cut: fc.nat({ max: 12 }),
        replace: fc.constantFrom(
          ...document.encoding.words,
          "$&",
          "$1$2",
          "$`",
          "$'",
          "$<x>",
          "\\n",
          "\\\\1",
          "",
          "\t",
        ),
      }),
    );
    fc.assert(
      fc.property(pieces, ({ document, index, cut, replace }) => {
        const { text, end } = document.lines[index]!;
        const characters = [...text];
        const tag = [...text.slice(0, text.indexOf("#"))].length;
        const start = Math.min(cut, tag);
        const find = characters.slice(start).join("");
        const lines = document.lines.with(index, {
          text: characters.slice(0, start).join("") + replace,
          end,
        });
        fc.pre(find !== replace);
        expect(attempt(bytesOf(document), { kind: "replace", path, edits: [{ find, replace }] })).toEqual(
          applied(bytesOf({ ...document, lines })),
        );
      }),
      { numRuns },
    );
  });
});

function returned(line: string): string {
  return `${line}\r`;
}
