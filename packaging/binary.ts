import { createHash } from "node:crypto";
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { constants as zlib, zstdCompressSync } from "node:zlib";
import packageDescription from "../package.json" with { type: "json" };
import { installPackage, root, run, type System } from "./stage.ts";

/**
 * Builds a binary that contains Node and the packed package, and needs nothing else. `folder` is for files on the way,
 * `output` is the path of the binary.
 */
export function buildBinary(archive: string, system: System, folder: string, output: string): void {
  const program = join(folder, "program");
  const start = installPackage(archive, program, [system]);
  const paths = readdirSync(program, { recursive: true, encoding: "utf8" })
    .filter((path) => statSync(join(program, path)).isFile())
    .sort();
  const contents = paths.map((path) => readFileSync(join(program, path)));
  const content = Buffer.concat(contents);
  const files = paths.map((path, index) => ({
    path,
    size: contents[index]!.length,
    mode: statSync(join(program, path)).mode & 0o777,
  }));
  const hash = createHash("sha256").update(JSON.stringify(files)).update(content).digest("hex");
  const id = `${packageDescription.version}-${hash.slice(0, 16)}`;
  writeFileSync(join(folder, "program.json"), JSON.stringify({ id, start, files }));
  const level = { params: { [zlib.ZSTD_c_compressionLevel]: 19 } };
  writeFileSync(join(folder, "program.zst"), zstdCompressSync(content, level));
  writeFileSync(
    join(folder, "sea.json"),
    JSON.stringify({
      main: join(import.meta.dirname, "start-binary.cjs"),
      output: "binary.blob",
      disableExperimentalSEAWarning: true,
      assets: { "program.json": "program.json", "program.zst": "program.zst" },
    }),
  );
  run(process.execPath, ["--experimental-sea-config", "sea.json"], folder);
  cpSync(nodeFor(system, folder), output);
  chmodSync(output, 0o755);
  const postject = join(import.meta.dirname, "node_modules/postject/dist/cli.js");
  const fuse = ["--sentinel-fuse", "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2"];
  run(process.execPath, [postject, output, "NODE_SEA_BLOB", join(folder, "binary.blob"), ...fuse], folder);
}

/** Returns the path of Node for a system, in the version that runs this script, because both must be the same. */
function nodeFor(system: System, folder: string): string {
  const own = join(root, "node_modules/node/bin/node");
  if (system === `${process.platform}-${process.arch}`) return own;
  const words = ["pack", "--json", `node-${system}@${process.versions.node}`, "--pack-destination", folder];
  const [packed] = JSON.parse(run("npm", words, folder));
  const unpacked = join(folder, "node");
  mkdirSync(unpacked);
  run("tar", ["-xzf", join(folder, packed.filename), "-C", unpacked], folder);
  return join(unpacked, "package/bin/node");
}
