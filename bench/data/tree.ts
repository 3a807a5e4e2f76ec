import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Progress } from "./data.ts";
import { Random } from "./random.ts";
import { rareWord, SourceText, words } from "./source-text.ts";

const fileCount = 30_000;
const packageCount = 120;
/** Files that ignore rules hide. */
const outputCount = 10_000;
const linkCount = 100;

const projectFiles = 17_503;
const projectPackages = 60;

/** A large project: packages with nested folders, files of every size, ignored build output, a git index. */
export function writeGitTree(root: string, progress: Progress): void {
  const random = new Random(1);
  const text = new SourceText(random);
  const folders = Array.from({ length: packageCount }, (_, index) => packageFolders(random, index));
  const files: string[] = [];

  for (let index = 0; index < fileCount; index++) {
    const folder = random.pick(folders[index % packageCount]!);
    const path = join(folder, `${random.pick(words)}-${random.pick(words)}-${index}${extension(random)}`);
    const content = path.endsWith(".png") ? picture(random) : program(random, text, { rareShare: 0.04 });
    writeOld(root, path, content, random);
    files.push(path);
    if (index % 1000 === 0) progress(`${index} of ${fileCount} files`);
  }
  for (let index = 0; index < outputCount; index++) {
    const folder = index % 2 === 0 ? `packages/${packageName(index % packageCount)}/dist` : "node_modules";
    const path = join(folder, random.pick(words), `${index}.js`);
    writeOld(root, path, program(random, text, { rareShare: 0.5, maxBytes: 2000 }), random);
  }
  for (let index = 0; index < linkCount; index++)
    symlinkSync(join("..", random.pick(files)), link(root, index));
  writeOld(root, ".gitignore", "node_modules/\ndist/\n*.log\ncoverage/\n", random);
  for (let index = 0; index < packageCount; index += 10) {
    writeOld(root, `packages/${packageName(index)}/.gitignore`, "generated/\n*.tmp\n", random);
  }

  progress("git add");
  const git = (...args: string[]) => execFileSync("git", ["-C", root, ...args], { stdio: "ignore" });
  git("init", "--quiet");
  git("-c", "core.compression=1", "-c", "core.fsync=none", "add", "--all");
  git("-c", "user.name=bench", "-c", "user.email=bench@localhost", "commit", "--quiet", "-m", "Everything");
}

/** A repository as large as the one on which the undo of peers was measured: 17 503 files, 228 MB. */
export function writeProject(root: string, progress: Progress): void {
  const random = new Random(9);
  const text = new SourceText(random);
  const folders = Array.from({ length: projectPackages }, (_, index) => packageFolders(random, index)).flat();
  for (let index = 0; index < projectFiles - 1; index++) {
    const path = join(random.pick(folders), `${random.pick(words)}-${index}${extension(random)}`);
    writeOld(root, path, text.take(random, Math.round(random.fileSize() * 1.13)), random);
    if (index % 1000 === 0) progress(`${index} of ${projectFiles} files`);
  }
  writeOld(root, ".gitignore", "node_modules/\ndist/\n*.log\n", random);
  progress("git add");
  const git = (...args: string[]) => execFileSync("git", ["-C", root, ...args], { stdio: "ignore" });
  git("init", "--quiet");
  git("-c", "core.fsync=none", "add", "--all");
  git("config", "gc.auto", "0");
  git("-c", "user.name=bench", "-c", "user.email=bench@localhost", "commit", "--quiet", "-m", "Everything");
  git("gc", "--quiet");
}

/** A second copy of the same files for cases that change them, without a repository. */
export function copyProject(root: string, project: string): void {
  execFileSync("cp", ["--archive", `${project}/.`, root]);
  execFileSync("rm", ["-rf", join(root, ".git")]);
}

/** The same files without git. The bytes are shared, not copied. */
export function linkPlainTree(root: string, gitTree: string): void {
  execFileSync("cp", ["--archive", "--link", `${gitTree}/.`, root]);
  execFileSync("rm", ["-rf", join(root, ".git")]);
}

/** A folder with a few files, in which `rareWord` occurs `hits` times. */
export function writeFolder(
  root: string,
  { files, hits, seed = files }: { files: number; hits: number; seed?: number },
): void {
  const random = new Random(seed);
  const text = new SourceText(random);
  for (let index = 0; index < files; index++) {
    const hitsHere = Math.floor((hits * (index + 1)) / files) - Math.floor((hits * index) / files);
    const hitLines = Array.from({ length: hitsHere }, (_, line) => `const ${rareWord}${line} = open();\n`);
    const folder = index % 3 === 0 ? "" : random.pick(words.slice(0, 4));
    writeOld(
      root,
      join(folder, `${random.pick(words)}-${index}.ts`),
      program(random, text) + hitLines.join(""),
      random,
    );
  }
}

/** One file of 10 KB in nested folders. */
export function writeTenKilobytes(root: string): void {
  const random = new Random(4);
  const text = new SourceText(random).take(random, 10_240).slice(0, 10_240);
  writeOld(root, tenKilobyteFile, text, random);
}

export const tenKilobyteFile = "packages/counter/src/module.ts";

function packageName(index: number): string {
  return `${words[index % words.length]}-${words[(index * 7 + 3) % words.length]}`;
}

function packageFolders(random: Random, index: number): string[] {
  const root = `packages/${packageName(index)}`;
  const folders = [root, `${root}/src`, `${root}/test`];
  while (folders.length < 28) folders.push(`${random.pick(folders.slice(1))}/${random.pick(words)}`);
  return folders;
}

const extensions: readonly (readonly [string, number])[] = [
  [".ts", 0.52],
  [".test.ts", 0.1],
  [".tsx", 0.1],
  [".json", 0.08],
  [".md", 0.07],
  [".css", 0.05],
  [".py", 0.05],
  [".yaml", 0.02],
  [".png", 0.01],
];

function extension(random: Random): string {
  let rest = random.fraction();
  for (const [name, share] of extensions) {
    if (rest < share) return name;
    rest -= share;
  }
  return ".ts";
}

function program(
  random: Random,
  text: SourceText,
  { rareShare = 0, maxBytes = Number.POSITIVE_INFINITY } = {},
): string {
  const whole = text.take(random, Math.min(random.fileSize(), maxBytes));
  return random.fraction() < rareShare
    ? `${whole}export const ${rareWord} = "${random.pick(words)}";\n`
    : whole;
}

function picture(random: Random): Uint8Array {
  const bytes = Uint8Array.from({ length: 2048 }, () => random.below(256));
  bytes.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d]);
  return bytes;
}

const madeFolders = new Set<string>();

/** Writes a file with a modification time in the three years before 2026, so that "newest first" has an order. */
function writeOld(root: string, path: string, content: string | Uint8Array, random: Random): void {
  const file = join(root, path);
  const folder = dirname(file);
  if (!madeFolders.has(folder)) mkdirSync(folder, { recursive: true });
  madeFolders.add(folder);
  writeFileSync(file, content);
  const changed = 1_767_225_600 - random.below(3 * 365 * 24 * 3600);
  utimesSync(file, changed, changed);
}

function link(root: string, index: number): string {
  mkdirSync(join(root, "links"), { recursive: true });
  return join(root, "links", `link-${index}.ts`);
}
