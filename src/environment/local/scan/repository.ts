import { type Dirent, existsSync, lstatSync, readdirSync, type Stats } from "node:fs";
import { basename, dirname, isAbsolute, join } from "node:path";
import type { Repository } from "../../../contract/snapshot.ts";
import { readSmallFile } from "../files/read-file.ts";

/** The repository that has a `.git` in this directory of the workspace. */
export function repositoryIn(workingTree: string, path: string): Repository {
  return describe(workingTree, path, "");
}

/** The nearest one above the workspace, that it is a part of. */
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
  const own = gitDirectory(workingTree);
  const shared = sharedDirectory(own);
  const index = join(own, "index");
  return {
    path,
    prefix,
    state: {
      head: readText(join(own, "HEAD")) ?? "",
      index: stampOf(index),
      refs: [stampOf(join(shared, "packed-refs")), ...stampsBelow(join(shared, "refs"))].join("\n"),
    },
    readIndex: () => {
      const modifiedMs = statsOf(index)?.mtimeMs;
      const bytes = readSmallFile(index, maxIndexBytes);
      return bytes && modifiedMs !== undefined ? { bytes, modifiedMs } : undefined;
    },
  };
}

/** A million files. */
const maxIndexBytes = 256 * 1024 * 1024;

/** In a linked working tree or a submodule `.git` is a file that says where. */
function gitDirectory(workingTree: string): string {
  const own = join(workingTree, ".git");
  const named = /^gitdir: (.+?)\s*$/.exec(readText(own) ?? "")?.[1];
  if (named === undefined) return own;
  return isAbsolute(named) ? named : join(workingTree, named);
}

/** Linked working trees share their refs. */
function sharedDirectory(own: string): string {
  const named = readText(join(own, "commondir"))?.trim();
  if (named === undefined) return own;
  return isAbsolute(named) ? named : join(own, named);
}

function readText(file: string): string | undefined {
  return readSmallFile(file)?.toString();
}

function stampOf(file: string): string {
  const stats = statsOf(file);
  return stats === undefined ? "" : [file, stats.mtimeMs, stats.ctimeMs, stats.size, stats.ino].join(" ");
}

/** Undefined when nothing is there, or only for others to see. */
function statsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/**
 * Not by readdir's own `recursive`, which follows links: one to "/" in a repository must not lead through the whole
 * disk.
 */
function stampsBelow(top: string): string[] {
  const stamps: string[] = [];
  const pending = statsOf(top)?.isDirectory() ? [top] : [];
  for (let directory = pending.pop(); directory !== undefined; directory = pending.pop()) {
    for (const entry of entriesOf(directory)) {
      const path = join(directory, entry.name);
      if (entry.isDirectory()) pending.push(path);
      else if (!entry.name.endsWith(".lock")) stamps.push(stampOf(path));
    }
  }
  return stamps.sort();
}

function entriesOf(directory: string): readonly Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}
