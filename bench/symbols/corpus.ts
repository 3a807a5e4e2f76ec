import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { dataPath } from "../data/data.ts";
import { Random } from "../data/random.ts";
import { packInto } from "../edit/packages.ts";
import packages from "./packages.json" with { type: "json" };

export const measuredLanguages = ["rust", "typescript", "python", "go", "java", "c", "cpp"] as const;
export type MeasuredLanguage = (typeof measuredLanguages)[number];

/** Real files of a language from published packages, the same ones every time. */
export async function corpusFiles(language: MeasuredLanguage, wanted: number): Promise<readonly string[]> {
  const files: string[] = [];
  for (const source of packages[language]) collect(await unpacked(source), extensions[language], files);
  const random = new Random(7);
  for (let last = files.length - 1; last > 0; last--) {
    const other = random.below(last + 1);
    [files[last], files[other]] = [files[other]!, files[last]!];
  }
  return files.slice(0, wanted).sort();
}

const extensions: Readonly<Record<MeasuredLanguage, RegExp>> = {
  rust: /\.rs$/,
  typescript: /(?<!\.d)\.ts$/,
  python: /\.py$/,
  go: /\.go$/,
  java: /\.java$/,
  c: /\.[ch]$/,
  cpp: /\.(cc|cpp|cxx|h|hpp)$/,
};

/** A package of npm, or a file of the Debian archive. */
type Source = string | { readonly file: string; readonly sha256: string };

const root = dataPath("symbols");
const archives = join(root, "archives");

async function unpacked(source: Source): Promise<string> {
  const archive = typeof source === "string" ? npmArchive(source) : await debianArchive(source);
  const folder = join(root, "unpacked", archive);
  if (existsSync(folder)) return folder;
  const unfinished = `${folder}.unfinished`;
  mkdirSync(unfinished, { recursive: true });
  const file = join(archives, archive);
  if (archive.endsWith(".deb")) execFileSync("dpkg-deb", ["-x", file, unfinished]);
  else execFileSync("tar", ["-xf", file, "-C", unfinished]);
  renameSync(unfinished, folder);
  return folder;
}

function npmArchive(spec: string): string {
  const archive = `${spec.replace(/^@/, "").replace("/", "-").replace("@", "-")}.tgz`;
  if (!existsSync(join(archives, archive))) {
    mkdirSync(archives, { recursive: true });
    packInto(archives, [spec]);
  }
  return archive;
}

async function debianArchive({ file, sha256 }: { file: string; sha256: string }): Promise<string> {
  const archive = decodeURIComponent(file.slice(file.lastIndexOf("/") + 1));
  const path = join(archives, archive);
  if (existsSync(path)) return archive;
  const answer = await fetch(`http://deb.debian.org/debian/${file}`);
  if (!answer.ok) throw new Error(`${file}: ${answer.status} ${answer.statusText}`);
  const bytes = Buffer.from(await answer.arrayBuffer());
  const hash = createHash("sha256").update(bytes).digest("hex");
  if (hash !== sha256) throw new Error(`${file} has the hash ${hash}, not ${sha256}`);
  mkdirSync(archives, { recursive: true });
  writeFileSync(path, bytes);
  return archive;
}

function collect(folder: string, extension: RegExp, files: string[]): void {
  const entries = readdirSync(folder, { withFileTypes: true });
  for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) collect(path, extension, files);
    else if (entry.isFile() && extension.test(entry.name) && isReadable(path)) files.push(path);
  }
}

function isReadable(path: string): boolean {
  const { size } = statSync(path);
  return size > 1_000 && size < 400_000 && !readFileSync(path).includes(0);
}
