import { execFile } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const cache = join(import.meta.dirname, "../../node_modules/.cache/toolcrib-test-programs");
const bundler = fileURLToPath(new URL("bundle-program.ts", import.meta.url));

/**
 * Bundles a program of `test/support` that a test starts many times: it starts three times as fast as its source.
 * Every test process has its own bundle, removed when the process exits. Modules keep the `import.meta` of their
 * source files, so they find the programs next to them. The bundler has a separate process, because it leaves 250 MB
 * behind, and then every start of a program takes 8 ms longer.
 */
export async function bundledProgram(program: URL): Promise<string> {
  const name = basename(fileURLToPath(program), ".ts");
  const folder = join(cache, `${process.pid}-${name}`);
  mkdirSync(folder, { recursive: true });
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  await promisify(execFile)(process.execPath, [bundler, fileURLToPath(program), folder]);
  return join(folder, `${name}.mjs`);
}
