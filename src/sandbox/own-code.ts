import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { AbsentPath } from "../contract/confinement.ts";
import { liesInside } from "../system/workspace-path.ts";

/**
 * The files of Toolcrib in a workspace where a project has installed it. Commands must not change them, because much is
 * loaded later and runs outside every sandbox; nor may they create what Node would load instead. Nothing can be done where
 * the workspace is Toolcrib itself.
 */
export function ownCode(workspace: string, module: string = import.meta.url): readonly AbsentPath[] {
  const own = packageAround(realpathSync.native(fileURLToPath(module)));
  const zod = lookUp("zod", own);
  const ripgrep = lookUp("@vscode/ripgrep", own);
  const program = lookUp(`@vscode/ripgrep-${process.platform}-${process.arch}`, ripgrep.found[0] ?? own);
  const directories = [
    ...[own, ...zod.found, ...ripgrep.found, ...program.found],
    // Not for zod: it is built in, and a project may install its own.
    ...[...ripgrep.nearer, ...program.nearer],
  ];
  const isInside = (path: string) => path !== workspace && liesInside(path, workspace);
  return [
    ...directories.map((path): AbsentPath => ({ path, kind: "directory" })),
    { path: realpathSync.native(process.execPath), kind: "file" } as const,
  ].filter(({ path }) => isInside(path));
}

interface LookUp {
  /** Its folder, and the link to it, if there is one. */
  readonly found: readonly string[];
  /** Folders that Node searches before, outside the importing package. */
  readonly nearer: readonly string[];
}

/** As Node resolves a package. */
function lookUp(name: string, asking: string): LookUp {
  const within = join(asking, "node_modules", name);
  if (isPackage(within)) return { found: withItsLink(within), nearer: [] };
  const places = foldersAbove(asking)
    .filter((folder) => basename(folder) !== "node_modules")
    .map((folder) => join(folder, "node_modules", name));
  const at = places.findIndex(isPackage);
  if (at === -1) return { found: [], nearer: places };
  return { found: withItsLink(places[at]!), nearer: places.slice(0, at) };
}

function withItsLink(folder: string): readonly string[] {
  return [...new Set([realpathSync.native(folder), folder])];
}

/** A placeholder is not a package. */
function isPackage(folder: string): boolean {
  return existsSync(join(folder, "package.json"));
}

/** The folder of the nearest package around a file. */
function packageAround(file: string): string {
  return foldersAbove(file).find(isPackage) ?? dirname(file);
}

/** The nearest first. */
function foldersAbove(path: string): readonly string[] {
  const parent = dirname(path);
  return parent === path ? [] : [parent, ...foldersAbove(parent)];
}
