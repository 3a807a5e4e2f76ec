import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { dataPath } from "../data/data.ts";
import packages from "./packages.json" with { type: "json" };

export interface CodeTree {
  readonly path: string;
  readonly files: number;
  readonly bytes: number;
}

const wantedFiles = 16_000;
/** Excludes stubs, so that 16 000 files are about 112 MB, and files that are not source code. */
const [minBytes, maxBytes] = [480, 500_000];

/**
 * 16 000 text files of published packages: Go, C++, Rust and Python from Debian, TypeScript and JavaScript from the
 * peers that the benchmark installs. All are pinned, and the hashes of their paths decide which files are used.
 */
export async function ensureCodeTree(): Promise<CodeTree> {
  const path = dataPath("code-tree");
  const stamp = `${path}.json`;
  if (!existsSync(stamp)) {
    const sources = [{ name: "npm", folder: fileURLToPath(new URL("../node_modules", import.meta.url)) }];
    for (const source of packages) sources.push({ name: source.name, folder: await unpacked(source) });
    rmSync(path, { recursive: true, force: true });
    const bytes = copyTree(sources.flatMap(listSource), path);
    writeFileSync(stamp, JSON.stringify({ files: wantedFiles, bytes }));
  }
  // A repository of its own, so that the `.gitignore` of Toolcrib, which ignores `dist`, does not apply.
  if (!existsSync(join(path, ".git"))) execFileSync("git", ["init", "-q", path]);
  return { path, ...JSON.parse(readFileSync(stamp, "utf8")) };
}

interface SourceFile {
  readonly from: string;
  readonly to: string;
}

function listSource({ name, folder }: { readonly name: string; readonly folder: string }): SourceFile[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.flatMap((entry) => {
    const from = join(entry.parentPath, entry.name);
    const to = join(name, from.slice(folder.length + 1));
    const isWanted = entry.isFile() && !/(?:^|\/)\./.test(to) && (name !== "npm" || scripts.test(to));
    return isWanted ? [{ from, to }] : [];
  });
}

const scripts = /\.(?:[cm]?[jt]s|json|md)$/;

function copyTree(files: readonly SourceFile[], path: string): number {
  const hashed = files.map((file) => ({ ...file, hash: createHash("sha1").update(file.to).digest("hex") }));
  let [count, bytes] = [0, 0];
  for (const { from, to } of hashed.sort((one, other) => (one.hash < other.hash ? -1 : 1))) {
    const { size } = statSync(from);
    if (size < minBytes || size > maxBytes || readFileSync(from).includes(0)) continue;
    const target = join(path, to);
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(from, target);
    utimesSync(target, 1_700_000_000, 1_700_000_000);
    bytes += size;
    if (++count === wantedFiles) return bytes;
  }
  throw new Error(`There are only ${count} files to take.`);
}

async function unpacked({ name, file, sha256 }: (typeof packages)[number]): Promise<string> {
  const folder = join(dataPath("code-tree.sources"), name);
  if (existsSync(folder)) return folder;
  const answer = await fetch(`http://deb.debian.org/debian/${file}`);
  if (!answer.ok) throw new Error(`${file}: ${answer.status} ${answer.statusText}`);
  const bytes = Buffer.from(await answer.arrayBuffer());
  const hash = createHash("sha256").update(bytes).digest("hex");
  if (hash !== sha256) throw new Error(`${file} has the hash ${hash}, not ${sha256}`);
  mkdirSync(`${folder}.unfinished`, { recursive: true });
  writeFileSync(`${folder}.deb`, bytes);
  execFileSync("dpkg-deb", ["-x", `${folder}.deb`, `${folder}.unfinished`]);
  renameSync(`${folder}.unfinished`, folder);
  return folder;
}
