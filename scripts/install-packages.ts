/**
 * Installs the packages of a folder with a package.json and a lock file of its own. Does nothing when they are installed.
 * Run: node scripts/install-packages.ts test
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

const root = join(import.meta.dirname, "..");

if (import.meta.main) for (const folder of process.argv.slice(2)) installPackages(join(root, folder));

/** Runs no install scripts. `options` are for npm. */
export function installPackages(folder: string, options: readonly string[] = []): void {
  const installed = join(folder, "node_modules/.package-lock.json");
  if (existsSync(installed) && versionsIn(installed) === versionsIn(join(folder, "package-lock.json")))
    return;
  process.stderr.write(`Installing the packages of ${relative(root, folder)} …\n`);
  const words = ["ci", "--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund", ...options];
  execFileSync("npm", words, { stdio: ["ignore", "ignore", "inherit"] });
}

/** The required packages: optional ones differ by platform. */
function versionsIn(lockFile: string): string {
  const { packages } = JSON.parse(readFileSync(lockFile, "utf8")) as {
    packages: Record<string, { version?: string; optional?: boolean; extraneous?: boolean }>;
  };
  return Object.entries(packages)
    .filter(([path, entry]) => path !== "" && !entry.optional && !entry.extraneous)
    .map(([path, entry]) => `${path}@${entry.version}`)
    .join();
}
