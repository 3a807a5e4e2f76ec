import { execFileSync } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { Entry, Vector } from "./vector.ts";

/** Creates the workspace of a vector. */
export function makeWorkspace(folder: string, { workspace = {}, git = false }: Vector): void {
  mkdirSync(folder, { recursive: true });
  for (const [path, entry] of Object.entries(workspace)) makeEntry(join(folder, path), entry);
  if (git) commitAll(folder);
}

/** Returns the expected entries: those at the start, with the changes of the vector. */
export function expectedEntries({ workspace = {}, after = {} }: Vector): Readonly<Record<string, Entry>> {
  const gone = Object.keys(after).filter((path) => after[path] === null && !path.endsWith("/"));
  const isGone = (path: string) => gone.some((each) => path === each || path.startsWith(`${each}/`));
  const all = Object.entries({ ...workspace, ...after }).filter(([path]) => !isGone(path));
  return Object.fromEntries(all);
}

/**
 * Returns all entries in the form that `wanted` uses. Leaves out folders that it does not name, and everything of
 * git.
 */
export function readEntries(
  folder: string,
  wanted: Readonly<Record<string, Entry>>,
): Readonly<Record<string, Entry>> {
  const found = pathsIn(folder).filter((path) => !path.startsWith(".git/"));
  const shown = found.filter((path) => !path.endsWith("/") || path in wanted);
  return Object.fromEntries(shown.map((path) => [path, readEntry(join(folder, path), wanted[path] ?? null)]));
}

function pathsIn(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (!entry.isDirectory()) return [entry.name];
    const inside = pathsIn(join(folder, entry.name)).map((path) => `${entry.name}/${path}`);
    return [`${entry.name}/`, ...inside];
  });
}

function readEntry(path: string, wanted: Entry): Entry {
  if (path.endsWith("/")) return null;
  if (lstatSync(path).isSymbolicLink()) return { link: readlinkSync(path) };
  if (wanted !== null && typeof wanted === "object" && "base64" in wanted)
    return { base64: readFileSync(path, "base64") };
  const text = readFileSync(path, "utf8");
  if (wanted === null || typeof wanted === "string" || !("text" in wanted)) return text;
  return {
    text,
    ...(wanted.mode === undefined ? {} : { mode: (statSync(path).mode & 0o777).toString(8) }),
    ...(wanted.modified === undefined ? {} : { modified: statSync(path).mtime.toISOString() }),
  };
}

function makeEntry(path: string, entry: Entry): void {
  if (path.endsWith("/")) {
    mkdirSync(path, { recursive: true });
    return;
  }
  if (entry === null) throw new Error(`${path} is null: the name of a folder ends in /`);
  mkdirSync(dirname(path), { recursive: true });
  if (typeof entry === "string") writeFileSync(path, entry);
  else if ("link" in entry) symlinkSync(entry.link, path);
  else if ("base64" in entry) writeFileSync(path, Buffer.from(entry.base64, "base64"));
  else {
    writeFileSync(path, entry.text);
    if (entry.mode !== undefined) chmodSync(path, Number.parseInt(entry.mode, 8));
    const modified = entry.modified === undefined ? undefined : new Date(entry.modified);
    if (modified) utimesSync(path, modified, modified);
  }
}

function commitAll(folder: string): void {
  const run = (...args: string[]) => execFileSync("git", args, { cwd: folder, env: gitVariables });
  run("init", "--quiet", "--initial-branch=main");
  // Commits need an author, which the machine may not have.
  run("config", "user.name", "Ada");
  run("config", "user.email", "ada@example.org");
  run("add", "--all");
  run("commit", "--quiet", "--allow-empty", "--message=first");
}

const gitVariables = {
  PATH: process.env.PATH,
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "Ada",
  GIT_AUTHOR_EMAIL: "ada@example.org",
  GIT_AUTHOR_DATE: "2026-01-02T03:04:05Z",
  GIT_COMMITTER_NAME: "Ada",
  GIT_COMMITTER_EMAIL: "ada@example.org",
  GIT_COMMITTER_DATE: "2026-01-02T03:04:05Z",
};
