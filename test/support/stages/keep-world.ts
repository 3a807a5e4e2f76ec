import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import type { Environment } from "../../../src/contract/environment.ts";
import { anchorHash } from "../../../src/edit/anchors.ts";
import { openToolcrib, type Toolcrib } from "../../../src/toolcrib/index.ts";

/** A new folder with a workspace. */
export function newKeepWorld(folder: string): string {
  const home = mkdtempSync(join(folder, "world "));
  mkdirSync(join(home, "workspace"));
  fill(join(home, "workspace"));
  return home;
}

/** A fixture in such a workspace. */
export function openKeepFixture(home: string, environment?: Environment): Promise<Toolcrib> {
  return openToolcrib({
    environment,
    workspace: environment ? undefined : join(home, "workspace"),
    stateDirectory: join(home, "state"),
    configDirectory: join(home, "config"),
    mode: "yolo",
    ...(environment && { sandbox: "none" }),
    undoScope: "workspace",
  });
}

/** The regular files in a workspace. */
export function filesOf(workspace: string): Readonly<Record<string, Uint8Array>> {
  const entries = readdirSync(workspace, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(paths.map((path) => [relative(workspace, path), readFileSync(path)]));
}

/** Creates files for every tool to change. */
export function fill(workspace: string): void {
  const put = (path: string, content: string | Uint8Array, mode = 0o644) => {
    mkdirSync(dirname(join(workspace, path)), { recursive: true });
    writeFileSync(join(workspace, path), content);
    chmodSync(join(workspace, path), mode);
  };
  put(".gitignore", "ignored/\n");
  put("ignored/notes.txt", "ignored\n");
  put("a.txt", "one\ntwo\nthree\n", 0o600);
  put("run me.sh", "echo hello\n", 0o755);
  put("grün/leer.txt", "");
  put("code.py", "def one():\n    return 1\n\n\ndef two(value):\n    return value\n");
  put("notes.ipynb", '{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}\n');
  put("data/binary.bin", Buffer.from([0, 1, 254, 255, 10, 0]));
  put("data/deep/er/file.txt", "deep\n");
  put("names/one.txt", "shared\n");
  linkSync(join(workspace, "names/one.txt"), join(workspace, "names/two.txt"));
  symlinkSync("../a.txt", join(workspace, "data/link"));
  symlinkSync("nowhere", join(workspace, "dangling"));
}

/** One call of every tool that changes files, and several for tools with several operations. */
export const changingCalls: readonly (readonly [name: string, tool: string, input: object])[] = [
  ["writes over a file", "file.write", { path: "a.txt", content: "new\n" }],
  ["writes a new file in new folders", "file.write", { path: "new/deep er/f.txt", content: "new\n" }],
  ["writes through a link", "file.write", { path: "data/link", content: "new\n" }],
  [
    "writes over a binary file",
    "file.write",
    { path: "data/binary.bin", content: "AA==", encoding: "base64" },
  ],
  ["writes an ignored file", "file.write", { path: "ignored/notes.txt", content: "" }],
  ["deletes a file", "file.delete", { path: "run me.sh" }],
  ["deletes an empty file", "file.delete", { path: "grün/leer.txt" }],
  ["deletes a link", "file.delete", { path: "data/link" }],
  ["deletes a link to nothing", "file.delete", { path: "dangling" }],
  ["deletes a folder", "file.delete", { path: "data", recursive: true }],
  ["moves a file", "file.move", { from: "a.txt", to: "new/b.txt" }],
  ["moves over a file", "file.move", { from: "run me.sh", to: "a.txt", replace: true }],
  ["moves over a link", "file.move", { from: "a.txt", to: "dangling", replace: true }],
  ["moves a folder", "file.move", { from: "data", to: "new/data" }],
  ["moves a link", "file.move", { from: "data/link", to: "link" }],
  ["edits a file", "edit.replace", { path: "a.txt", find: "two", replace: "2" }],
  [
    "edits a file under all its names",
    "edit.replace",
    { path: "names/one.txt", find: "shared", replace: "changed", hard_links: "keep" },
  ],
  [
    "patches files",
    "edit.patch",
    {
      patch:
        "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+1\n*** Add File: x/new.txt\n+new\n" +
        "*** Delete File: data/deep/er/file.txt\n*** Update File: run me.sh\n*** Move to: x/run.sh\n@@\n-echo hello\n+echo bye\n*** End Patch\n",
    },
  ],
  [
    "applies a diff that changes a mode",
    "edit.diff",
    {
      diff:
        "diff --git a/a.txt b/a.txt\nold mode 100600\nnew mode 100755\n--- a/a.txt\n+++ b/a.txt\n" +
        "@@ -1,3 +1,3 @@\n-one\n+1\n two\n three\n",
    },
  ],
  [
    "edits by anchors",
    "edit.anchored",
    { path: "a.txt", edits: [{ op: "delete", from: `2:${anchorHash(["one", "two", "three"], 1)}` }] },
  ],
  [
    "edits where it is told in words",
    "edit.smart",
    { path: "a.txt", location: "line 2", operation: "delete" },
  ],
  [
    "replaces a block",
    "code.replace_block",
    { path: "code.py", name: "one", new_block: "def one():\n    return 11" },
  ],
  [
    "inserts a block",
    "code.insert_block",
    { path: "code.py", name: "one", position: "after", snippet: "def three():\n    return 3" },
  ],
  ["deletes a block", "code.delete_block", { path: "code.py", name: "one" }],
  ["renames what a name means", "code.rename", { path: "code.py", name: "value", new_name: "given" }],
  ["adds a cell", "notebook.edit", { path: "notes.ipynb", operation: "append", source: "1 + 1" }],
];

/** Its calls change files. */
export const changingScript = [
  "runs a script",
  "tools.script",
  {
    script:
      'await tools.file.read({ path: "a.txt" }); await tools.file.write({ path: "a.txt", content: "new" });' +
      ' await tools.file.delete({ path: "run me.sh" });',
  },
] as const;
