import { mkdirSync, readdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { type ToolFixture, toolFixture } from "../../test/support/tool-fixture.ts";
import type { ToolError } from "../contract/error.ts";
import type { Tool } from "../contract/tool.ts";
import { editDiff } from "./edit/diff.ts";
import { editPatch } from "./edit/patch.ts";
import { editReplace } from "./edit/replace.ts";
import { fileDelete } from "./file/delete.ts";
import { fileMove } from "./file/move.ts";
import { fileWrite } from "./file/write.ts";

const preview = <Input>(opened: ToolFixture, tool: Tool<Input>, input: Input) =>
  tool.preview!(input, opened.context);

function furnish(opened: ToolFixture): void {
  writeFileSync(opened.at("song.txt"), "la\nle\nli\n");
  mkdirSync(opened.at("folder"));
  writeFileSync(opened.at("folder/a"), "");
  symlinkSync("song.txt", opened.at("link"));
}

const songDiff = "--- a/song.txt\n+++ b/song.txt\n@@ -1,3 +1,3 @@\n la\n-le\n+LE\n li\n";

it("shows any form of edit as a diff", async () => {
  await using opened = toolFixture();
  furnish(opened);
  const patch = "*** Begin Patch\n*** Update File: song.txt\n-le\n+LE\n*** End Patch";
  expect(await preview(opened, editReplace, { path: "song.txt", find: "le", replace: "LE" })).toBe(songDiff);
  expect(await preview(opened, editPatch, { patch })).toBe(songDiff);
  expect(await preview(opened, editDiff, { diff: songDiff })).toBe(songDiff);
});

it("shows every file of a patch: new, deleted and moved", async () => {
  await using opened = toolFixture();
  furnish(opened);
  writeFileSync(opened.at("old.txt"), "old\n");
  const patch = [
    "*** Begin Patch",
    "*** Add File: new.txt",
    "+new",
    "*** Delete File: old.txt",
    "*** Update File: song.txt",
    "*** Move to: tune.txt",
    "-le",
    "+LE",
    "*** End Patch",
  ].join("\n");
  expect(await preview(opened, editPatch, { patch })).toBe(
    [
      "--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1,1 @@\n+new\n",
      "--- a/old.txt\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-old\n",
      "--- a/song.txt\n+++ b/tune.txt\n@@ -1,3 +1,3 @@\n la\n-le\n+LE\n li\n",
    ].join(""),
  );
});

it("shows a written file as a diff to the current one", async () => {
  await using opened = toolFixture();
  furnish(opened);
  const contents = [
    { path: "song.txt", content: "la\nLE\nli\n" },
    { path: "song.txt", content: "la\nle\nli\n" },
    { path: "link", content: "la\nLE\nli\n" },
    { path: "new.txt", content: "new\n" },
    { path: "new.txt", content: "" },
    { path: "song.txt", content: "AAECAwQ=", encoding: "base64" as const },
  ];
  expect(await Promise.all(contents.map((input) => preview(opened, fileWrite, input)))).toEqual([
    songDiff,
    "song.txt already has exactly this content.",
    songDiff.replaceAll("song.txt", "link"),
    "--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1,1 @@\n+new\n",
    "new.txt would be created, empty.",
    "Binary file song.txt differs\n",
  ]);
});

it("shows what would be deleted or moved", async () => {
  await using opened = toolFixture();
  furnish(opened);
  expect([
    await preview(opened, fileDelete, { path: "song.txt" }),
    await preview(opened, fileDelete, { path: "link" }),
    await preview(opened, fileDelete, { path: "folder", recursive: true }),
    await preview(opened, fileMove, { from: "folder", to: "place" }),
    await preview(opened, fileMove, { from: "link", to: "song.txt", replace: true }),
  ]).toEqual([
    "Would delete the file song.txt (9 bytes).",
    "Would delete the link link; its target is kept.",
    "Would delete the directory folder with 1 file or directory in it.",
    "Would move the directory folder to place.",
    "Would move the link link to song.txt, replacing the existing file.",
  ]);
});

it("shows what undo would not restore", async () => {
  await using opened = toolFixture();
  writeFileSync(opened.at("large"), "");
  truncateSync(opened.at("large"), 300_000_000);
  const why = "This cannot be undone: more than the 268 MB that one call can store.";
  expect([
    await preview(opened, fileDelete, { path: "large" }),
    await preview(opened, fileWrite, { path: "large", content: "" }),
  ]).toEqual([
    `Would delete the file large (300000000 bytes).\n${why}`,
    `Would replace large, 300 MB.\n${why}`,
  ]);
});

it("changes nothing, and fails when the call would", async () => {
  await using opened = toolFixture();
  furnish(opened);
  const failure = await preview(opened, editReplace, { path: "song.txt", find: "x", replace: "y" }).catch(
    (error: ToolError) => error.code,
  );
  await preview(opened, fileDelete, { path: "song.txt" });
  await preview(opened, fileMove, { from: "song.txt", to: "tune.txt" });
  await preview(opened, fileWrite, { path: "deep/new.txt", content: "new" });
  expect([failure, readdirSync(opened.workspace), readFileSync(opened.at("song.txt"), "utf8")]).toEqual([
    "no-match",
    ["folder", "link", "song.txt"],
    "la\nle\nli\n",
  ]);
});
