import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import type { AbsentPath } from "../contract/confinement.ts";
import { statsAt } from "../system/attempt.ts";
import { namesIfReadable } from "../system/directories.ts";
import { contentAt } from "../system/pinned-path.ts";
import { liesInside } from "../system/workspace-path.ts";
import { commonDirectory, gitDirectoryOf, maxSettings } from "./git-dangers.ts";
import { realPathOf } from "./real-paths.ts";

export interface GitTargets {
  /** Hooks, included settings and programs in the work tree, existing or not. */
  readonly targets: readonly AbsentPath[];
  /** The settings files that were read, existing or not. */
  readonly files: readonly string[];
}

/** Returns the files in a workspace that git runs or obeys by its settings, for its repository and its submodules. */
export function gitTargetsOf(workspace: string): GitTargets {
  const git = join(workspace, ".git");
  const directory = gitDirectoryOf(git);
  if (directory === undefined) return { targets: [], files: [join(git, "config")] };
  const common = commonDirectory(directory);
  const found = [
    gitTargetsIn(common, workspace),
    ...modulesIn(join(common, "modules")).map((module) => gitTargetsIn(module, workTreeOf(module))),
  ];
  const inside = found.flatMap(({ targets }) => targets).filter(({ path }) => liesInside(path, workspace));
  return {
    targets: [...new Map(inside.map((target) => [target.path, target])).values()],
    files: [...new Set(found.flatMap(({ files }) => files))],
  };
}

function modulesIn(modules: string): readonly string[] {
  const directories = namesIfReadable(modules).map((name) => join(modules, name));
  return directories.filter((path) => statsAt(join(path, "config")) !== undefined).slice(0, mostModules);
}

const mostModules = 24;

function workTreeOf(module: string): string {
  const setting = settingsOf(join(module, "config")).find(({ key }) => key === "core.worktree");
  return resolve(module, setting?.value ?? ".");
}

/** Returns the targets of the settings in `directory`, git's common directory, and of those of user and machine. */
export function gitTargetsIn(directory: string, workTree: string): GitTargets {
  const search = new TargetSearch(directory, workTree);
  for (const file of settingsFilesOfUser()) search.readSettings(file);
  for (const name of ["config", "config.worktree"]) search.readSettings(join(directory, name));
  search.addHooks(join(directory, "hooks"));
  return { targets: [...search.targets.values()], files: [...search.files] };
}

function settingsFilesOfUser(): readonly string[] {
  const { GIT_CONFIG_GLOBAL, GIT_CONFIG_SYSTEM = "/etc/gitconfig", XDG_CONFIG_HOME } = process.env;
  const home = homedir();
  const own = [join(XDG_CONFIG_HOME || join(home, ".config"), "git/config"), join(home, ".gitconfig")];
  return [GIT_CONFIG_SYSTEM, ...(GIT_CONFIG_GLOBAL ? [GIT_CONFIG_GLOBAL] : own)];
}

class TargetSearch {
  readonly targets: Map<string, AbsentPath> = new Map();
  readonly files: Set<string> = new Set();
  readonly #directory: string;
  readonly #workTree: string;

  constructor(directory: string, workTree: string) {
    this.#directory = directory;
    this.#workTree = workTree;
  }

  readSettings(file: string): void {
    if (this.files.has(file) || this.files.size >= mostFiles) return;
    this.files.add(file);
    for (const { key, value } of settingsOf(file)) {
      if (/^include(?:if)?\..*path$/.test(key)) this.#include(file, value);
      else if (key === "core.hookspath") this.#hooksPath(value);
      else if (key === "init.templatedir") this.#add(value, "directory");
      else if (programKeys.test(key)) this.#addPrograms(key, value);
    }
  }

  /** Adds the hooks that are links to scripts in the work tree. */
  addHooks(hooks: string): void {
    if (statsAt(hooks)?.isSymbolicLink()) this.#addReal(hooks, "directory");
    for (const name of namesIfReadable(hooks)) {
      const hook = join(hooks, name);
      if (statsAt(hook)?.isSymbolicLink()) this.#addReal(hook, "file");
    }
  }

  #include(file: string, value: string): void {
    const path = resolve(dirname(file), expandHome(value));
    this.#add(path, "file");
    this.readSettings(path);
  }

  #hooksPath(value: string): void {
    const path = resolve(this.#workTree, expandHome(value));
    this.#add(path, "directory");
    this.addHooks(path);
  }

  /** Adds the files that a command names, and its program even if it does not exist. */
  #addPrograms(key: string, value: string): void {
    if (key.startsWith("alias.") && !value.startsWith("!")) return;
    const found = value.replace(/^!/, "").match(/"[^"]*"|'[^']*'|[^\s"'`;|&()<>$=]+/g) ?? [];
    const words = found.map((word) => word.replace(/^["']|["']$/g, ""));
    for (const [index, word] of words.entries()) {
      // A program without a slash is found on the PATH.
      if (index === 0 && !word.includes("/")) continue;
      const stats = statsAt(resolve(this.#workTree, expandHome(word)));
      if (stats?.isFile() || (index === 0 && stats === undefined)) this.#add(word, "file");
      else if (stats?.isSymbolicLink()) this.#addReal(resolve(this.#workTree, word), "file");
    }
  }

  #addReal(link: string, kind: AbsentPath["kind"]): void {
    const real = realPathOf(link);
    if (real !== undefined) this.#add(real, kind);
  }

  /** Adds a path in the work tree, but not the git directory or the whole work tree. */
  #add(value: string, kind: AbsentPath["kind"]): void {
    if (value.startsWith("%")) return;
    const path = resolve(this.#workTree, expandHome(value));
    if (path === this.#workTree || !liesInside(path, this.#workTree)) return;
    if (liesInside(path, this.#directory) || liesInside(this.#directory, path) || basename(path) === ".git")
      return;
    if (!this.targets.has(path) && this.targets.size < mostTargets) this.targets.set(path, { path, kind });
  }
}

const mostFiles = 20;
const mostTargets = 50;

/** Settings whose value is a command. */
const programKeys =
  /^(?:core\.(?:fsmonitor|editor|pager|sshcommand|askpass|gitproxy|alternaterefscommand)|sequence\.editor|diff\.external|diff\..*\.textconv|filter\..*\.(?:clean|smudge|process)|merge\..*\.driver|(?:merge|diff)tool\..*\.path|alias\..*|pager\..*|interactive\.difffilter|submodule\..*\.update|.*\.(?:cmd|command|helper|program|tunnel|packobjectshook|recentobjectshook|uploadpack|receivepack))$/;

function expandHome(path: string): string {
  return path.startsWith("~/") ? join(homedir(), path.slice(2)) : path;
}

interface NamedSetting {
  readonly key: string;
  readonly value: string;
}

const known = new Map<string, { readonly stamp: string; readonly settings: readonly NamedSetting[] }>();

/** Returns the settings of a file. They are cached, because every command needs those of the user. */
function settingsOf(file: string): readonly NamedSetting[] {
  const path = isAbsolute(file) ? realPathOf(file) : undefined;
  const stats = path === undefined ? undefined : statsAt(path);
  if (path === undefined || stats?.isFile() !== true) return [];
  const stamp = [stats.ino, stats.size, stats.ctimeMs].join(":");
  const remembered = known.get(path);
  if (remembered?.stamp === stamp) return remembered.settings;
  const bytes = contentAt(path, maxSettings) ?? [];
  const settings = settingsIn(Buffer.from(bytes).toString());
  if (known.size > 100) known.clear();
  // File system clocks are coarse, so a file that just changed may change again with the same time.
  if (Date.now() - stats.ctimeMs > 100) known.set(path, { stamp, settings });
  return settings;
}

/** Parses settings. Keys are in lower case: `core.hookspath`, `includeif.CONDITION.path`. */
function settingsIn(text: string): readonly NamedSetting[] {
  let section = "";
  return text
    .replaceAll("\\\n", "")
    .split("\n")
    .flatMap((line) => {
      const header = /^\s*\[\s*([\w.-]+)\s*(?:"((?:[^"\\]|\\.)*)")?\s*\]/.exec(line);
      if (header !== null) section = [header[1], header[2]].filter((part) => part !== undefined).join(".");
      const [, name, value = ""] =
        /^\s*([a-z][\w-]*)\s*=\s*(.*)$/i.exec(line.slice(header?.[0].length)) ?? [];
      return name === undefined ? [] : [{ key: `${section}.${name}`.toLowerCase(), value: unquoted(value) }];
    });
}

function unquoted(value: string): string {
  const parts = value.match(/"(?:[^"\\]|\\.)*"|\\.|[^"\\]/g) ?? [];
  const end = parts.findIndex((part) => part === "#" || part === ";");
  return parts
    .slice(0, end === -1 ? undefined : end)
    .map((part) => (part.startsWith('"') ? part.slice(1, -1) : part).replace(/\\(.)/g, "$1"))
    .join("")
    .trim();
}
