import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { workDirectory } from "../data/data.ts";
import type { Server } from "./servers.ts";

const repository = fileURLToPath(new URL("../..", import.meta.url));
const root = join(workDirectory, "comparison");

export interface Installed {
  readonly program: string;
  readonly version: string;
  readonly megabytes: number;
  readonly packages: number;
}

/** Installs a server from npm into a folder of its own, without install scripts. Toolcrib is always installed again. */
export function installServer(server: Server): Installed {
  const folder = join(root, server.name.replaceAll(" ", "-"));
  const name = server.package?.replace(/@[^@]*$/, "") ?? "toolcrib";
  const description = JSON.stringify({ private: true, overrides: server.overrides ?? {} });
  const stamp = join(folder, "installed.json");
  const wanted = JSON.stringify([server.package, description]);
  const isInstalled = existsSync(stamp) && readFileSync(stamp, "utf8") === wanted;
  if (server.package === undefined || !isInstalled) {
    process.stderr.write(`Installing ${name} …\n`);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), description);
    const options = ["--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund", "--silent"];
    execFileSync("npm", ["install", ...options, server.package ?? pack(folder)], { stdio: "inherit" });
    writeFileSync(stamp, wanted);
  }
  const modules = join(folder, "node_modules");
  const own = join(modules, name);
  const { version } = JSON.parse(readFileSync(join(own, "package.json"), "utf8")) as { version: string };
  const { packages } = JSON.parse(readFileSync(join(modules, ".package-lock.json"), "utf8")) as {
    packages: object;
  };
  return {
    program: join(own, server.program),
    version,
    megabytes: sizeOf(modules) / 2 ** 20,
    packages: Object.keys(packages).length,
  };
}

/** Builds and packs this checkout, as a release does. */
function pack(folder: string): string {
  execFileSync(process.execPath, [join(repository, "scripts", "build.ts")], { stdio: ["ignore", 2, 2] });
  const options = ["--ignore-scripts", "--silent", "--pack-destination", folder];
  const file = execFileSync("npm", ["pack", ...options], { cwd: repository, encoding: "utf8" });
  return join(folder, file.trim());
}

function sizeOf(folder: string): number {
  return readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sum + sizeOf(path);
    return entry.isFile() ? sum + statSync(path).size : sum;
  }, 0);
}
