import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { dataPath } from "../data/data.ts";
import { packInto } from "../edit/packages.ts";
import { readTarball } from "../edit/tar.ts";
import { changelogQuestions, isBuilt } from "./changelog-questions.ts";
import packages from "./packages.json" with { type: "json" };
import { type PatchQuestion, patchQuestion } from "./patch-questions.ts";
import type { Side } from "./questions.ts";

/** Published sources, unpacked, and the questions from their commits and changelogs. */
export interface Repository {
  readonly name: string;
  readonly side: Side;
  readonly tree: string;
  readonly from: "commit" | "changelog";
  readonly questions: readonly PatchQuestion[];
  /** Whether its comments are used as questions, too. */
  readonly comments: boolean;
}

/** Downloads what earlier runs have not, of repositories that are wanted. Everything is pinned by version and hash. */
export function getRepositories(isWanted: (name: string) => boolean): Repository[] {
  const npm = packages.npm as unknown as readonly NpmPackage[];
  return [
    ...packages.debian.filter(({ name }) => isWanted(name)).map(debianRepository),
    ...npm.filter(({ name }) => isWanted(name)).map(npmRepository),
  ];
}

const root: string = join(dataPath("retrieval"));
const downloads = join(root, "downloads");

type DebianPackage = (typeof packages.debian)[number];

function debianRepository(listed: DebianPackage): Repository {
  const { name, side, folder, source, patches, comments } = listed;
  const tree = join(root, "trees", name);
  const archive = download(folder, source);
  onlyOnce(tree, (into) => {
    if (!archive.endsWith(".deb")) return unpack(archive, into);
    const whole = `${into}.whole`;
    execFileSync("dpkg", ["-x", archive, whole]);
    execFileSync("sh", ["-c", 'mv "$1"/usr/share/cargo/registry/*/* "$2"/', "sh", whole, into]);
    rmSync(whole, { recursive: true });
  });
  const questions = patches
    ? patchesIn(download(folder, patches)).flatMap((patch) => patchQuestion(patch) ?? [])
    : [];
  return { name, side: side as Side, tree, from: "commit", questions: existing(questions, tree), comments };
}

interface NpmPackage {
  readonly name: string;
  readonly side: string;
  readonly comments: boolean;
  /** SHA-256 by version, in the order of versions. */
  readonly archives: Readonly<Record<string, string>>;
  readonly releases: readonly (readonly string[])[];
}

/** The tree is that of the first version, because the questions are about later changes. */
function npmRepository({ name, side, archives, releases, comments }: NpmPackage): Repository {
  const tree = join(root, "trees", name.replace("/", "-"));
  const versions = new Map(
    Object.entries(archives).map(([version, sha256]) => [version, npmArchive(name, version, sha256)]),
  );
  const filesOf = (version: string) => readTarball(readFileSync(versions.get(version)!));
  onlyOnce(tree, (into) => {
    for (const [path, content] of filesOf(Object.keys(archives)[0]!)) {
      if (isBuilt.test(path)) continue;
      mkdirSync(dirname(join(into, path)), { recursive: true });
      writeFileSync(join(into, path), content);
    }
  });
  const kept = join(root, "changelogs", `${name.replace("/", "-")}.json`);
  if (!existsSync(kept)) {
    const made = releases.flatMap(([before, after]) => changelogQuestions(filesOf(before!), filesOf(after!)));
    mkdirSync(dirname(kept), { recursive: true });
    writeFileSync(kept, JSON.stringify(made));
  }
  const questions = existing(JSON.parse(readFileSync(kept, "utf8")), tree);
  return { name, side: side as Side, tree, from: "changelog", questions, comments };
}

/** Leaves out questions about files that the tree does not have, and duplicates. */
function existing(questions: readonly PatchQuestion[], tree: string): PatchQuestion[] {
  const texts = new Set<string>();
  return questions.flatMap(({ text, files }) => {
    const there = files.filter((path) => existsSync(join(tree, path)));
    if (there.length === 0 || texts.has(text)) return [];
    texts.add(text);
    return [{ text, files: there }];
  });
}

function patchesIn(archive: string): string[] {
  const folder = join(root, "patches", archive.split("/").at(-1)!);
  onlyOnce(folder, (into) => unpack(archive, into));
  const series = join(folder, "patches/series");
  const names = readFileSync(series, "utf8").matchAll(/^[^\s#]+/gm);
  return [...names]
    .map(([name]) => join(folder, "patches", name))
    .filter((path) => existsSync(path))
    .map((path) => readFileSync(path, "utf8"))
    .filter((patch) => patch.length < 60_000);
}

function onlyOnce(folder: string, fill: (into: string) => void): void {
  if (existsSync(folder)) return;
  const part = `${folder}.part`;
  rmSync(part, { recursive: true, force: true });
  mkdirSync(part, { recursive: true });
  fill(part);
  renameSync(part, folder);
}

function unpack(archive: string, into: string): void {
  execFileSync("tar", ["xf", archive, "-C", into, "--strip-components=1", "--no-same-owner"]);
}

function download(
  folder: string,
  { file, sha256 }: { readonly file: string; readonly sha256: string },
): string {
  const path = join(downloads, file);
  if (!existsSync(path)) {
    mkdirSync(downloads, { recursive: true });
    process.stderr.write(`Getting ${file} …\n`);
    execFileSync("curl", ["-fsSL", "-o", `${path}.part`, `${folder}/${file}`]);
    renameSync(`${path}.part`, path);
  }
  return checked(path, sha256);
}

function npmArchive(name: string, version: string, sha256: string): string {
  const path = join(downloads, `${name.replace("@", "").replace("/", "-")}-${version}.tgz`);
  mkdirSync(downloads, { recursive: true });
  if (!existsSync(path)) packInto(downloads, [`${name}@${version}`]);
  return checked(path, sha256);
}

function checked(path: string, sha256: string): string {
  const found = createHash("sha256").update(readFileSync(path)).digest("hex");
  if (found !== sha256) throw new Error(`${path} is not what was measured: ${found} instead of ${sha256}.`);
  return path;
}
