import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { schemaFaults, toolFixture } from "../../../test/support/tool-fixture.ts";
import { editDiff } from "./diff.ts";

describe("edit.diff", () => {
  it("applies git diffs: changes, new and deleted files, renames and modes", async () => {
    await using opened = toolFixture();
    mkdirSync(opened.at("src"));
    writeFileSync(opened.at("src/a.ts"), "one\ntwo\n");
    writeFileSync(opened.at("old.txt"), "same\n");
    writeFileSync(opened.at("gone.txt"), "x\n");
    writeFileSync(opened.at("run.sh"), "echo\n");
    chmodSync(opened.at("run.sh"), 0o644);
    const diff = [
      "diff --git a/src/a.ts b/src/a.ts\n--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1,2 +1,2 @@\n one\n-two\n+2",
      "diff --git a/old.txt b/new.txt\nsimilarity index 100%\nrename from old.txt\nrename to new.txt",
      "diff --git a/gone.txt b/gone.txt\ndeleted file mode 100644\n--- a/gone.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-x",
      "diff --git a/bin/go b/bin/go\nnew file mode 100755\n--- /dev/null\n+++ b/bin/go\n@@ -0,0 +1 @@\n+go",
      "diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755",
    ].join("\n");
    const { text, data } = await opened.run(editDiff, { diff: `${diff}\n` });
    expect(text.replace(/[0-9a-f]{12}/g, "#")).toBe(
      [
        "Edited src/a.ts at line 2 (# → #):\n@@ -1,2 +1,2 @@\n one\n-two\n+2",
        "Moved old.txt to new.txt (#).",
        "Deleted gone.txt, 1 line (was #).",
        "Created bin/go, 1 line, mode 755 (#).",
        "Edited run.sh, mode 755 (#).",
      ].join("\n"),
    );
    expect(data.files.map(({ diff }) => diff.split("\n")[0])).toEqual([
      "--- a/src/a.ts",
      "rename from old.txt",
      "--- a/gone.txt",
      "--- /dev/null",
      "",
    ]);
    const read = (path: string) => readFileSync(opened.at(path), "utf8");
    expect(["src/a.ts", "new.txt", "bin/go", "run.sh"].map(read)).toEqual([
      "one\n2\n",
      "same\n",
      "go\n",
      "echo\n",
    ]);
    expect(["old.txt", "gone.txt"].map((path) => existsSync(opened.at(path)))).toEqual([false, false]);
    expect(["bin/go", "run.sh"].map((path) => statSync(opened.at(path)).mode & 0o111)).toEqual([
      0o111, 0o111,
    ]);
  });

  it("copies like git, with the mode of the source", async () => {
    await using opened = toolFixture();
    writeFileSync(opened.at("a.sh"), "one\ntwo\n");
    chmodSync(opened.at("a.sh"), 0o750);
    const diff = [
      "diff --git a/a.sh b/b.sh\nsimilarity index 100%\ncopy from a.sh\ncopy to b.sh",
      "diff --git a/a.sh b/c.sh\ncopy from a.sh\ncopy to c.sh\n--- a/a.sh\n+++ b/c.sh\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n",
    ].join("\n");
    const { text, data } = await opened.run(editDiff, { diff });
    expect(text.replace(/[0-9a-f]{12}/g, "#")).toBe(
      [
        "Copied a.sh to b.sh (#).",
        "Copied a.sh to c.sh, changed at line 2 (# → #):\n@@ -1,2 +1,2 @@\n one\n-two\n+2",
      ].join("\n"),
    );
    expect(data.files.map(({ from, diff }) => [from, diff])).toEqual([
      ["a.sh", "copy from a.sh\ncopy to b.sh\n"],
      ["a.sh", "--- a/a.sh\n+++ b/c.sh\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n"],
    ]);
    const made = ["a.sh", "b.sh", "c.sh"].map((path) => [
      readFileSync(opened.at(path), "utf8"),
      statSync(opened.at(path)).mode & 0o777,
    ]);
    expect(made).toEqual([
      ["one\ntwo\n", 0o750],
      ["one\ntwo\n", 0o750],
      ["one\n2\n", 0o750],
    ]);
  });

  it("makes a file executable, or not, only for those who can read it", async () => {
    await using opened = toolFixture();
    writeFileSync(opened.at("a.sh"), "x\n");
    const modes: number[] = [];
    for (const [before, mode] of [
      [0o600, "100755"],
      [0o711, "100644"],
      [0o640, "100777"],
    ] as const) {
      chmodSync(opened.at("a.sh"), before);
      await opened.run(editDiff, { diff: `diff --git a/a.sh b/a.sh\nold mode 100600\nnew mode ${mode}\n` });
      modes.push(statSync(opened.at("a.sh")).mode & 0o777);
    }
    expect(modes).toEqual([0o700, 0o600, 0o750]);
  });

  it("refuses a mode that the file already has, and reports that no other file was changed", async () => {
    await using opened = toolFixture();
    writeFileSync(opened.at("a.sh"), "x\n");
    writeFileSync(opened.at("b"), "x\n");
    chmodSync(opened.at("a.sh"), 0o755);
    const diff =
      "diff --git a/a.sh b/a.sh\nold mode 100644\nnew mode 100755\ndiff --git a/b b/b\n--- a/b\n+++ b/b\n@@ -1 +1 @@\n-x\n+y\n";
    expect(await opened.refusal(editDiff, { diff })).toEqual({
      code: "invalid-input",
      message: "a.sh already has this mode; the diff changes nothing",
      hint: "None of the files was changed. Leave the file out of the diff.",
    });
    expect(readFileSync(opened.at("b"), "utf8")).toBe("x\n");
  });

  it("shows the nearest match when a hunk does not apply", async () => {
    await using opened = toolFixture();
    writeFileSync(opened.at("a.py"), "def f():\n    x = 1\n    y = 2\n    return x\n");
    const diff =
      "--- a/a.py\n+++ b/a.py\n@@ -1,4 +1,4 @@\n def f():\n     x = 1\n-    y = 3\n+    y = 4\n     return x\n";
    expect(await opened.refusal(editDiff, { diff })).toEqual({
      code: "no-match",
      message: [
        "a.py: hunk 1 was not found. The closest match is lines 1-4, where 3 of 4 lines agree. The first difference is line 3:",
        "  wanted: ····y·=·3",
        "  found:  ····y·=·2",
        "These lines are now:",
        "1 | def f():",
        "2 |     x = 1",
        "3 |     y = 2",
        "4 |     return x",
      ].join("\n"),
      hint: "Read the file again and copy the old lines as they are now.",
    });
  });

  it("accepts only a diff and its path", () => {
    const faults = [{ diff: "x" }, { diff: "" }, {}, { diff: "x", find: "y" }, { diff: "x", path: "y" }].map(
      (input) => schemaFaults(editDiff, input),
    );
    expect(faults.map(({ length }) => length)).toEqual([0, 1, 1, 1, 0]);
  });
});
