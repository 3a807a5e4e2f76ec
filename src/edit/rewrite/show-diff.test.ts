import fc from "fast-check";
import { expect, it } from "vitest";
import { unquoteC } from "../../lib/text/unquote-c.ts";
import { diffContents } from "./show-diff.ts";

const diff = (before: string | undefined, after: string | undefined) =>
  diffContents({
    path: "a.txt",
    before: before === undefined ? "nothing" : Buffer.from(before),
    after: after === undefined ? "nothing" : Buffer.from(after),
  });

it("writes an absolute path without a prefix", () => {
  const shown = diffContents({ path: "/tmp/a.txt", before: Buffer.from("1\n"), after: Buffer.from("2\n") });
  expect(shown).toBe("--- /tmp/a.txt\n+++ /tmp/a.txt\n@@ -1,1 +1,1 @@\n-1\n+2\n");
});

it("quotes a path with line ends, which could look like the diff of another file", () => {
  const path = "a.md\n+++ b/a.md\n@@ -1,1 +1,1 @@\n-1\n+2\n--- a/x";
  const shown = diffContents({ path, before: Buffer.from("1\n"), after: Buffer.from("2\n") });
  const [quoted] = /".*"/.exec(shown)!;
  expect([shown.split("\n").length, unquoteC(quoted)]).toEqual([6, `a/${path}`]);
  const binary = diffContents({ path, before: Buffer.from("\0\x01\x02\x03\x04"), after: Buffer.from("a\n") });
  expect(binary.split("\n").length).toBe(2);
});

it("shows changed lines with three lines of context", () => {
  const before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
  expect(diff(before, before.replace("5", "five").replace("9\n", "9"))).toBe(
    [
      "--- a/a.txt",
      "+++ b/a.txt",
      "@@ -2,8 +2,8 @@",
      " 2",
      " 3",
      " 4",
      "-5",
      "+five",
      " 6",
      " 7",
      " 8",
      "-9",
      "+9",
      "\\ No newline at end of file",
      "",
    ].join("\n"),
  );
});

it("shows a new, a deleted and an emptied file", () => {
  expect([diff(undefined, "a\nb\n"), diff("a\n", undefined), diff("a\n", ""), diff(undefined, "")]).toEqual([
    "--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1,2 @@\n+a\n+b\n",
    "--- a/a.txt\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-a\n",
    "--- a/a.txt\n+++ b/a.txt\n@@ -1,1 +0,0 @@\n-a\n",
    "",
  ]);
});

it("shows line ends when only they differ, and notes binary files", () => {
  expect(diff("a\r\n", "a\n")).toBe(
    "--- a/a.txt\n+++ b/a.txt\n@@ -1,1 +1,1 @@\n-a<U+000D><U+000A>\n+a<U+000A>\n",
  );
  expect([diff("\0\x01\x02\x03\x04", "a\n"), diff("\0\x01\x02\x03\x04", "\0\x01\x02\x03\x04")]).toEqual([
    "Binary file a.txt differs\n",
    "",
  ]);
});

it("is empty only for equal contents", () => {
  const lines = fc.array(fc.constantFrom("a", "b", "c\r", "", "d"), { maxLength: 12 });
  fc.assert(
    fc.property(lines, lines, (left, right) => {
      const [before, after] = [left.join("\n"), right.join("\n")];
      expect(diff(before, after) === "").toBe(before === after);
    }),
  );
});
