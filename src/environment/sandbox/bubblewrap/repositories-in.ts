import { lstatSync } from "node:fs";
import { join } from "node:path";
import { type GitPlaces, placesIn, repositoryOf } from "./git-places.ts";

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
  const nested = found.filter((path) => path !== join(workspace, ".git"));
  const isKind = (kind: "isFile" | "isDirectory") => (path: string) =>
    lstatSync(path, { throwIfNoEntry: false })?.[kind]() === true;
  const directories = nested.filter(isKind("isDirectory"));
  const tooMany = directories.slice(mostRepositories);
  return {
    parts: [
      ...(own === undefined ? [] : [{ ...own, isOfWorkspace: true }]),
      ...directories.slice(0, mostRepositories).map((path) => ({ ...placesIn(path), isOfWorkspace: false })),
    ],
    readOnly: [...tooMany, ...nested.filter(isKind("isFile"))],
    remarks:
      tooMany.length === 0
        ? []
        : [
            `So many repositories are in the workspace that ${tooMany.length} of them can only be read: ${tooMany[0]} …`,
          ],
  };
}
