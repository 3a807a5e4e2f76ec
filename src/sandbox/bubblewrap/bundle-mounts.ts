import { dirname } from "node:path";
import { ToolError } from "../../contract/error.ts";
import type { ScanResult, TreeEntry } from "../tree-scan.ts";

// Each takes a millisecond when there are this many.
const mostMounts = 2000;

/**
 * Replaces very many paths by their directories, because mounts take time. Throws when there are still too many: hiding
 * only some is not an option.
 */
export function bundleEntries(
  { hidden, readOnly, unnameable, isWhole }: ScanResult,
  workspace: string,
): {
  readonly hidden: readonly TreeEntry[];
  readonly readOnly: readonly string[];
  readonly remarks: readonly string[];
} {
  const secrets = bundlePaths(
    hidden.map(({ path }) => path),
    workspace,
  );
  const fixed = bundlePaths(readOnly, workspace);
  const single = new Set(secrets.single);
  if (!isWhole) throw tooMuch("directories are in the workspace to look into each of them");
  if (secrets.single.length > mostMounts) throw tooMuch(`secrets are in ${workspace} to hide each of them`);
  if (fixed.single.length > mostMounts)
    throw tooMuch(`protected files are in ${workspace} to hold each of them`);
  return {
    hidden: [
      ...hidden.filter(({ path }) => single.has(path)),
      ...secrets.bundled.map((path): TreeEntry => ({ path, kind: "directory" })),
    ],
    readOnly: [...fixed.single, ...fixed.bundled],
    remarks: [
      ...unnameable.map((path) => `${path} is not hidden: its name is no text.`),
      ...secrets.bundled.map((path) => `${path} holds so many secrets that commands see nothing of it.`),
      ...fixed.bundled.map(
        (path) => `${path} holds so many protected files that commands write nothing in it.`,
      ),
    ],
  };
}

function tooMuch(what: string): ToolError {
  return new ToolError("unavailable", `Too many ${what}: nothing was run`, {
    hint: "Remove what is not needed, or open a smaller directory as the workspace.",
  });
}

/**
 * A mount costs more the more there are: a thousand take a second. The directories with the most paths replace these, until
 * few enough are left. `top` itself never does.
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
