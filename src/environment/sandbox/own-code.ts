import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { AbsentPath } from "../../contract/confinement.ts";
import { liesInside } from "../workspace-path.ts";

/**
 * What of our own programs lies in a workspace, where a project has installed us: commands must not change it, because
 * much of it is loaded later, and runs outside every sandbox. Nothing can be done where the workspace is all of it.
 */
export function ownCode(workspace: string, module: string = import.meta.url): readonly AbsentPath[] {
  const packages = [module, ...dependencies.flatMap((name) => resolved(name, module))].flatMap(packageOf);
  const isInside = (path: string) => path !== workspace && liesInside(path, workspace);
  return [
    ...packages.map((path): AbsentPath => ({ path, kind: "directory" })),
    { path: realpathSync.native(process.execPath), kind: "file" } as const,
  ].filter(({ path }) => isInside(path));
}

const dependencies = ["zod", "@vscode/ripgrep", `@vscode/ripgrep-${process.platform}-${process.arch}`];

function resolved(name: string, module: string): readonly string[] {
  const start = dirname(fileURLToPath(module));
  for (let folder = start; ; folder = dirname(folder)) {
    const found = join(folder, "node_modules", name);
    if (existsSync(found)) return [found];
    if (dirname(folder) === folder) return [];
  }
}

/** The folder of the nearest package around it. */
function packageOf(place: string): readonly string[] {
  const start = realpathSync.native(place.startsWith("file:") ? fileURLToPath(place) : place);
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, "package.json"))) return [folder];
    if (dirname(folder) === folder) return [];
  }
}
