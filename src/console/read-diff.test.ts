import { describe, expect, it } from "vitest";
import { diffContents } from "../edit/rewrite/show-diff.ts";
import { readDiff, toFileDiff } from "./read-diff.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const diffOf = (path: string, before: string, after: string) =>
  diffContents({ path, before: bytes(before), after: bytes(after) });

describe("readDiff", () => {
  it("reads several files", () => {
    const text = diffOf("a b.txt", "1\n2\n", "1\n3\n") + diffOf("c.txt", "x", "x\n");
    expect(readDiff(text).map(({ path, hunks }) => [path, hunks.length])).toEqual([
      ["a b.txt", 1],
      ["c.txt", 1],
    ]);
  });

  it("does not take content for the header of another file", () => {
    const before = "a\n-- /etc/passwd\nz\n";
    const after = "a\n++ /dev/null\n@@ -1 +1 @@\nz\n";
    const files = readDiff(diffOf("notes.txt", before, after));
    expect(files.map(({ path }) => path)).toEqual(["notes.txt"]);
    expect(files[0]!.hunks.flatMap(({ lines }) => lines.map(({ kind, text }) => kind + text))).toEqual([
      " a",
      "--- /etc/passwd",
      "+++ /dev/null",
      "+@@ -1 +1 @@",
      " z",
    ]);
  });

  it("keeps a file name with a line break quoted", () => {
    expect(readDiff(diffOf("a\nb.txt", "1\n", "2\n"))).toMatchObject([
      { path: '"a\\nb.txt"', kind: "changed" },
    ]);
  });

  it.each([
    ["a sentence", "Deletes 3 files.\n"],
    ["a hunk that is cut", "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n 1\n"],
    ["text after the diff", `${diffOf("a", "1\n", "2\n")}and more\n`],
  ])("shows %s as it is", (_name, text) => {
    expect(readDiff(text)).toEqual([]);
  });
});

describe("toFileDiff", () => {
  const nothing = { kind: "nothing" } as const;
  const file = { kind: "file", hash: "", bytes: 1, mode: 0o644 } as const;

  it("keeps the numbers of hunks, and lines that are not of a file out", () => {
    const diff = "--- a/x\n+++ b/x\n@@ -9 +9 @@ hunk 4\n-a\n+b\n\\ No newline at end of file\n";
    expect(toFileDiff({ path: "x", before: file, after: file, diff })).toEqual({
      path: "x",
      kind: "changed",
      movedFrom: null,
      note: null,
      hunks: [
        {
          number: 4,
          oldStart: 9,
          newStart: 9,
          lines: [
            { kind: "-", text: "a" },
            { kind: "+", text: "b" },
          ],
        },
      ],
    });
  });

  it("names what happened to a file without hunks", () => {
    const of = (path: string, change: object) =>
      toFileDiff({ path, before: nothing, after: file, diff: "", ...change });
    expect([
      of("a", { diff: "+ empty file a\n" }),
      of("b", { before: file, after: nothing }),
      of("c", { before: file, movedFrom: "d", diff: "moved d to c\n" }),
    ]).toMatchObject([
      { kind: "created", note: "+ empty file a", hunks: [] },
      { kind: "removed", note: null },
      { kind: "moved", movedFrom: "d", note: "moved d to c" },
    ]);
  });
});
