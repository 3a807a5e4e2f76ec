import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { EditRequest } from "../../src/edit/edit-request.ts";
import { rounds } from "../support/rounds.ts";
import { applied, attempt, path } from "./attempt.ts";
import { bytesOf, lineFeeds, oneLineEnd, type Revision, revisions } from "./documents.ts";
import { type Hunk, type HunkLine, newLines } from "./modification.ts";
import { asDiff, asPatch, asReplace, diffLines, patchLines } from "./render.ts";
import { hunksOfRevision, revised } from "./revision.ts";

const ways: readonly [string, (hunks: readonly Hunk[]) => EditRequest][] = [
  ["a patch", (hunks) => asPatch(patchLines(path, hunks))],
  ["a diff", (hunks) => asDiff(diffLines(path, hunks))],
  ["a replacement", replacing],
];

function replacing(hunks: readonly Hunk[]): EditRequest {
  return asReplace(path, hunks);
}

/** Spellings of a line that look the same to a model. */
const respellings: readonly [string, (line: string) => string][] = [
  ["without trailing blanks", (line) => line.trimEnd()],
  ["with trailing blanks", (line) => `${line} `],
  [
    "with plain quotes and dashes",
    (line) => line.replace(/[“”]/g, '"').replace(/’/g, "'").replace(/–/g, "-"),
  ],
  ["with composed letters", (line) => line.normalize("NFC")],
  ["with decomposed letters", (line) => line.normalize("NFD")],
  ["with plain spaces", (line) => line.replace(/(?<=\S.*)\u00a0/g, " ")],
];

describe.each(ways)("%s", (_, render) => {
  it.each(respellings)("finds context %s and leaves it unchanged", (__, respell) => {
    fc.assert(
      fc.property(
        revisions({ ends: render === replacing ? oneLineEnd : lineFeeds }),
        fc.integer({ min: 1, max: 3 }),
        (revision, context) => {
          const hunks = hunksOfRevision(revision, context);
          // Replacing text with nothing leaves its line end.
          fc.pre(hunks.every((hunk) => newLines(hunk).length > 0));
          // Trailing blanks on every line of a call are not applied to new lines either.
          fc.pre(hunks.flatMap(newLines).every((line) => line.trimEnd() === line));
          // Text that is found without its trailing blanks leaves them after the new text.
          fc.pre(
            render !== replacing ||
              hunks.every(({ lines }) => isKept(lines.findLast(({ sign }) => sign !== "+")!, respell)),
          );
          const respelled = hunks.map((hunk) => respellContext(hunk, respell));
          expect(attempt(bytesOf(revision.document), render(respelled))).toEqual(
            applied(bytesOf(revised(revision))),
          );
        },
      ),
      { numRuns: rounds(10) },
    );
  });

  it("does not match a removed line with another letter or digit", () => {
    fc.assert(
      fc.property(
        removals,
        fc.integer({ min: 0, max: 3 }),
        fc.constantFrom("x", "7", "é"),
        (revision, context, letter) => {
          const hunks = hunksOfRevision(revision, context);
          const altered = alterOne(hunks, "-", (text) => text.replace("#", `#${letter}`));
          expect(attempt(bytesOf(revision.document), render(altered))).toEqual({
            refused: expect.stringMatching(/no-match|invalid-input/),
          });
        },
      ),
      { numRuns: rounds(25) },
    );
  });

  it("tolerates one context line with another letter or digit, or refuses", () => {
    fc.assert(
      fc.property(
        revisions({ ends: oneLineEnd, minLines: 4 }),
        fc.constantFrom("x", "7", "é"),
        (revision, letter) => {
          const hunks = hunksOfRevision(revision, 3);
          fc.pre(
            hunks[0]!.lines.some(({ sign }) => sign === " ") &&
              hunks.every((hunk) => newLines(hunk).length > 0),
          );
          const altered = alterOne(hunks, " ", (text) => text.replace("#", `#${letter}`));
          const outcome = attempt(bytesOf(revision.document), render(altered));
          if ("after" in outcome) expect(outcome).toEqual(applied(bytesOf(revised(revision))));
        },
      ),
      { numRuns: rounds(25) },
    );
  });
});

const removals: fc.Arbitrary<Revision> = revisions().filter(
  (revision) => hunksOfRevision(revision, 0)[0]!.lines[0]!.sign === "-",
);

function isKept({ sign, text }: HunkLine, respell: (line: string) => string): boolean {
  return sign !== " " || respell(text) === text;
}

function respellContext(hunk: Hunk, respell: (line: string) => string): Hunk {
  return {
    ...hunk,
    lines: hunk.lines.map(({ sign, text }) => ({ sign, text: sign === " " ? respell(text) : text })),
  };
}

/** Returns the hunks with the first line of this kind altered, in the first hunk that has one. */
function alterOne(
  hunks: readonly Hunk[],
  sign: HunkLine["sign"],
  alter: (text: string) => string,
): readonly Hunk[] {
  const [first, ...others] = hunks;
  const index = first!.lines.findIndex((line) => line.sign === sign);
  const line = first!.lines[index]!;
  return [{ ...first!, lines: first!.lines.with(index, { sign, text: alter(line.text) }) }, ...others];
}

it("indents new lines between a comment and the margin as the rest of the call does", () => {
  const file = "/**\n * Says.\n */\nclass A {\n\treadonly b = 1;\n}\n";
  const find = " * Says.\n */\nclass A {\n  readonly b = 1;";
  const replace = " * Says.\n */\nfunction c() {\n  d();\n}\nclass A {\n  readonly b = 1;";
  const request: EditRequest = { kind: "replace", path, edits: [{ find, replace }] };
  expect(attempt(Buffer.from(file), request)).toEqual(
    applied(Buffer.from(file.replace("class A", "function c() {\n\td();\n}\nclass A"))),
  );
});
