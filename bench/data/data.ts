import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { writeCalls } from "./calls.ts";
import { writeLog, writeLongLine } from "./lines.ts";
import {
  copyProject,
  linkPlainTree,
  writeFolder,
  writeGitTree,
  writeProject,
  writeTenKilobytes,
} from "./tree.ts";

export type Progress = (done: string) => void;

/** Everything that the benchmark creates is here. The folder may be deleted at any time. */
export const workDirectory: string =
  process.env.TOOLCRIB_BENCH_DIRECTORY ?? fileURLToPath(new URL("../.work", import.meta.url));

/** The numbers of files between which ripgrep becomes faster than the in-process search. */
export const crossoverSizes = [15, 50, 100, 200, 400, 800, 1600] as const;

const dataSets: Readonly<Record<string, (root: string, progress: Progress) => void>> = {
  "git-tree": writeGitTree,
  "plain-tree": (root, progress) => {
    ensureData("git-tree");
    progress("linking");
    linkPlainTree(root, dataPath("git-tree"));
  },
  // With this seed the few files have an average total size.
  "small-folder": (root) => writeFolder(root, { files: 15, hits: 47, seed: 415 }),
  folders: (root) => {
    for (const files of crossoverSizes) writeFolder(join(root, String(files)), { files, hits: 20 });
  },
  "ten-kilobytes": writeTenKilobytes,
  project: writeProject,
  "plain-project": (root) => copyOfProject(root),
  "shadowed-project": (root) => copyOfProject(root),
  log: writeLog,
  calls: writeCalls,
  "long-line": writeLongLine,
};

function copyOfProject(root: string): void {
  ensureData("project");
  copyProject(root, dataPath("project"));
}

/** Increase it when the written data changes: old data is then created again. */
const version = "1";

export function dataPath(name: string): string {
  return join(workDirectory, name);
}

/** Creates a data set, unless an earlier run has created it. */
export function ensureData(name: string): void {
  const root = dataPath(name);
  const stamp = `${root}.version`;
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === version) return;
  const write = dataSets[name];
  if (!write) throw new Error(`There is no data set "${name}".`);
  const note = (text: string) => {
    if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
  };
  rmSync(root, { recursive: true, force: true });
  mkdirSync(root, { recursive: true });
  process.stderr.write(`Making ${name} …${process.stderr.isTTY ? "" : "\n"}`);
  const started = performance.now();
  write(root, (done) => note(`Making ${name}: ${done}`));
  writeFileSync(stamp, version);
  note("");
  process.stderr.write(`Made ${name} in ${((performance.now() - started) / 1000).toFixed(1)} s.\n`);
}
