/**
 * Builds and packs Toolcrib, installs the tarball next to the SDKs of package.json in this folder, and runs the tests here:
 *   npm run test:library [-- NAMES OF TEST FILES …]
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { installPackages } from "../../scripts/install-packages.ts";

const here = import.meta.dirname;
const repository = join(here, "../..");
const modules = join(here, "node_modules");
/** An app with packages of its own, which takes a while to install and build. */
const nextApp = join(here, "next");
const names = process.argv.slice(2);
const projects = names.some((name) => !name.includes("next")) ? [here] : [here, nextApp];
const output = { stdio: ["ignore", "ignore", "inherit"] } as const;

for (const project of projects) installPackages(project);
installToolcrib();
const vitest = join(repository, "node_modules/vitest/vitest.mjs");
const options = ["run", "--root", here, ...names];
process.exitCode = spawnSync(process.execPath, [vitest, ...options], { stdio: "inherit" }).status ?? 1;

function installToolcrib(): void {
  process.stderr.write("Packing Toolcrib …\n");
  execFileSync(process.execPath, [join(repository, "scripts/build.ts")], output);
  const tarball = join(modules, "toolcrib.tgz");
  const pack = ["pack", "--json", "--ignore-scripts", "--pack-destination", modules];
  const packed = execFileSync("npm", pack, { cwd: repository, encoding: "utf8" });
  const [{ filename }] = JSON.parse(packed.slice(packed.indexOf("["))) as [{ filename: string }];
  renameSync(join(modules, filename), tarball);
  for (const project of projects) {
    const installed = join(project, "node_modules/toolcrib");
    rmSync(installed, { recursive: true, force: true });
    mkdirSync(installed);
    execFileSync("tar", ["-xzf", tarball, "-C", installed, "--strip-components=1"]);
  }
}
