import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rounds } from "../support/rounds.ts";
import { type Attempt, applied, attempt, path } from "./attempt.ts";

const numRuns = rounds(100);

/** Few letters, so that texts occur often and overlap; line feeds, so that lines do not matter. */
const letters = fc
  .array(fc.constantFrom("a", "a", "b", "\n"), { maxLength: 24 })
  .map((parts) => parts.join(""));
const finds = fc
  .array(fc.constantFrom("a", "a", "b"), { minLength: 1, maxLength: 3 })
  .map((parts) => parts.join(""));
const replaces = fc
  .array(fc.constantFrom("a", "c", "\n", "$&", "$1", "$$", "$`", "\\n", "\\", "\\1", "&"), { maxLength: 3 })
  .map((parts) => parts.join(""));

describe("a text replacement", () => {
  it("changes the only match, all matches, or nothing", () => {
    fc.assert(
      fc.property(letters, finds, replaces, fc.boolean(), (text, find, replace, all) => {
        fc.pre(text !== "" && find !== replace);
        const outcome = attempt(Buffer.from(text), {
          kind: "replace",
          path,
          edits: [{ find, replace, all }],
        });
        expect(outcome).toEqual(expectation(text, find, replace, all));
      }),
      { numRuns },
    );
  });

  it("requires the stated number of matches", () => {
    fc.assert(
      fc.property(
        letters,
        finds,
        replaces,
        fc.integer({ min: 1, max: 4 }),
        (text, find, replace, expectCount) => {
          fc.pre(text !== "" && find !== replace);
          const count = positionsOf(text, find).length;
          const outcome = attempt(Buffer.from(text), {
            kind: "replace",
            path,
            edits: [{ find, replace, expectCount }],
          });
          if (count === expectCount) expect(outcome).toEqual(expectation(text, find, replace, true));
          else expect(outcome).toEqual({ refused: count > expectCount ? "ambiguous-match" : "no-match" });
        },
      ),
      { numRuns },
    );
  });
});

function expectation(text: string, find: string, replace: string, all: boolean): Attempt {
  const positions = positionsOf(text, find);
  if (positions.length === 0) return { refused: "no-match" };
  const isOverlapping = positions.some(
    (position, index) => index > 0 && position < positions[index - 1]! + find.length,
  );
  if (isOverlapping || (positions.length > 1 && !all)) return { refused: "ambiguous-match" };
  return applied(Buffer.from(text.split(find).join(replace)));
}

/** Includes overlapping ones. */
function positionsOf(text: string, find: string): readonly number[] {
  return [...text].flatMap((_, index) => (text.startsWith(find, index) ? [index] : []));
}
