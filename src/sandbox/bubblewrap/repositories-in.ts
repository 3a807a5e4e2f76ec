import { lstatSync } from "node:fs";
import { join } from "node:path";
import { liesInside } from "../../system/workspace-path.ts";
import { type GitPlaces, repositoryBelow, repositoryOf } from "./git-places.ts";

// Each costs several mounts.
const mostRepositories = 12;

/** The workspace's own first, then those in it; of many, the rest can only be read. */
export function repositoriesIn(
  workspace: string,
  found: readonly string[],
): {
  readonly parts: readonly (GitPlaces & { readonly isOfWorkspace: boolean })[];
  readonly readOnly: readonly string[];
  readonly remarks: readonly string[];
} {
  const own = repositoryOf(workspace);
  const git = join(workspace, ".git");
  // Those of submodules lie in the workspace's own.
  const nested = found
    .filter((path) => path !== git && isDirectoryOrFile(path))
    .map((path) => ({ path, ...repositoryBelow(path, workspace) }))
    .filter(({ held }) => held.length === 0 || !held.every((place) => liesInside(place, git)));
  const tooMany = nested.slice(mostRepositories);
  return {
    parts: [
      ...(own === undefined ? [] : [{ ...own, isOfWorkspace: true }]),
      ...nested.slice(0, mostRepositories).map((places) => ({ ...places, isOfWorkspace: false })),
    ],
    readOnly: [
      ...found.filter((path) => path !== git && isFile(path)),
      ...tooMany.flatMap(({ held }) => held),
    ],
    remarks:
      tooMany.length === 0
        ? []
        : [
            `So many repositories are in the workspace that ${tooMany.length} of them can only be read: ${tooMany[0]?.path} …`,
          ],
  };
}

function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function isDirectoryOrFile(path: string): boolean {
  return isFile(path) || lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
