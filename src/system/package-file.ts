import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { readFile } from "node:fs/promises";
import nodeModule from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { ToolError } from "../contract/error.ts";
import { attempt } from "./attempt.ts";
import { version } from "./version.ts";

/** Reads a file of Toolcrib's own package, which no tool can read. */
export function readPackageFile(path: URL): Promise<Uint8Array> {
  return readFile(path);
}

/** Reads all files of a folder of the package, by their path in it with "/" between names; none without the folder. */
export function readPackageFolder(folder: string): ReadonlyMap<string, Uint8Array<ArrayBuffer>> {
  const entries = attempt(() => readdirSync(folder, { recursive: true, withFileTypes: true })) ?? [];
  const files = entries.filter((entry) => entry.isFile());
  return new Map(
    files.map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      return [path.slice(folder.length + 1), new Uint8Array(readFileSync(path))];
    }),
  );
}

/**
 * Returns the path of a file that Toolcrib starts or reads at run time: `source`, relative to the module, when Toolcrib runs from
 * its sources; else `built`, relative to dist/.
 */
export function packageFile(module: string, { source, built }: { source: string; built: string }): string {
  // Bundlers leave `import.meta.url` undefined in CommonJS.
  return (module as string | undefined)?.endsWith(".ts")
    ? fileURLToPath(new URL(source, module))
    : join(packageFolder(), "dist", built);
}

/**
 * Returns the folder of the installed package. A bundle contains Toolcrib's modules, but not the files that it starts or reads at
 * run time, so they come from the package installed where the bundle runs. Throws when they are missing.
 */
export function packageFolder(): string {
  known ??= findPackage(programFiles());
  return known;
}

let known: string | undefined;

/** Names the folder of a program that contains everything it needs, such as the server on a target. */
export function setPackageFolder(folder: string): void {
  known = folder;
}

/** Finds the package of one of these files, or the package that the file would import. */
export function findPackage(files: readonly string[]): string {
  for (const file of files) {
    const real = attempt(() => realpathSync.native(file)) ?? file;
    const folder =
      foldersAbove(real).find(isToolcrib) ??
      attempt(() => dirname(requireFrom(real).resolve("toolcrib/package.json")));
    if (folder === undefined) continue;
    if (!isToolcrib(folder))
      throw incomplete(`This bundle contains toolcrib ${version}, and ${folder} is another version`);
    const missing = neededFiles.find((path) => !existsSync(join(folder, path)));
    if (missing === undefined || existsSync(join(folder, "src"))) return folder;
    throw incomplete(`${join(folder, missing)} is missing`);
  }
  throw incomplete("This program was bundled, and the package toolcrib is not installed where it runs");
}

/** Returns the `require` of a file. webpack would replace a `createRequire` that it recognizes. */
export function requireFrom(file: string): NodeJS.Require {
  return nodeModule.createRequire(file);
}

/** Returns the folders above a path, nearest first. */
export function foldersAbove(path: string): readonly string[] {
  const parent = dirname(path);
  return parent === path ? [] : [parent, ...foldersAbove(parent)];
}

/** This module, which webpack names by its path at build time, and the program. */
function programFiles(): readonly string[] {
  const url = import.meta.url as string | undefined;
  const own = url ?? (typeof __filename === "string" ? pathToFileURL(__filename).href : undefined);
  return [...(own ? [fileURLToPath(own)] : []), ...(process.argv[1] ? [process.argv[1]] : [])];
}

/** Whether a folder is this version of the package. */
function isToolcrib(folder: string): boolean {
  const file = join(folder, "package.json");
  const text = existsSync(file) ? attempt(() => readFileSync(file, "utf8")) : undefined;
  const { name, version: installed } = text === undefined ? {} : JSON.parse(text);
  return name === "toolcrib" && installed === version;
}

const neededFiles = [
  "dist/code-worker/main.cjs",
  "dist/document-worker/main.cjs",
  "dist/grammars",
  "dist/pdfium",
  "dist/script-thread/main.cjs",
  "dist/perl",
];

function incomplete(what: string): ToolError {
  return new ToolError("unavailable", `${what}, so Toolcrib cannot start its workers`, {
    hint: 'Keep the whole package: mark "toolcrib" as external in the bundler, and run npm install toolcrib where the program runs. See docs/deploying.md.',
  });
}
