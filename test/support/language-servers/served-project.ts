import { copyFileSync, cpSync, linkSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { openToolcrib, type Toolcrib, type ToolcribOptions } from "../../../src/toolcrib/index.ts";
import { npmPackageFolder } from "../npm-package-folder.ts";
import { missingHere } from "../sandbox-fixture.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** A project with installed packages, and an instance for it. */
export interface ServedProject extends AsyncDisposable {
  readonly crib: Toolcrib;
  at(path: string): string;
}

interface ProjectWanted extends Pick<ToolcribOptions, "mode" | "rules" | "languageServers" | "approve"> {
  readonly files: Readonly<Record<string, string>>;
  /** Packages by their folder in the project: `{ typescript: "typescript-5" }`. */
  readonly packages?: Readonly<Record<string, string>>;
}

export async function servedProject({
  files,
  packages = {},
  ...options
}: ProjectWanted): Promise<ServedProject> {
  const folder = temporaryFolder();
  const workspace = join(folder.path, "workspace");
  const at = (path: string) => join(workspace, path);
  for (const [path, content] of Object.entries({ ".gitignore": "node_modules\n", ...files })) {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), content);
  }
  for (const [name, source] of Object.entries(packages))
    linkTree(npmPackageFolder(source), at(`node_modules/${name}`));
  const crib = await openToolcrib({
    ...options,
    workspace,
    stateDirectory: join(folder.path, "state"),
    configDirectory: join(folder.path, "config"),
  });
  return {
    crib,
    at,
    [Symbol.asyncDispose]: async () => {
      await crib.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** The packages of TypeScript 7, whose program is in a package for the platform. */
export const typescriptPackages: Readonly<Record<string, string>> = Object.fromEntries(
  [
    "typescript",
    ...readdirSync(join(npmPackageFolder("typescript"), "../@typescript")).map(
      (name) => `@typescript/${name}`,
    ),
  ].map((name) => [name, name]),
);

/** Hard links, because links out of the workspace are refused and copies take time. */
export function linkTree(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) linkTree(source, target);
    else if (entry.isSymbolicLink()) cpSync(source, target);
    else
      try {
        linkSync(source, target);
      } catch {
        copyFileSync(source, target);
      }
  }
}

/** Why no language server can run here; undefined when one can. */
export async function noSandboxHere(): Promise<string | undefined> {
  const bubblewrap = await missingHere("bwrap");
  return bubblewrap === undefined ? undefined : await missingHere("landlock");
}
