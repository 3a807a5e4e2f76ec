import { readlinkSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { attempt, statsAt } from "../system/attempt.ts";
import { namesIfReadable } from "../system/directories.ts";
import { contentAt } from "../system/pinned-path.ts";
import { parseGitSettings, type Setting } from "./git-repair.ts";
import { realPathOf } from "./real-paths.ts";

/** A setting or hook of a repository that makes git run a program. */
export interface GitDanger {
  /** For messages: `core.fsmonitor` or `hooks/pre-commit`. */
  readonly name: string;
  /** Differs for every value or content. */
  readonly exact: string;
}

/**
 * Returns the settings and hooks that make git run programs in a repository. `git` is its `.git` (file, link or
 * directory) or a bare directory. Commands cannot change a common directory that `isTrusted` accepts.
 */
export function dangersIn(git: string, isTrusted: (directory: string) => boolean): readonly GitDanger[] {
  const directory = gitDirectoryOf(git);
  if (directory === undefined) return [];
  const common = commonDirectory(directory);
  const isChecked = !isTrusted(common);
  return [
    ...(isChecked ? [...settingDangers(join(common, "config")), ...hookDangers(join(common, "hooks"))] : []),
    ...settingDangers(join(directory, "config.worktree")),
  ];
}

/** Returns the directory that a `.git` stands for; undefined when there is none. */
export function gitDirectoryOf(git: string): string | undefined {
  if (statsAt(git)?.isFile() !== true) return realPathOf(git);
  const target = /^gitdir:\s*(.+?)\s*$/m.exec(textIn(git) ?? "")?.[1];
  return target === undefined ? undefined : realPathOf(resolve(dirname(git), target));
}

/** Returns the directory with the settings and hooks of a git directory, which linked work trees share. */
export function commonDirectory(directory: string): string {
  const common = resolve(directory, textIn(join(directory, "commondir"))?.trim() || ".");
  return realPathOf(common) ?? common;
}

/** Larger settings files are not read. */
export const maxSettings: number = 1024 * 1024;

function textIn(path: string): string | undefined {
  const bytes = contentAt(path, maxSettings);
  return bytes && Buffer.from(bytes).toString("latin1");
}

function settingDangers(file: string): readonly GitDanger[] {
  const stats = statsAt(file);
  if (stats === undefined) return [];
  const text = textIn(file);
  const settings = text === undefined ? undefined : parseGitSettings(text);
  if (settings === undefined) return [unreadable(file, text ?? attempt(() => readlinkSync(file)) ?? "")];
  return settings
    .filter((setting) => !runsNoProgram(setting))
    .map(({ section, key, value }) => ({ name: `${section}.${key}`, exact: `${section}.${key}=${value}` }));
}

/** Treats a file with lines that git would not write as dangerous, because git may still understand them. */
function unreadable(file: string, text: string): GitDanger {
  return { name: "settings that git did not write itself", exact: `${file} ${text}` };
}

function hookDangers(hooks: string): readonly GitDanger[] {
  const stats = statsAt(hooks);
  if (stats === undefined) return [];
  if (!stats.isDirectory()) return [{ name: "hooks", exact: `hooks ${stats.ino} ${stats.ctimeMs}` }];
  return namesIfReadable(hooks)
    .filter((name) => !name.endsWith(".sample"))
    .map((name) => {
      const hook = statsAt(join(hooks, name));
      return { name: `hooks/${name}`, exact: `hooks/${name} ${hook?.ino} ${hook?.ctimeMs}` };
    });
}

/** Whether a setting is one of those that git and common tools write to a new repository. */
function runsNoProgram({ section, key, value }: Setting): boolean {
  const [kind = "", name] = section.split(/\.(.*)/s, 2);
  if (name === undefined)
    return plainSettings.test(`${kind}.${key}`) || (key === "fsmonitor" && value === "false");
  // In an address, `ext::` names a program. In other values, `!` begins a command.
  if (value.includes("::") || value.startsWith("!")) return false;
  return namedSettings[kind]?.includes(key) === true;
}

const plainSettings =
  /^(?:core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol|safecrlf|worktree|sparsecheckout|sparsecheckoutcone|untrackedcache|splitindex|longpaths|quotepath|abbrev|compression)|user\.(?:name|email|signingkey)|(?:commit|tag)\.gpgsign|init\.defaultbranch|gc\.auto|submodule\.(?:active|recurse)|extensions\.\w+|lfs\.repositoryformatversion|(?:advice|color|pull|push|rebase|index|fetch|receive)\.(?!hook)\w+)$/;

const namedSettings: Readonly<Record<string, readonly string[]>> = {
  remote: ["url", "pushurl", "fetch", "tagopt", "prune", "mirror", "promisor", "partialclonefilter"],
  submodule: ["url", "active", "branch", "update", "ignore"],
  branch: ["remote", "merge", "rebase", "description", "pushremote", "vscode-merge-base"],
};

/** Returns the paths of the gitlinks in the index of a git directory. `git status` runs git in their repositories. */
export function gitlinksIn(gitDirectory: string): readonly string[] {
  const names = namesIfReadable(gitDirectory).filter((name) => /^(?:index$|sharedindex\.)/.test(name));
  return names.flatMap((name) => gitlinksInFile(join(gitDirectory, name), commonDirectory(gitDirectory)));
}

const known = new Map<string, readonly string[]>();

/** Enough for millions of files. */
const maxIndex = 1024 * 1024 * 1024;

function gitlinksInFile(file: string, common: string): readonly string[] {
  const stats = statsAt(file);
  if (stats?.isFile() !== true) return [];
  const stamp = [file, stats.ino, stats.size, stats.ctimeMs].join(":");
  const remembered = known.get(stamp);
  if (remembered !== undefined) return remembered;
  const hashBytes = /objectformat\s*=\s*"?sha256/i.test(textIn(join(common, "config")) ?? "") ? 32 : 20;
  const links: string[] = [];
  const bytes = contentAt(file, maxIndex);
  // An index that ends early throws here, and git refuses it too.
  if (bytes !== undefined)
    attempt(() => readGitlinks(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), hashBytes, links));
  if (known.size > 50) known.clear();
  // File system clocks are coarse, so a file that just changed may change again with the same time.
  if (Date.now() - stats.ctimeMs > 100) known.set(stamp, links);
  return links;
}

/** Adds the gitlinks of an index to `links`. The format is described in `gitformat-index(5)`. */
function readGitlinks(index: Buffer, hashBytes: number, links: string[]): void {
  const version = index.readUInt32BE(4);
  let [at, last]: [number, Buffer] = [12, Buffer.alloc(0)];
  for (let left = index.readUInt32BE(8); left > 0; left--) {
    const flags = index.readUInt16BE(at + 40 + hashBytes);
    let name = at + 42 + hashBytes + (flags & 0x4000 ? 2 : 0);
    let kept = 0;
    if (version === 4) {
      let byte = index.readUInt8(name++);
      let removed = byte & 127;
      for (; byte & 128; removed = ((removed + 1) << 7) | (byte & 127)) byte = index.readUInt8(name++);
      kept = last.length - removed;
    }
    const end = index.indexOf(0, name);
    const rest = index.subarray(name, end);
    last = kept === 0 ? rest : Buffer.concat([last.subarray(0, kept), rest]);
    if ((index.readUInt32BE(at + 24) & 0o170000) === 0o160000) links.push(last.toString());
    at = version === 4 ? end + 1 : at + ((end - at + 8) & ~7);
  }
}
