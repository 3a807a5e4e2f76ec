import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";

// How long to wait for the network.
const patienceMs = 20_000;

/** Before all tests: installs bubblewrap where it is missing, into our own folder unless we are root. */
export function setup(): void {
  if (process.platform !== "linux" || has("bwrap")) return;
  const folder = join(
    process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"),
    "toolcrib-tests",
    "bubblewrap",
  );
  const programs = join(folder, "usr", "bin");
  if (!existsSync(join(programs, "bwrap"))) fetchInto(folder);
  if (existsSync(join(programs, "bwrap"))) process.env.PATH = `${programs}${delimiter}${process.env.PATH}`;
  else if (!has("bwrap")) {
    console.warn(
      "\nbubblewrap is not here and could not be got: what needs it is skipped. Install it to test all.\n",
    );
  }
}

function fetchInto(folder: string): void {
  if (process.getuid?.() === 0 && succeeds("apt-get", ["install", "-y", "-q", "bubblewrap"], "/")) return;
  mkdirSync(folder, { recursive: true });
  if (!succeeds("apt-get", ["download", "-q", "bubblewrap"], folder)) return;
  for (const name of readdirSync(folder).filter((file) => file.endsWith(".deb"))) {
    succeeds("dpkg-deb", ["-x", name, "."], folder);
  }
}

function has(program: string): boolean {
  return succeeds(program, ["--version"], "/");
}

function succeeds(program: string, args: readonly string[], cwd: string): boolean {
  return spawnSync(program, args, { cwd, stdio: "ignore", timeout: patienceMs }).status === 0;
}
