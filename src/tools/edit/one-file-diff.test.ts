import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { toolFixture } from "../../../test/support/tool-fixture.ts";
import { editDiff } from "./diff.ts";

const hunk = "@@ -1,2 +1,2 @@\n one\n-two\n+2\n";

it.each([
  ["without file names", hunk],
  ["with git's file names", `diff --git a/main.rs b/main.rs\n--- a/main.rs\n+++ b/main.rs\n${hunk}`],
  ["with other file names", `--- original\n+++ modified\n${hunk}`],
  ["in prose and a fence", `Here it is:\n\`\`\`diff\n${hunk}\`\`\`\n`],
])("changes only the named file with a diff %s", async (_, diff) => {
  await using opened = toolFixture();
  mkdirSync(opened.at("a"));
  for (const path of ["a/main.rs", "main.rs"]) writeFileSync(opened.at(path), "one\ntwo\n");
  await opened.run(editDiff, { path: "a/main.rs", diff });
  expect(["a/main.rs", "main.rs"].map((path) => readFileSync(opened.at(path), "utf8"))).toEqual([
    "one\n2\n",
    "one\ntwo\n",
  ]);
});

it("declares no other path", () => {
  expect(editDiff.accesses({ path: "a/b.txt", diff: `--- a/c.txt\n+++ b/c.txt\n${hunk}` })).toEqual([
    { kind: "write", path: "a/b.txt" },
  ]);
});

it("reports a missing file, even if one with a similar name exists", async () => {
  await using opened = toolFixture();
  writeFileSync(opened.at("main.rs"), "one\ntwo\n");
  expect(await opened.refusal(editDiff, { path: "a/main.rs", diff: hunk })).toEqual({
    code: "not-found",
    message: "a/main.rs does not exist",
    hint: "List the directory or search for the name to find the right path.",
  });
});

it.each([
  [
    "several files",
    `--- a\n+++ a\n${hunk}--- b\n+++ b\n${hunk}`,
    "changes 2 files, but this call can only change a.txt",
  ],
  [
    "a new file",
    "--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1 @@\n+one\n",
    "adds a file, but this call can only change a.txt",
  ],
  [
    "a deletion",
    "--- a/a.txt\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-one\n-two\n",
    "deletes a file, but this call can only change a.txt",
  ],
  [
    "a move",
    "diff --git a/a.txt b/b.txt\nsimilarity index 100%\nrename from a.txt\nrename to b.txt\n",
    "moves a file, but this call can only change a.txt",
  ],
])("refuses %s", async (_, diff, message) => {
  expect(() => editDiff.accesses({ path: "a.txt", diff })).toThrow(`The diff ${message}`);
});
