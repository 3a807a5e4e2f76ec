import { execFile } from "node:child_process";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { readTargetPrograms, type TargetPrograms } from "../../../src/environment/remote/target-programs.ts";
import { oncePerRun } from "../once-per-run.ts";

/** Bundles the programs for targets from the source, with this server or the real one. */
export async function targetProgramsWith(server?: URL): Promise<TargetPrograms> {
  const files = server === undefined ? [] : [fileURLToPath(server)];
  const name = `target-${files.map((file) => basename(file)).join("") || "real"}`;
  const folder = await oncePerRun(name, async (empty) => {
    const bundler = fileURLToPath(new URL("build-programs.ts", import.meta.url));
    await promisify(execFile)(process.execPath, [bundler, empty, ...files]);
  });
  return readTargetPrograms(folder);
}
