import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

// How long to wait for the network.
const patienceMs = 30_000;

/** Returns the folder in which the tests keep the files of some packages. */
export function packageFolder(name: string): string {
  return join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "toolcrib-tests", name);
}

/** Downloads Debian packages and unpacks them into a folder, which needs no root, unless the folder has the file. */
export function unpackPackages(folder: string, packages: readonly string[], file: string): boolean {
  if (existsSync(join(folder, file))) return true;
  mkdirSync(folder, { recursive: true });
  if (!succeeds("apt-get", ["download", "-q", ...packages], folder)) return false;
  for (const name of readdirSync(folder).filter((path) => path.endsWith(".deb")))
    succeeds("dpkg-deb", ["-x", name, "."], folder);
  return existsSync(join(folder, file));
}

/** Says which programs are missing, whose packages have the same names; undefined when all are installed. */
export function neededPackages(programs: readonly string[]): string | undefined {
  const missing = programs.filter((name) => !succeeds("sh", ["-c", `command -v ${name}`]));
  return missing.length === 0 ? undefined : `needs Debian's ${missing.join(" and ")}`;
}

/** Whether a program runs and ends without an error. */
export function succeeds(program: string, args: readonly string[], cwd = "/"): boolean {
  return spawnSync(program, args, { cwd, stdio: "ignore", timeout: patienceMs }).status === 0;
}
