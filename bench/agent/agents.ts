import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { workDirectory } from "../data/data.ts";

const folder = join(workDirectory, "agents");
const lock = "package-lock.json";

/**
 * Installs the agents of the package.json next to this file, with the programs of this platform, unless they are
 * installed.
 */
export function installAgents(): void {
  const given = readFileSync(new URL(lock, import.meta.url), "utf8");
  const stamp = join(folder, "node_modules", ".package-lock.json");
  if (existsSync(stamp) && readFileSync(join(folder, lock), "utf8") === given) return;
  process.stderr.write(`Installing other agents into ${folder} …\n`);
  mkdirSync(folder, { recursive: true });
  for (const file of ["package.json", lock])
    cpSync(fileURLToPath(new URL(file, import.meta.url)), join(folder, file));
  // `npm ci` refuses the lock file, because some releases lack packages for other platforms.
  const options = ["--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund"];
  execFileSync("npm", ["install", "--no-save", ...options], { stdio: ["ignore", "ignore", "inherit"] });
}

/** Returns the path of a file in an agent's package. */
export function agentFile(packageName: string, file: string): string {
  return join(folder, "node_modules", packageName, file);
}
