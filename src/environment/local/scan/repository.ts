import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { Repository } from "../../../contract/snapshot.ts";
import { attempt, statsAt } from "../../../system/attempt.ts";
import { readSmallFile } from "../files/read-file.ts";

/** Returns the repository whose `.git` is in this directory of the workspace. */
export function repositoryIn(workingTree: string, path: string): Repository {
  return describe(workingTree, path, "");
}

export function repositoryAbove(workspace: string): Repository | undefined {
  if (existsSync(join(workspace, ".git"))) return undefined;
  let prefix = "";
  for (let directory = workspace; directory !== dirname(directory); ) {
    prefix = `${basename(directory)}/${prefix}`;
    directory = dirname(directory);
    if (existsSync(join(directory, ".git"))) return describe(directory, "", prefix);
  }
  return undefined;
}

function describe(workingTree: string, path: string, prefix: string): Repository {
  // In a linked working tree or a submodule, `.git` is a file that names the directory. Linked trees share refs.
  const own = namedDirectory(workingTree, ".git", /^gitdir: (.+?)\s*$/) ?? join(workingTree, ".git");
  const shared = namedDirectory(own, "commondir", /^\s*(.+?)\s*$/) ?? own;
  const index = join(own, "index");
  return {
    path,
    prefix,
    state: {
      head: readText(join(own, "HEAD")) ?? "",
      index: stampOf(index),
      refs: [stampOf(join(shared, "packed-refs")), ...stampsBelow(join(shared, "refs"))].join("\n"),
    },
    indexMs: fileTime(index),
  };
}

function namedDirectory(directory: string, file: string, pattern: RegExp): string | undefined {
  const named = pattern.exec(readText(join(directory, file)) ?? "")?.[1];
  return named === undefined ? undefined : resolve(directory, named);
}

function readText(file: string): string | undefined {
  return readSmallFile(file)?.toString();
}

/** Git would wait for a FIFO. */
function fileTime(file: string): number | undefined {
  const stats = statsAt(file);
  return stats?.isFile() ? stats.mtimeMs : undefined;
}

function stampOf(file: string): string {
  const stats = statsAt(file);
  return stats === undefined ? "" : [file, stats.mtimeMs, stats.ctimeMs, stats.size, stats.ino].join(" ");
}

/** Returns the stamps of all files below `top`. The `recursive` option of readdir would follow links. */
function stampsBelow(top: string): string[] {
  const stamps: string[] = [];
  const pending = statsAt(top)?.isDirectory() ? [top] : [];
  for (let directory = pending.pop(); directory !== undefined; directory = pending.pop()) {
    for (const entry of attempt(() => readdirSync(directory, { withFileTypes: true })) ?? []) {
      const path = join(directory, entry.name);
      if (entry.isDirectory()) pending.push(path);
      else if (!entry.name.endsWith(".lock")) stamps.push(stampOf(path));
    }
  }
  return stamps.sort();
}
