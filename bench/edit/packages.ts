import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { dataPath } from "../data/data.ts";
import packages from "./packages.json" with { type: "json" };
import { readTarball } from "./tar.ts";

/** Well-known packages and some of their versions, in order. The tasks are made from their authors' edits. */
export const packageVersions: Readonly<Record<string, readonly string[]>> = packages;

/** Downloads with npm what earlier runs have not. */
export function downloadPackages(): void {
  const wanted = Object.entries(packageVersions).flatMap(([name, versions]) =>
    versions.map((version) => ({ spec: `${name}@${version}`, file: tarball(name, version) })),
  );
  const missing = wanted.filter(({ file }) => !existsSync(file)).map(({ spec }) => spec);
  if (missing.length === 0) return;
  process.stderr.write(`Getting ${missing.length} published packages, about 200 MB in all …\n`);
  mkdirSync(directory, { recursive: true });
  for (let first = 0; first < missing.length; first += 10) {
    packInto(directory, missing.slice(first, first + 10));
  }
}

/** Lets npm put the archives of packages into a folder. */
export function packInto(folder: string, specs: readonly string[]): void {
  execFileSync("npm", ["pack", ...specs, "--pack-destination", folder, "--silent", "--ignore-scripts"], {
    stdio: ["ignore", "ignore", "inherit"],
  });
}

export function readPackage(name: string, version: string): Map<string, Buffer> {
  return readTarball(readFileSync(tarball(name, version)));
}

const directory = join(dataPath("edit"), "packages");

function tarball(name: string, version: string): string {
  return join(directory, `${name.replace("@", "").replace("/", "-")}-${version}.tgz`);
}
