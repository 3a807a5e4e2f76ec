import { dirname } from "node:path";
import { ToolError } from "../../contract/error.ts";
import type { ScanResult, TreeEntry } from "../tree-scan.ts";

// Among so many mounts, each takes a millisecond.
const mostMounts = 2000;

/** Replaces paths by their directories if there are too many to mount each. Throws when still too many are left. */
export function bundleEntries(
  { hidden, readOnly, unnameable, isWhole }: ScanResult,
  workspace: string,
): {
  readonly hidden: readonly TreeEntry[];
  readonly readOnly: readonly string[];
  readonly remarks: readonly string[];
} {
  const paths = hidden.map(({ path }) => path);
  const secrets = bundlePaths(paths, workspace);
  const fixed = bundlePaths(readOnly, workspace);
  const single = new Set(secrets.single);
  if (!isWhole) throw tooMany(workspace, "directories to scan");
  if (secrets.single.length > mostMounts) throw tooMany(workspace, "secrets to hide");
  if (fixed.single.length > mostMounts) throw tooMany(workspace, "protected files to mount");
  return {
    hidden: [
      ...hidden.filter(({ path }) => single.has(path)),
      ...secrets.bundled.map((path): TreeEntry => ({ path, kind: "directory" })),
    ],
    readOnly: [...fixed.single, ...fixed.bundled],
    remarks: [
      ...unnameable.map((path) => `${path} is not hidden, because its name is not valid text.`),
      ...secrets.bundled.map((path) => `${path} contains so many secrets that it is hidden as a whole.`),
      ...fixed.bundled.map((path) => `${path} contains so many protected files that all of it is read-only.`),
    ],
  };
}

function tooMany(workspace: string, what: string): ToolError {
  return new ToolError("unavailable", `The command was not run: ${workspace} contains too many ${what}`, {
    hint: "Ask the user to open a smaller workspace.",
    forUser: { hint: "Delete unneeded files, or open a smaller workspace." },
  });
}

/**
 * Replaces paths by the directories that contain the most of them, until at most `most` are left, because a thousand
 * mounts take a second. `top` itself replaces no path.
 */
export function bundlePaths(
  paths: readonly string[],
  top: string,
  most: number = fewMounts,
): { readonly single: readonly string[]; readonly bundled: readonly string[] } {
  let single = paths;
  const bundled: string[] = [];
  while (single.length + bundled.length > most) {
    const counts = new Map<string, number>();
    for (const path of single) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
    counts.delete(top);
    const [directory, count] = [...counts].reduce((best, next) => (next[1] > best[1] ? next : best), ["", 1]);
    if (count < 2) break;
    single = single.filter((path) => !path.startsWith(`${directory}/`));
    bundled.push(directory);
  }
  return { single, bundled };
}

const fewMounts = 150;
