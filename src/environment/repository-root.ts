import { lstatSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * The directory with git's own in it that is nearest above a workspace; the workspace itself if there is none. What somebody else
 * has put above it, as anybody can in /tmp, does not count.
 */
export function repositoryRoot(workspace: string): string {
  const trusted = new Set([0, process.getuid?.(), ownerOf(workspace)]);
  for (let directory = workspace; ; directory = dirname(directory)) {
    const owner = ownerOf(join(directory, ".git"));
    if (owner !== undefined) return trusted.has(owner) ? directory : workspace;
    if (dirname(directory) === directory) return workspace;
  }
}

function ownerOf(path: string): number | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.uid;
  } catch {
    return undefined;
  }
}
