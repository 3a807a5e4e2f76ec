import { ToolError } from "../contract/error.ts";
import { hintsToOpen } from "../lib/refused-path.ts";
import type { Repository } from "./run-git.ts";

/** Whether an absolute path is one of these directories, or is in one. */
export function liesIn(path: string, directories: readonly string[]): boolean {
  return directories.some(
    (directory) => path === directory || path.startsWith(directory === "/" ? "/" : `${directory}/`),
  );
}

/** Converts a path of git to a path of the workspace; undefined if it is outside. */
export function workspacePath({ prefix, below }: Repository, path: string): string | undefined {
  if (below === "") return prefix + path;
  return path.startsWith(below) ? path.slice(below.length) : undefined;
}

/** Converts a path of the workspace to a path of git. */
export function gitPath({ prefix, below }: Repository, path: string): string {
  return below === "" ? path.slice(prefix.length) : below + path;
}

/** Arguments that limit a git command to these paths of git, and in any case to the workspace. */
export function pathspecs({ below }: Repository, paths: readonly string[]): readonly string[] {
  const limited = paths.includes("") ? [] : paths;
  if (below === "") return limited.length === 0 ? [] : ["--", ...limited];
  const inside = limited.map((path) => path.slice(below.length) || ".");
  return ["--", ...(inside.length === 0 ? ["."] : inside)];
}

/**
 * Returns those of these paths of git that tools may not read, at any revision. A file that only its name makes secret is
 * shown while git has its content in HEAD or in the index.
 */
export function hiddenAmong({ top, environment }: Repository, paths: readonly string[]): ReadonlySet<string> {
  const { isHidden: isNamed, shownFromGit } = environment.confinement ?? {};
  const real = (path: string) => `${top === "/" ? "" : top}/${path}`;
  const named = paths.filter((path) => isNamed?.(real(path)) === true);
  const shown = named.length === 0 ? undefined : shownFromGit?.(named.map(real));
  return new Set(named.filter((path) => shown?.has(real(path)) !== true));
}

/** Whether tools may not read this path of git. It may start git: for many paths, call `hiddenAmong` once. */
export function isHidden(repository: Repository, path: string): boolean {
  return hiddenAmong(repository, [path]).has(path);
}

/** Refuses a path that tools may not read. `given` is the path as the caller wrote it. */
export function refuseHidden(repository: Repository, path: string, given: string): void {
  if (!isHidden(repository, path)) return;
  throw new ToolError("denied", `${given} is hidden by a rule, at any revision`, hintsToOpen(given));
}
