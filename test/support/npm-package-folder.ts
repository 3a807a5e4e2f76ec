import { findPackageJSON } from "node:module";
import { dirname } from "node:path";

/** Returns the folder of an installed package of this repository, or of test/package.json. */
export function npmPackageFolder(name: string): string {
  const file = findInstalled(name);
  if (file === undefined)
    throw new Error(`The package ${name} is not installed. Run: node scripts/install-packages.ts test`);
  return dirname(file);
}

function findInstalled(name: string): string | undefined {
  try {
    return findPackageJSON(name, import.meta.url);
  } catch {
    return undefined;
  }
}
