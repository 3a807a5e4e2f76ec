import type { Environment } from "../contract/environment.ts";
import { ToolError } from "../contract/error.ts";
import type { Repository } from "./run-git.ts";

/** Whether an absolute path is one of these directories, or lies in one. */
export function liesIn(path: string, directories: readonly string[]): boolean {
  return directories.some(
    (directory) => path === directory || path.startsWith(directory === "/" ? "/" : `${directory}/`),
  );
}

/** A path of git as one of the workspace; undefined for what lies outside of that. */
export function workspacePath({ prefix, below }: Repository, path: string): string | undefined {
  if (below === "") return prefix + path;
  return path.startsWith(below) ? path.slice(below.length) : undefined;
}

/** The other way round. */
export function gitPath({ prefix, below }: Repository, path: string): string {
  return below === "" ? path.slice(prefix.length) : below + path;
}

/** The words that limit a command of git to these of its paths, and in every case to the workspace. */
export function pathspecs({ below }: Repository, paths: readonly string[]): readonly string[] {
  const limited = paths.includes("") ? [] : paths;
  if (below === "") return limited.length === 0 ? [] : ["--", ...limited];
  const inside = limited.map((path) => path.slice(below.length) || ".");
  return ["--", ...(inside.length === 0 ? ["."] : inside)];
}

/** Whether tools may not read what stands at a path of git: at any revision, then. */
export function isHidden(
  { top }: Repository,
  path: string,
  { confinement }: Pick<Environment, "confinement">,
): boolean {
  return confinement?.isHidden?.(`${top === "/" ? "" : top}/${path}`) === true;
}

/** Throws for such a path. `given`: as the caller spelled it. */
export function refuseHidden(
  repository: Repository,
  path: string,
  given: string,
  environment: Pick<Environment, "confinement">,
): void {
  if (!isHidden(repository, path, environment)) return;
  throw new ToolError("denied", `${given} may hold secrets, at any revision`, {
    hint: `Do not work around it. Continue without it, or ask the user to add the rule: open ${given}`,
    forUser: { hint: `To allow it, add --rule 'open ${given}'` },
  });
}
