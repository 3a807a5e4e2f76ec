import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { FileChange } from "../../../src/contract/environment.ts";
import { contentHash } from "../../../src/lib/bytes/content-hash.ts";

const long = (letter: string) => letter.repeat(10_000);

/** Creates a workspace in `home` with files for every kind of change. */
export function makeChangeWorld(home: string): void {
  const workspace = join(home, "workspace");
  for (const folder of ["a", "b", "hard"]) mkdirSync(join(workspace, folder), { recursive: true });
  const put = (path: string, content: string, mode: number) => {
    writeFileSync(join(workspace, path), content);
    chmodSync(join(workspace, path), mode);
  };
  put("a/update", "old", 0o644);
  put("a/mode", "same", 0o644);
  put("a/delete", "deleted", 0o600);
  put("b/from", "moved", 0o755);
  put("hard/one", long("o"), 0o640);
  linkSync(join(workspace, "hard/one"), join(workspace, "hard/two"));
  symlinkSync("a/update", join(workspace, "link"));
}

const hash = (text: string) => contentHash(Buffer.from(text));

/** Adds, updates, deletes and moves files; changes a mode and a file with two names, and removes a link. */
export function exampleChanges(): readonly FileChange[] {
  return [
    { path: "new/deep/file", before: "nothing", after: Buffer.from("new") },
    { path: "a/update", before: hash("old"), after: Buffer.from("updated"), mode: 0o600 },
    { path: "a/mode", before: hash("same"), after: Buffer.from("same"), mode: 0o755 },
    { path: "a/delete", before: hash("deleted"), after: "nothing" },
    { path: "b/from", before: hash("moved"), after: "nothing" },
    { path: "new/to", before: "nothing", after: Buffer.from("moved"), like: "b/from" },
    {
      path: "hard/one",
      before: hash(long("o")),
      after: Buffer.from(long("n").slice(0, 7000)),
      hardLinks: "keep",
    },
    { path: "link", before: hash("old"), after: "nothing" },
  ];
}

/** Describes everything in a folder: modes and contents, link targets, and names of the same file. */
export function snapshot(folder: string): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted()) {
    const path = join(folder, name);
    const stats = lstatSync(path);
    const mode = (stats.mode & 0o7777).toString(8);
    if (stats.isSymbolicLink()) found[name] = `-> ${readlinkSync(path)}`;
    else if (stats.isDirectory()) found[name] = "directory";
    else found[name] = `${mode} ${stats.nlink} ${brief(readFileSync(path, "latin1"))}`;
  }
  return found;
}

/** Shortens repetitive text. */
function brief(text: string): string {
  return text.length < 1000
    ? text
    : text.replace(/(.)\1{99,}/g, (all, letter) => `${letter} × ${all.length} `);
}
