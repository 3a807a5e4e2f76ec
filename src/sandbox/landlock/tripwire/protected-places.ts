import { lstatSync } from "node:fs";
import { dirname, join } from "node:path";
import type { AbsentPath } from "../../../contract/confinement.ts";
import type { Covered } from "../../bubblewrap/entries-below.ts";
import { type GitPlaces, repositoryBelow, repositoryOf } from "../../bubblewrap/git-places.ts";
import { linkOnTheWay } from "./link-on-the-way.ts";

export interface ProtectedPlaces {
  /** Files and directories with all in them, or nothing: they stay as they are. None lies in another. */
  readonly paths: readonly string[];
  /** Directories of repositories: commits write in them, but they stay where they are. */
  readonly held: readonly string[];
}

/** What a command must leave as it is, in the workspace and in the repository that it belongs to. */
export function protectedPlaces(
  workspace: string,
  covered: readonly Covered[],
  absent: readonly AbsentPath[],
): ProtectedPlaces {
  const own = repositoryOf(workspace);
  const nested = covered
    .flatMap(({ repositories }) => repositories)
    .filter((path) => path !== join(workspace, ".git") && !isLink(path))
    .map((path) => repositoryBelow(path, workspace));
  const known: readonly GitPlaces[] = [...(own === undefined ? [] : [own]), ...nested];
  const held = new Set(known.flatMap((git) => git.held));
  const places = [
    ...covered.flatMap(({ readOnly }) => readOnly),
    ...covered.flatMap(({ hidden }) => hidden.map(({ path }) => path)),
    ...known.flatMap((git) => [...git.readOnly, ...git.stubs.map(({ path }) => path)]),
    // A repository that is there is git's to write.
    ...absent.map(({ path }) => path).filter((path) => !held.has(path)),
  ];
  const paths = new Set(places);
  return {
    // What lies behind a link was somewhere else before.
    paths: [...paths]
      .filter((path) => !liesInOneOf(dirname(path), paths) && linkOnTheWay(path, workspace) === undefined)
      .sort(),
    held: [...held],
  };
}

/** Whether `path` is one of these, or lies below one. */
export function liesInOneOf(path: string, places: ReadonlySet<string>): boolean {
  return places.has(path) || (path !== "/" && liesInOneOf(dirname(path), places));
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== false;
}
