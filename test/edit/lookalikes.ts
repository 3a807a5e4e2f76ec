import fc from "fast-check";
import { type Revision, utf8 } from "./documents.ts";

/** Lines that look similar, and lines that look like something else. */
const alphabets: readonly (readonly string[])[] = [
  ["a", "b"],
  ["a", "b", ""],
  ["return value;", "  return value;", "", "}", "  }"],
  ["first call", "  first call", "\tfirst call", "first call ", "second call", "third call"],
  ["“a” – b", '"a" - b', "it’s", "it's", "café", "cafe\u0301", "x\u00a0y", "x y"],
  [
    "@@",
    "@@ a",
    "@@ -1,2 +1,2 @@",
    "*** End Patch",
    "*** Begin Patch",
    "*** End of File",
    "*** Update File: x",
    "a",
  ],
  [
    "- a",
    "-- a",
    "++ b",
    "+ b",
    "-- a/x",
    "++ b/x",
    "\\ No newline at end of file",
    "diff --git a/x b/x",
    "a",
    "",
  ],
  ["```", "```ts", "1 | a", "2 | a", "1\ta", "12: a", "a", "EOF", "<<EOF", "$ a"],
  ['say("a\\n")', 'say(\\"a\\\\n\\")', "a\\tb", "a\tb", "\\n", "\\\\n", '"', '\\"'],
];

export const lookalikes: fc.Arbitrary<Revision> = fc
  .tuple(fc.constantFrom(...alphabets), fc.constantFrom("\n" as const, "\r\n" as const), fc.boolean())
  .chain(([alphabet, end, isClosed]) => {
    const line = fc.constantFrom(...alphabet);
    const lines = (minLength: number) => fc.array(line, { minLength, maxLength: 3 });
    const none = { weight: 6, arbitrary: fc.constant<string[]>([]) };
    const entry = fc.record({
      text: line,
      inserted: fc.oneof(none, lines(1)),
      becomes: fc.oneof({ weight: 5, arbitrary: fc.constant("itself" as const) }, lines(0)),
    });
    return fc
      .record({
        entries: fc.array(entry, { minLength: 1, maxLength: 12 }),
        appended: fc.oneof(none, lines(1)),
      })
      .map(({ entries, appended }) => ({
        document: {
          encoding: utf8,
          lines: entries.map(({ text }, index) => ({
            text,
            end: index === entries.length - 1 && !isClosed && text !== "" ? ("" as const) : end,
          })),
        },
        steps: entries,
        appended,
      }));
  });
