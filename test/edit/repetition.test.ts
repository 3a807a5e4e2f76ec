/** @module-tag slow */
import { expect, it } from "vitest";
import type { EditRequest } from "../../src/edit/edit-request.ts";
import { type Attempt, attempt, path } from "./attempt.ts";

/** Repetitive files and calls, on which an algorithm that compares all pairs would not finish. */
const shapes: readonly [string, string, EditRequest, Attempt][] = [
  [
    "text of many equal lines without a match",
    "a\n".repeat(100_000),
    replace(`${"a\n".repeat(1000)}b`, "x"),
    { refused: "no-match" },
  ],
  [
    "text of many equal lines and another without a match",
    "a\n".repeat(1_000_000),
    replace(`${"a\n".repeat(100)}b\n${"a\n".repeat(1900)}`, "x"),
    { refused: "no-match" },
  ],
  [
    "text of many equal lines that matches everywhere",
    "a\n".repeat(100_000),
    replace("a\n".repeat(1000), "x"),
    { refused: "ambiguous-match" },
  ],
  [
    "a hunk of many equal lines without a match",
    "value\n".repeat(100_000),
    patch([...lines(1000, () => " value"), "-other", "+x"]),
    { refused: "no-match" },
  ],
  [
    "a hunk of many equal lines that matches everywhere",
    "value\n".repeat(100_000),
    patch([...lines(1000, () => " value"), "-value", "+x"]),
    { refused: "ambiguous-match" },
  ],
  [
    "a hunk of many equal lines with other indentation",
    "    return value;\n".repeat(50_000),
    patch([...lines(200, () => " return value;"), "-return x;", "+x"]),
    { refused: "no-match" },
  ],
  [
    "a hunk of many blank lines",
    "\n".repeat(100_000),
    patch([...lines(2000, () => " "), "-x", "+y"]),
    { refused: "no-match" },
  ],
  [
    "a long line in other glyphs",
    "ab “c” ".repeat(200_000),
    replace('ab "c" ab "c" z', "x"),
    { refused: "no-match" },
  ],
  [
    "every match of a long line",
    "ab".repeat(50_000),
    { kind: "replace", path, edits: [{ find: "ab", replace: "c", all: true }] },
    { after: "c".repeat(50_000) },
  ],
  [
    "overlapping text",
    "a".repeat(150_000),
    { kind: "replace", path, edits: [{ find: "aaa", replace: "c", all: true }] },
    { refused: "ambiguous-match" },
  ],
  [
    "many backslashes",
    `${"\\".repeat(100_000)}\n`,
    replace(`${"\\".repeat(50_001)}"`, "x"),
    { refused: "no-match" },
  ],
  [
    "many edits in other glyphs",
    lines(1000, (index) => `line “${index}”;\n`).join(""),
    {
      kind: "replace",
      path,
      edits: lines(1000, (index) => ({ find: `line "${index}";`, replace: `row ${index};` })),
    },
    { after: lines(1000, (index) => `row ${index};\n`).join("") },
  ],
  [
    "many lines in other glyphs",
    lines(5000, (index) => `line “${index}”;\n`).join(""),
    replace(
      lines(5000, (index) => `line "${index}";\n`).join(""),
      lines(5000, (index) => (index % 2 === 0 ? `line "${index}";\n` : `row ${index};\n`)).join(""),
    ),
    {
      after: latin1(
        lines(5000, (index) => (index % 2 === 0 ? `line “${index}”;\n` : `row ${index};\n`)).join(""),
      ),
    },
  ],
  [
    "many numbered lines",
    "a\n".repeat(50_000),
    replace(lines(5000, (index) => `${index + 1} | b`).join("\n"), "x"),
    { refused: "no-match" },
  ],
  [
    "many headers",
    "function a() {\n}\n".repeat(2000),
    patch([...lines(20, () => "@@ function a() {"), "-}", "+x"]),
    { refused: "ambiguous-match" },
  ],
  [
    "many hunks of one line each",
    "x\ny\n".repeat(600),
    diff(lines(300, (index) => `@@ -${4 * index + 1} +${4 * index + 1} @@\n-x\n+row`)),
    { after: "row\ny\nx\ny\n".repeat(300) },
  ],
  [
    "many headers of files without a hunk",
    "a\n",
    { kind: "diff", diff: "--- a\n+++ b\n".repeat(10_000) },
    { refused: "invalid-input" },
  ],
  [
    "many starts of a patch",
    "a\n",
    { kind: "patch", patch: "*** Begin Patch\n".repeat(10_000) },
    { refused: "invalid-input" },
  ],
  ["carriage returns only", "a\r".repeat(50_000), replace("a\nb", "x"), { refused: "no-match" }],
];

it.each(shapes)("handles %s", (_, file, request, expected) => {
  expect(attempt(Buffer.from(file), request)).toEqual(expected);
});

function lines<Item>(count: number, of: (index: number) => Item): Item[] {
  return Array.from({ length: count }, (_, index) => of(index));
}

function replace(find: string, text: string): EditRequest {
  return { kind: "replace", path, edits: [{ find, replace: text }] };
}

function patch(body: readonly string[]): EditRequest {
  return {
    kind: "patch",
    patch: ["*** Begin Patch", `*** Update File: ${path}`, "@@", ...body, "*** End Patch"].join("\n"),
  };
}

function diff(hunks: readonly string[]): EditRequest {
  return { kind: "diff", diff: [`--- a/${path}`, `+++ b/${path}`, ...hunks, ""].join("\n") };
}

function latin1(text: string): string {
  return Buffer.from(text).toString("latin1");
}
