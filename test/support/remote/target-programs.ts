import { execFile } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { readTargetPrograms, type TargetPrograms } from "../../../src/environment/remote/target-programs.ts";

const root = join(import.meta.dirname, "../../..");
const cache = join(root, "node_modules/.cache/toolcrib-test-programs");

/** Bundles the programs for targets from the source, with this server or the real one. Each is bundled once per process. */
export async function targetProgramsWith(server?: URL): Promise<TargetPrograms> {
  const key = server?.href ?? "real";
  const folder = bundled.get(key) ?? bundle(server);
  bundled.set(key, folder);
  return readTargetPrograms(await folder);
}

const bundled = new Map<string, Promise<string>>();

async function bundle(server: URL | undefined): Promise<string> {
  const folder = join(cache, `${process.pid}-target-${server ? "test" : "real"}`);
  mkdirSync(folder, { recursive: true });
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const bundler = fileURLToPath(new URL("build-programs.ts", import.meta.url));
  await promisify(execFile)(process.execPath, [bundler, folder, ...(server ? [fileURLToPath(server)] : [])]);
  return folder;
}
