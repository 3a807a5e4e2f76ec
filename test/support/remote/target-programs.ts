import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { readTargetPrograms, type TargetPrograms } from "../../../src/environment/remote/target-programs.ts";

const root = join(import.meta.dirname, "../../..");
const cache = join(root, "node_modules/.cache/toolcrib-test-programs");

/** Bundles the programs for targets from the source, with this server or the real one. */
export async function targetProgramsWith(server?: URL): Promise<TargetPrograms> {
  return readTargetPrograms(await bundle(server));
}

/** Bundles the programs for targets into dist/, where the command line finds them. */
export async function refreshTargetPrograms(): Promise<void> {
  const folder = await bundle(undefined);
  const dist = join(root, "dist/target");
  mkdirSync(dist, { recursive: true });
  cpSync(join(root, "src/environment/remote/bootstrap.sh"), join(folder, "bootstrap.sh"));
  // Other tests may read them at the same time.
  for (const name of readdirSync(folder)) renameSync(join(folder, name), join(dist, name));
}

async function bundle(server: URL | undefined): Promise<string> {
  const folder = join(cache, `${process.pid}-target-${server ? "test" : "real"}`);
  mkdirSync(folder, { recursive: true });
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const bundler = fileURLToPath(new URL("build-programs.ts", import.meta.url));
  await promisify(execFile)(process.execPath, [bundler, folder, ...(server ? [fileURLToPath(server)] : [])]);
  return folder;
}
