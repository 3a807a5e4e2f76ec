import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import packageDescription from "../package.json" with { type: "json" };

export const root = join(import.meta.dirname, "..");

/** Systems that release files are made for, as npm names the programs of Node and ripgrep. */
export const systems = ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64"] as const;
export type System = (typeof systems)[number];

/** Runs a program and returns its output. Throws if it fails, with what it printed as an error. */
export function run(program: string, words: readonly string[], cwd: string): string {
  return execFileSync(program, words, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

/** Packs the built package into `folder`. Returns the path of the archive. */
export function packPackage(folder: string): string {
  const words = ["pack", "--ignore-scripts", "--json", "--pack-destination", folder];
  const [packed] = JSON.parse(run("npm", words, root));
  return join(folder, packed.filename);
}

/** Installs the packed package into a new folder, with the ripgrep of each system. Returns the path of the launcher. */
export function installPackage(archive: string, folder: string, forSystems: readonly System[]): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
  const version = packageDescription.dependencies["@vscode/ripgrep"];
  const ripgreps = forSystems.map((system) => `@vscode/ripgrep-${system}@${version}`);
  // Without --force, npm refuses programs of other systems.
  const flags = ["--force", "--omit=dev", "--omit=optional", "--ignore-scripts", "--no-audit", "--no-fund"];
  run("npm", ["install", ...flags, "--loglevel=error", archive, ...ripgreps], folder);
  return "node_modules/toolcrib/bin/toolcrib.js";
}
