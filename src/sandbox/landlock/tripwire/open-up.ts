import { chmodSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { PinnedDirectory } from "../../../system/pinning/pinning.ts";
import { liesInside } from "../../../system/workspace-path.ts";
import { hold, quietly } from "./entry-record.ts";

/** Lets us into a directory, whatever mode a command has given to it, as far as it is ours. */
export function openUp(parent: PinnedDirectory, name: string): void {
  const directory = quietly(() => parent.child(name));
  if (directory === undefined) return;
  const mode = modeOf(directory);
  if (!isOpen(mode)) quietly(() => setMode(directory, mode | 0o700));
  directory.close();
}

/** The same for all directories of a workspace that lead to these paths. Gives what makes them as they were. */
export function openUpAbove(paths: readonly string[], workspace: string): () => void {
  const above = new Set(paths.flatMap((path) => directoriesAbove(path, workspace)));
  const opened: { readonly directory: PinnedDirectory; readonly mode: number }[] = [];
  // The outermost first.
  for (const path of [...above].sort()) {
    const directory = hold(path);
    if (directory === undefined) continue;
    const mode = modeOf(directory);
    if (!isOpen(mode) && quietly(() => setMode(directory, mode | 0o700)) !== undefined)
      opened.push({ directory, mode });
    else directory.close();
  }
  return () => {
    for (const { directory, mode } of opened.reverse()) {
      quietly(() => setMode(directory, mode));
      directory.close();
    }
  };
}

export function isOpen(mode: number): boolean {
  return (mode & 0o700) === 0o700;
}

/** By its handle, also where nobody may look into it. */
export function modeOf(directory: PinnedDirectory): number {
  return statSync(directory.at("")).mode & 0o7777;
}

export function setMode(directory: PinnedDirectory, mode: number): true {
  chmodSync(directory.at(""), mode);
  return true;
}

function directoriesAbove(path: string, workspace: string): readonly string[] {
  const parent = dirname(path);
  if (parent === workspace || !liesInside(parent, workspace)) return [parent];
  return [...directoriesAbove(parent, workspace), parent];
}
