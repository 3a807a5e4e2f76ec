/**
 * Builds dist/ from src/: the library and the command line as a few files that load what they need when they need it,
 * and the type declarations. `--quick`, which `npm ci` runs, leaves the declarations as they are and never fails: without
 * a build the launcher runs the source.
 */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const dist = join(root, "dist");
const fresh = join(root, `node_modules/.cache/build-${process.pid}`);
const isQuick = process.argv.includes("--quick");

try {
  await bundle();
  if (isQuick) keepDeclarations();
  else writeDeclarations();
  replaceDist();
} catch (error) {
  if (!isQuick) throw error;
  console.warn(`dist/ was not built, the source is run instead: ${(error as Error).message}`);
} finally {
  rmSync(fresh, { recursive: true, force: true });
}

async function bundle(): Promise<void> {
  const { build } = await import("rolldown");
  await build({
    cwd: root,
    input: { toolcrib: "src/toolcrib.ts", cli: "src/apps/cli/main.ts" },
    platform: "node",
    external: [/^node:/, "@vscode/ripgrep"],
    logLevel: "warn",
    output: {
      dir: fresh,
      format: "esm",
      entryFileNames: "[name].js",
      chunkFileNames: "[name].js",
    },
  });
}

function writeDeclarations(): void {
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  const options = ["-p", join(root, "tsconfig.build.json"), "--outDir", join(fresh, "types")];
  execFileSync(process.execPath, [compiler, ...options], { stdio: "inherit" });
}

function keepDeclarations(): void {
  const types = join(dist, "types");
  if (existsSync(types)) cpSync(types, join(fresh, "types"), { recursive: true });
}

/** In two renames, so that whoever runs the old build meanwhile hardly notices. */
function replaceDist(): void {
  const old = `${fresh}-old`;
  if (existsSync(dist)) renameSync(dist, old);
  renameSync(fresh, dist);
  rmSync(old, { recursive: true, force: true });
}
