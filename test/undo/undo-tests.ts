import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { expect, it } from "vitest";
import { type openUndoFixture, wholeOf } from "../support/undo/undo-fixture.ts";

/** Registers the tests of undoing changes of files, which must pass on every machine. */
export function testUndo(open: typeof openUndoFixture): void {
  it("restores binary, empty, large and odd files after an edit, a write or a deletion", async () => {
    const files = {
      "binary.bin": Buffer.from([0, 255, 0, 1, 2, 10, 13]),
      empty: "",
      "large.txt": "a line of text\n".repeat(200_000),
      "with space/and\nline end": "odd\r\nlines\rand no end",
      ".gitignore": "ignored.log\n",
      "ignored.log": "ignored\n",
    };
    await using fixture = await open({ files });
    const before = await wholeOf(fixture.elsewhere);
    for (const path of Object.keys(files)) await fixture.call("file.write", { path, content: "overwritten" });
    for (const path of Object.keys(files)) await fixture.call("file.delete", { path });
    await fixture.call("journal.undo", { last: 12 });
    expect(await wholeOf(fixture.elsewhere)).toEqual(before);
  });

  it("restores deleted folders with their modes, symlinks and contents", async () => {
    await using fixture = await open({ files: { "d/e/f": "text", "d/script": "#!/bin/sh\n" } });
    chmodSync(fixture.path("d/script"), 0o750);
    chmodSync(fixture.path("d/e/f"), 0o444);
    symlinkSync("../outside-of-d", fixture.path("d/dangling"));
    symlinkSync("/etc", fixture.path("d/e/out"));
    chmodSync(fixture.path("d/e"), 0o555);
    chmodSync(fixture.path("d"), 0o700);
    const before = await wholeOf(fixture.elsewhere);
    // An ordinary user cannot delete entries of a read-only folder.
    chmodSync(fixture.path("d/e"), 0o755);
    const { callId } = await fixture.call("file.delete", { path: "d", recursive: true });
    await fixture.call("journal.undo", { call: callId });
    chmodSync(fixture.path("d/e"), 0o555);
    expect(await wholeOf(fixture.elsewhere)).toEqual(before);
    chmodSync(fixture.path("d/e"), 0o755);
  });

  it("removes what it created in folders and files that are read-only by now", async () => {
    await using fixture = await open({ files: { a: "one\n" } });
    await fixture.call("file.write", { path: "new/deep/file", content: "text" });
    const { callId } = await fixture.call("edit.diff", {
      diff: "diff --git a/a b/a\nold mode 100644\nnew mode 100444\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+two\n",
    });
    chmodSync(fixture.path("a"), 0o444);
    for (const path of ["new/deep", "new"]) chmodSync(fixture.path(path), 0o555);
    const last = fixture.crib.call("journal.undo", { call: callId, merge: true });
    expect([(await last).isError, readFileSync(fixture.path("a"), "utf8")]).toEqual([false, "one\n"]);
    await fixture.call("journal.undo", {});
    expect(Object.keys(await wholeOf(fixture.elsewhere))).toEqual(["a"]);
  });

  it("restores a mode that an edit changed, and keeps a mode that it did not", async () => {
    await using fixture = await open({ files: { script: "one\n", plain: "one\n" } });
    chmodSync(fixture.path("script"), 0o755);
    const before = await wholeOf(fixture.elsewhere);
    const diff =
      "diff --git a/script b/script\nold mode 100755\nnew mode 100644\n--- a/script\n+++ b/script\n@@ -1 +1 @@\n-one\n+two\n";
    await fixture.call("edit.diff", { diff });
    expect(lstatSync(fixture.path("script")).mode & 0o777).toBe(0o644);
    await fixture.call("journal.undo", {});
    expect(await wholeOf(fixture.elsewhere)).toEqual(before);
  });

  it("moves files and folders back, with anything added to them since", async () => {
    await using fixture = await open({ files: { "d/a": "one\n", b: "two\n" } });
    await fixture.call("file.move", { from: "d", to: "e/f" });
    await fixture.call("file.move", { from: "b", to: "c" });
    writeFileSync(fixture.path("e/f/later"), "by a user\n");
    await fixture.call("journal.undo", { last: 2 });
    expect(Object.keys(await wholeOf(fixture.elsewhere))).toEqual(["b", "d", "d/a", "d/later"]);
  });

  it("reverts a rename that only changed the case", async () => {
    await using fixture = await open({ files: { "readme.md": "text" } });
    await fixture.call("file.move", { from: "readme.md", to: "README.md" });
    await fixture.call("journal.undo", {});
    expect(Object.keys(await wholeOf(fixture.elsewhere))).toEqual(["readme.md"]);
  });

  it("restores a symlink replaced by a file, and a file replaced by a symlink", async () => {
    await using fixture = await open({ files: { target: "target\n", file: "file\n" } });
    symlinkSync("target", fixture.path("link"));
    const before = await wholeOf(fixture.elsewhere);
    await fixture.call("file.move", { from: "file", to: "link", replace: true });
    await fixture.call("journal.undo", {});
    expect(await wholeOf(fixture.elsewhere)).toEqual(before);
    await fixture.call("file.move", { from: "link", to: "file", replace: true });
    await fixture.call("journal.undo", {});
    expect(await wholeOf(fixture.elsewhere)).toEqual(before);
  });

  it("keeps a folder that it created when something else is in it by now, and reports it", async () => {
    await using fixture = await open();
    const { callId } = await fixture.call("file.write", { path: "new/deep/file", content: "text" });
    writeFileSync(fixture.path("new/mine"), "by a user");
    const { content } = await fixture.call("journal.undo", {});
    expect(content).toBe(
      [
        `Undid ${callId}, 2 paths:`,
        "removed new/deep",
        "removed new/deep/file",
        "Kept new/: it is not empty.",
        "To revert this undo, use journal.undo with `redo: true`.",
      ].join("\n"),
    );
    expect(Object.keys(await wholeOf(fixture.elsewhere))).toEqual(["new", "new/mine"]);
  });

  it("refuses a file that was changed since, shows the difference, and undoes nothing else", async () => {
    await using fixture = await open({ files: { a: "one\ntwo\n", b: "one\n" } });
    const patch =
      "*** Begin Patch\n*** Update File: a\n-one\n+1\n*** Update File: b\n-one\n+1\n*** End Patch";
    const { callId } = await fixture.call("edit.patch", { patch });
    writeFileSync(fixture.path("a"), "1\ntwo\nby a user\n");
    const result = await fixture.crib.call("journal.undo", {});
    expect(result).toMatchObject(
      refusal(
        `Nothing was undone: 1 of 2 paths has changed since.\na has changed since ${callId}:\n--- a/a\n+++ b/a\n@@ -1,2 +1,3 @@ hunk 1\n 1\n two\n+by a user`,
        "Remove only these changes from the current files with `merge: true`. Undo the others with `skip_changed: true`.",
      ),
    );
    expect([readFileSync(fixture.path("a"), "utf8"), readFileSync(fixture.path("b"), "utf8")]).toEqual([
      "1\ntwo\nby a user\n",
      "1\n",
    ]);
  });

  it("undoes the other files on request, and the skipped file once it is unchanged again", async () => {
    await using fixture = await open({ files: { a: "one\n", b: "one\n" } });
    const patch =
      "*** Begin Patch\n*** Update File: a\n-one\n+1\n*** Update File: b\n-one\n+1\n*** End Patch";
    const { callId } = await fixture.call("edit.patch", { patch });
    writeFileSync(fixture.path("a"), "by a user\n");
    const { content } = await fixture.call("journal.undo", { call: callId, skip_changed: true });
    expect(content).toContain(`restored b\nLeft alone: a has changed since ${callId}.`);
    expect(readFileSync(fixture.path("a"), "utf8")).toBe("by a user\n");
    writeFileSync(fixture.path("a"), "1\n");
    await fixture.call("journal.undo", { call: callId });
    expect([readFileSync(fixture.path("a"), "utf8"), readFileSync(fixture.path("b"), "utf8")]).toEqual([
      "one\n",
      "one\n",
    ]);
  });

  it("merges on request, byte for byte, and can redo that", async () => {
    await using fixture = await open({ files: { a: "one\r\ntwo\r\nthree\r\nfour\r\n" } });
    await fixture.call("edit.replace", { path: "a", find: "one", replace: "1" });
    writeFileSync(fixture.path("a"), "1\r\ntwo\r\nthree\r\nfour\r\nby a user");
    const { content } = await fixture.call("journal.undo", { merge: true });
    expect(content).toContain("a had changed since; merged.");
    expect(readFileSync(fixture.path("a"), "utf8")).toBe("one\r\ntwo\r\nthree\r\nfour\r\nby a user");
    await fixture.call("journal.undo", { redo: true });
    expect(readFileSync(fixture.path("a"), "utf8")).toBe("1\r\ntwo\r\nthree\r\nfour\r\nby a user");
  });

  it("shows conflicting changes, and writes no conflict markers", async () => {
    await using fixture = await open({ files: { a: "one\ntwo\nthree\n" } });
    const { callId } = await fixture.call("edit.replace", { path: "a", find: "two", replace: "2" });
    writeFileSync(fixture.path("a"), "one\nzwei\nthree\n");
    expect(await fixture.crib.call("journal.undo", { merge: true })).toMatchObject(
      refusal(
        `Nothing was undone: 1 of 1 path has changed since.\na has changed since ${callId}:\nat line 2 it is now:\n  zwei\nand was before the call:\n  two`,
        "Resolve the conflict by hand.",
      ),
    );
    expect(readFileSync(fixture.path("a"), "utf8")).toBe("one\nzwei\nthree\n");
  });

  it("undoes one call in the middle of several by merging", async () => {
    await using fixture = await open({ files: { a: "one\ntwo\nthree\nfour\nfive\n" } });
    const { callId } = await fixture.call("edit.replace", { path: "a", find: "one", replace: "1" });
    const later = await fixture.call("edit.replace", { path: "a", find: "five", replace: "5" });
    const refused = await fixture.crib.call("journal.undo", { call: callId });
    expect(refused.content).toContain(`a has changed since ${callId}, by ${later.callId} (edit.replace):`);
    await fixture.call("journal.undo", { call: callId, merge: true });
    expect(readFileSync(fixture.path("a"), "utf8")).toBe("one\ntwo\nthree\nfour\n5\n");
  });

  it("finds files that others have moved since, alone or with their folder", async () => {
    await using fixture = await open({ files: { "d/a": "one\ntwo\nthree\nfour\n" } });
    const edit = await fixture.call("edit.replace", { path: "d/a", find: "one", replace: "1" });
    await fixture.call("file.move", { from: "d", to: "e" });
    await fixture.call("file.move", { from: "e/a", to: "b" });
    const { content } = await fixture.call("journal.undo", { call: edit.callId });
    expect(content).toContain("restored b\nd/a is now named b.");
    expect(readFileSync(fixture.path("b"), "utf8")).toBe("one\ntwo\nthree\nfour\n");
    await fixture.call("journal.undo", { redo: true });
    writeFileSync(fixture.path("b"), "1\ntwo\nthree\nfour\nby a user\n");
    await fixture.call("journal.undo", { call: edit.callId, merge: true });
    expect(readFileSync(fixture.path("b"), "utf8")).toBe("one\ntwo\nthree\nfour\nby a user\n");
  });

  it("moves back a file that was changed since, with its changes, when merging", async () => {
    await using fixture = await open({ files: { a: "one\n" } });
    await fixture.call("file.move", { from: "a", to: "b" });
    writeFileSync(fixture.path("b"), "by a user\n");
    expect((await fixture.crib.call("journal.undo", {})).isError).toBe(true);
    await fixture.call("journal.undo", { merge: true });
    expect(Object.keys(await wholeOf(fixture.elsewhere))).toEqual(["a"]);
    expect(readFileSync(fixture.path("a"), "utf8")).toBe("by a user\n");
  });

  it("undoes an edit under all hard links of a file that the edit kept", async () => {
    await using fixture = await open({ files: { a: "one\n" } });
    linkSync(fixture.path("a"), fixture.path("b"));
    await fixture.call("edit.replace", { path: "a", find: "one", replace: "1", hard_links: "keep" });
    await fixture.call("journal.undo", {});
    expect([readFileSync(fixture.path("b"), "utf8"), lstatSync(fixture.path("a")).nlink]).toEqual([
      "one\n",
      2,
    ]);
  });

  it("undoes one hunk of one file, also when it has moved", async () => {
    const lines = Array.from({ length: 30 }, (_, index) => `line ${index + 1}\n`);
    await using fixture = await open({ files: { a: lines.join(""), b: "one\n" } });
    const edits = [2, 15, 28].map((line) => ({ find: `line ${line}\n`, replace: `changed ${line}\n` }));
    const { callId } = await fixture.call("edit.replace", { path: "a", edits });
    const { content } = await fixture.call("journal.diff", { call: callId });
    expect(content.match(/^@@.*$/gm)).toEqual([
      "@@ -1,5 +1,5 @@ hunk 1",
      "@@ -12,7 +12,7 @@ hunk 2",
      "@@ -25,6 +25,6 @@ hunk 3",
    ]);
    const expected = lines.with(1, "changed 2\n").with(27, "changed 28\n");
    await fixture.call("journal.undo", { call: callId, hunk: 2 });
    expect(readFileSync(fixture.path("a"), "utf8")).toBe(expected.join(""));
    writeFileSync(fixture.path("a"), `new first line\n${expected.join("")}`);
    expect((await fixture.crib.call("journal.undo", { call: callId, hunk: 3 })).isError).toBe(true);
    await fixture.call("journal.undo", { call: callId, hunk: 3, merge: true });
    expect(readFileSync(fixture.path("a"), "utf8")).toBe(
      `new first line\n${lines.with(1, "changed 2\n").join("")}`,
    );
    expect(await fixture.crib.call("journal.undo", { call: callId, hunk: 4 })).toMatchObject(
      refusal("a has 3 hunks, no hunk 4", "List the numbered hunks with journal.diff."),
    );
  });

  it("undoes one file of a call, and then the rest", async () => {
    await using fixture = await open({ files: { "d/a": "one\n", b: "one\n" } });
    const patch =
      "*** Begin Patch\n*** Update File: d/a\n-one\n+1\n*** Update File: b\n-one\n+1\n*** End Patch";
    const { callId } = await fixture.call("edit.patch", { patch });
    await fixture.call("journal.undo", { call: callId, paths: ["d"] });
    expect([readFileSync(fixture.path("d/a"), "utf8"), readFileSync(fixture.path("b"), "utf8")]).toEqual([
      "one\n",
      "1\n",
    ]);
    await fixture.call("journal.undo", { call: callId });
    expect([readFileSync(fixture.path("d/a"), "utf8"), readFileSync(fixture.path("b"), "utf8")]).toEqual([
      "one\n",
      "one\n",
    ]);
    expect(await fixture.crib.call("journal.undo", { call: callId, paths: ["c"] })).toMatchObject(
      refusal("c was not changed by these calls", "Use a path that they changed: d/a, b."),
    );
  });

  it("reports which call already undid a call, and does nothing", async () => {
    await using fixture = await open({ files: { a: "one\n" } });
    const { callId } = await fixture.call("edit.replace", { path: "a", find: "one", replace: "1" });
    const undo = await fixture.call("journal.undo", {});
    const again = await fixture.call("journal.undo", { call: callId });
    expect([again.content, readFileSync(fixture.path("a"), "utf8")]).toEqual([
      `${callId} was already undone, by ${undo.callId}.`,
      "one\n",
    ]);
  });

  it("undoes a call again after it was redone", async () => {
    await using fixture = await open({ files: { a: "one\n" } });
    const { callId } = await fixture.call("edit.replace", { path: "a", find: "one", replace: "1" });
    const undo = await fixture.call("journal.undo", {});
    await fixture.call("journal.undo", { call: undo.callId });
    expect(readFileSync(fixture.path("a"), "utf8")).toBe("1\n");
    await fixture.call("journal.undo", { call: callId });
    expect(readFileSync(fixture.path("a"), "utf8")).toBe("one\n");
  });

  it("skips calls that failed before they changed anything", async () => {
    await using fixture = await open({ files: { a: "one\n", "d/b": "" } });
    const { callId } = await fixture.call("edit.replace", { path: "a", find: "one", replace: "1" });
    await fixture.crib.call("file.write", { path: "d", content: "no file can be here" });
    await fixture.crib.call("edit.replace", { path: "a", find: "none", replace: "1" });
    expect((await fixture.call("journal.undo", {})).data).toMatchObject({ calls: [callId] });
  });

  it("never writes through a symlink that has replaced a folder", async () => {
    await using fixture = await open({ files: { "d/a": "one\n", "e/x": "" } });
    await fixture.call("file.delete", { path: "d/a" });
    rmSync(fixture.path("d"), { recursive: true });
    symlinkSync("e", fixture.path("d"));
    const found = await wholeOf(fixture.elsewhere);
    expect(await fixture.crib.call("journal.undo", {})).toMatchObject(
      refusal(
        "Nothing was undone: d is now a link or is behind one",
        "Restore the directory, or also undo the call that made the link.",
      ),
    );
    expect(await wholeOf(fixture.elsewhere)).toEqual(found);
    expect(readlinkSync(fixture.path("d"))).toBe("e");
  });

  it("recreates a missing folder for a restored file", async () => {
    await using fixture = await open({ files: { "d/e/a": "one\n" } });
    await fixture.call("file.delete", { path: "d/e/a" });
    rmSync(fixture.path("d"), { recursive: true });
    await fixture.call("journal.undo", {});
    expect(readFileSync(fixture.path("d/e/a"), "utf8")).toBe("one\n");
  });

  it("leaves a file that the user created in place of a deleted one", async () => {
    await using fixture = await open({ files: { a: "one\n" } });
    const { callId } = await fixture.call("file.delete", { path: "a" });
    mkdirSync(fixture.path("a"));
    const { content } = await fixture.crib.call("journal.undo", {});
    expect(content).toContain(`a exists again since ${callId}`);
  });
}

const refusal = (content: string, hint: string) => ({ content: `${content}\n${hint}`, isError: true });
