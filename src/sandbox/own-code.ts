import { existsSync, realpathSync } from "node:fs";
import { basename, join } from "node:path";
import type { AbsentPath } from "../contract/confinement.ts";
import { foldersAbove, packageFolder } from "../system/package-file.ts";
import { liesInside } from "../system/workspace-path.ts";

/**
 * Returns the files of Toolcrib in a workspace where a project has installed it, and the paths that Node would load
 * instead. Commands must not change or create them, because many are loaded later and run outside every sandbox. When
 * the workspace is Toolcrib itself, its files are not protected.
 */
export function ownCode(workspace: string, own: string = packageFolder()): readonly AbsentPath[] {
  const zod = lookUp("zod", own);
  const ripgrep = lookUp("@vscode/ripgrep", own);
  const program = lookUp(`@vscode/ripgrep-${process.platform}-${process.arch}`, ripgrep.found[0] ?? own);
  const directories = [
    ...[own, ...zod.found, ...ripgrep.found, ...program.found],
    // zod is not included, because it is bundled and a project may install its own.
    ...[...ripgrep.nearer, ...program.nearer],
  ];
  return [
    ...directories.map((path): AbsentPath => ({ path, kind: "directory" })),
    { path: realpathSync.native(process.execPath), kind: "file" } as const,
  ].filter(({ path }) => path !== workspace && liesInside(path, workspace));
}

interface LookUp {
  /** The folder of the package, and the link to it, if there is one. */
  readonly found: readonly string[];
  /** The folders of the package that Node would find earlier, outside the importing package. */
  readonly nearer: readonly string[];
}

/** Resolves a package as Node does. */
function lookUp(name: string, asking: string): LookUp {
  const within = join(asking, "node_modules", name);
  if (isPackage(within)) return { found: withItsLink(within), nearer: [] };
  const searched = foldersAbove(asking)
    .filter((folder) => basename(folder) !== "node_modules")
    .map((folder) => join(folder, "node_modules", name));
  const at = searched.findIndex(isPackage);
  if (at === -1) return { found: [], nearer: searched };
  return { found: withItsLink(searched[at]!), nearer: searched.slice(0, at) };
}

function withItsLink(folder: string): readonly string[] {
  return [...new Set([realpathSync.native(folder), folder])];
}

function isPackage(folder: string): boolean {
  return existsSync(join(folder, "package.json"));
}
