import { execFile } from "node:child_process";
import { basename, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { oncePerRun } from "./once-per-run.ts";

const repository = join(import.meta.dirname, "../..");
const bundler = fileURLToPath(new URL("bundle-program.ts", import.meta.url));

/**
 * Bundles a program of `test/support` that a test starts many times: it starts three times as fast as its source.
 * Modules keep the `import.meta` of their source files, so they find the programs next to them. The bundler has a
 * separate process, because it leaves 250 MB behind, and then every start of a program takes 8 ms longer.
 */
export async function bundledProgram(program: URL): Promise<string> {
  const path = fileURLToPath(program);
  const name = relative(repository, path).replaceAll("/", "-");
  const folder = await oncePerRun(name, async (empty) => {
    await promisify(execFile)(process.execPath, [bundler, path, empty]);
  });
  return join(folder, `${basename(path, ".ts")}.mjs`);
}
