/**
 * Builds the files of a release from a clean clone, into `release/`: the npm package, the bundle for desktop clients,
 * a binary for each Linux system, the description for the MCP registry, the list of components, and the checksums.
 * Name some of them to build only those: `npm run release-files -- bundle binary`.
 */
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { version } from "../src/system/version.ts";
import { buildBinary } from "./binary.ts";
import { buildBundle } from "./bundle.ts";
import { checkBinary, checkBundle } from "./check.ts";
import { writeComponents } from "./components.ts";
import { writeRegistryEntry } from "./registry-entry.ts";
import { packPackage, root, run, type System } from "./stage.ts";

const parts = ["binary", "bundle", "components", "registry"] as const;
/** macOS on arm64 runs only signed programs, and a binary unpacks a changed copy of itself, which no signature covers. */
const binarySystems: readonly System[] = ["linux-x64", "linux-arm64"];
const here = `${process.platform}-${process.arch}`;

await main(process.argv.slice(2));

async function main(words: readonly string[]): Promise<void> {
  const onlyHere = words.includes("--only-here");
  const named = words.filter((word) => word !== "--only-here");
  const unknown = named.find((word) => !parts.some((part) => part === word));
  if (unknown !== undefined) {
    console.error(
      `Unknown part: ${unknown}\nRun: npm run release-files -- [${parts.join("] [")}] [--only-here]`,
    );
    process.exitCode = 2;
    return;
  }
  const wanted = new Set<string>(named.length > 0 ? named : parts);
  const output = join(root, "release");
  const folder = mkdtempSync(join(tmpdir(), "toolcrib-release-"));
  try {
    rmSync(output, { recursive: true, force: true });
    mkdirSync(output);
    step("tools");
    run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], import.meta.dirname);
    if (!existsSync(join(root, "dist/types"))) {
      step("dist");
      run("npm", ["run", "--silent", "build"], root);
    }
    step("package");
    run(process.execPath, [join(root, "scripts/set-repository.ts")], root);
    const archive = packPackage(output);
    if (wanted.has("bundle")) {
      step("bundle");
      const [own, bundle] = [newFolder(folder, "bundle"), `${output}/toolcrib-${version}.mcpb`];
      buildBundle(archive, own, bundle);
      checkBundle(bundle, own);
    }
    for (const system of wanted.has("binary") ? binarySystems : []) {
      if (onlyHere && system !== here) continue;
      step(`binary for ${system}`);
      const [own, binary] = [newFolder(folder, system), `${output}/toolcrib-${version}-${system}`];
      buildBinary(archive, system, own, binary);
      if (system === here) checkBinary(binary, own);
    }
    if (wanted.has("components")) writeComponents(join(output, "components.cdx.json"));
    if (wanted.has("registry")) writeRegistryEntry(join(output, "server.json"));
    const names = readdirSync(output).sort();
    const sums = names.map((name) => `${sha256(join(output, name))}  ${name}\n`);
    writeFileSync(join(output, "SHA256SUMS"), sums.join(""));
    console.log(`\nIn ${output}:\n${sums.join("")}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function newFolder(folder: string, name: string): string {
  const path = join(folder, name);
  mkdirSync(path);
  return path;
}

function step(name: string): void {
  console.log(`Building: ${name}`);
}

function sha256(file: string): string {
  return createHash("sha256").update(readFileSync(file)).digest("hex");
}
