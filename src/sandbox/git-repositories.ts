import { existsSync, lstatSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { AbsentPath } from "../contract/confinement.ts";
import { statsAt } from "../system/attempt.ts";
import { namesIfReadable } from "../system/directories.ts";
import { contentAt } from "../system/pinned-path.ts";
import { liesInside } from "../system/workspace-path.ts";
import { maxSettings } from "./git-dangers.ts";
import { isBare } from "./git-repair.ts";
import { gitTargetsIn } from "./git-targets.ts";
import { realPathOf } from "./real-paths.ts";
import { isClosed } from "./tree-scan.ts";

/** The paths of a repository to protect: those that must stay in place, and those by which git runs programs. */
export interface GitProtection {
  /** Paths that are mounted on themselves, so that they cannot be renamed and replaced. */
  readonly held: readonly string[];
  readonly readOnly: readonly string[];
  /** Paths that git would obey, so commands must not create them. */
  readonly absent: readonly AbsentPath[];
}

/** Returns the repository whose work tree is `workspace`; undefined when there is none that can be trusted. */
export function repositoryOf(workspace: string): GitProtection | undefined {
  const git = join(workspace, ".git");
  const kind = kindOf(git);
  // An empty directory is not a repository.
  if (kind === "directory") return namesIfReadable(git).length === 0 ? undefined : protectionOf(git);
  if (kind === "closed") return protectionOf(git);
  if (kind === "link") {
    const target = realPathOf(git);
    return target !== undefined && liesInside(target, workspace) ? protectionOf(target) : undefined;
  }
  if (kind === "file") return linkedRepository(workspace, git) ?? onlyRead(git);
  return isBare(workspace) ? protectionOf(workspace) : undefined;
}

/** Returns a repository below the top of a workspace, by its `.git`. If its data is outside, `.git` is read-only. */
export function repositoryBelow(git: string, workspace: string): GitProtection {
  if (kindOf(git) !== "file") return protectionOf(git);
  const linked = linkedRepository(dirname(git), git, workspace);
  return linked?.held.every((path) => liesInside(path, workspace)) ? linked : onlyRead(git);
}

/** Returns the protection of `directory`, git's common directory. */
function protectionOf(directory: string): GitProtection {
  if (kindOf(directory) === "closed") return onlyRead(directory);
  const at = (...names: string[]) => join(directory, ...names);
  const config = textOf(at("config")) ?? "";
  const hasWorktreeConfig = /worktreeconfig/i.test(config);
  const absent: AbsentPath[] = [
    { path: at("hooks"), kind: "directory" },
    { path: at("info"), kind: "directory" },
    { path: at("config"), kind: "file" },
    { path: at("commondir"), kind: "file" },
    ...(hasWorktreeConfig ? [{ path: at("config.worktree"), kind: "file" } as const] : []),
  ];
  const found = [
    ...modulesIn(at("modules")),
    ...worktreesIn(at("worktrees"), hasWorktreeConfig),
    namedPaths(directory, basename(directory) === ".git" ? dirname(directory) : directory),
  ];
  return {
    held: [directory, ...found.flatMap(({ held }) => held)],
    readOnly: [
      ...["hooks", "info", "config", "commondir", "config.worktree"].map((name) => at(name)),
      ...found.flatMap(({ readOnly }) => readOnly),
    ].filter(existsSync),
    absent: [...absent, ...found.flatMap((part) => part.absent)],
  };
}

function namedPaths(directory: string, workTree: string): GitProtection {
  const absent = gitTargetsIn(directory, workTree).targets;
  const readOnly = absent.map(({ path }) => path).filter(existsSync);
  return { held: [], readOnly, absent };
}

function onlyRead(path: string): GitProtection {
  return { held: [], readOnly: [path], absent: [] };
}

function onlyHeld(path: string): GitProtection {
  return { held: [path], readOnly: [], absent: [] };
}

// More submodules or work trees than this are read-only as a whole.
const most = 24;

/** Returns the repositories of submodules, which may be nested. */
function modulesIn(modules: string): readonly GitProtection[] {
  if (kindOf(modules) === "closed") return [onlyRead(modules)];
  if (kindOf(modules) !== "directory") return [];
  const parts = [onlyHeld(modules)];
  const look = (directory: string, depth: number) => {
    for (const name of namesIfReadable(directory)) {
      const path = join(directory, name);
      const kind = kindOf(path);
      if (parts.length > most || (kind !== "directory" && kind !== "closed")) continue;
      // HEAD or config alone is enough, because a command can remove the other.
      if (kind === "closed" || ["HEAD", "config"].some((file) => existsSync(join(path, file))))
        parts.push(protectionOf(path));
      else {
        parts.push(onlyHeld(path));
        if (depth > 0) look(path, depth - 1);
      }
    }
  };
  look(modules, 4);
  return parts.length > most ? [onlyRead(modules)] : parts;
}

function worktreesIn(worktrees: string, hasWorktreeConfig: boolean): readonly GitProtection[] {
  if (kindOf(worktrees) === "closed") return [onlyRead(worktrees)];
  if (kindOf(worktrees) !== "directory") return [];
  const trees = namesIfReadable(worktrees).map((name) => join(worktrees, name));
  if (trees.length > most) return [onlyRead(worktrees)];
  return [
    onlyHeld(worktrees),
    ...trees.map((tree): GitProtection => {
      if (kindOf(tree) === "closed") return onlyRead(tree);
      const at = (name: string) => join(tree, name);
      return {
        ...onlyHeld(tree),
        readOnly: ["commondir", "gitdir", "config.worktree"].map(at).filter(existsSync),
        absent: hasWorktreeConfig ? [{ path: at("config.worktree"), kind: "file" }] : [],
      };
    }),
  ];
}

/**
 * Returns the repository of a work tree that is in another directory. The file `.git` alone is not trusted, because it
 * comes with the workspace: the repository must also name this work tree, or be inside the workspace.
 */
function linkedRepository(
  workTree: string,
  file: string,
  workspace: string = workTree,
): GitProtection | undefined {
  const target = /^gitdir: (.+?)\n?$/.exec(textOf(file) ?? "")?.[1];
  const directory = target === undefined ? undefined : realPathOf(resolve(workTree, target));
  if (directory === undefined) return undefined;
  const common = textOf(join(directory, "commondir"))?.trim() ?? ".";
  const owner = realPathOf(resolve(directory, common));
  if (owner === undefined) return undefined;
  const isOwn =
    [directory, owner].every((path) => liesInside(path, workspace) && path !== workspace) &&
    // One of them is enough, because a command can remove the others.
    ["HEAD", "config", "objects"].some((name) => existsSync(join(owner, name)));
  if (!isOwn && !(owner === directory ? isSubmodule() : isLinkedTree())) return undefined;
  const own = protectionOf(owner);
  const named = namedPaths(owner, workTree);
  return {
    // Every commit writes to `directory`, even when there are too many work trees to list.
    held: [...new Set([...own.held, directory])],
    readOnly: [...own.readOnly, ...named.readOnly, file],
    absent: [...own.absent, ...named.absent],
  };

  function isLinkedTree(): boolean {
    const back = textOf(join(directory!, "gitdir"))?.trim();
    return (
      dirname(dirname(directory!)) === owner &&
      existsSync(join(directory!, "HEAD")) &&
      back !== undefined &&
      realPathOf(resolve(directory!, back)) === file
    );
  }

  function isSubmodule(): boolean {
    const tree = /^\s*worktree\s*=\s*(.+?)\s*$/m.exec(textOf(join(directory!, "config")) ?? "")?.[1];
    return (
      tree !== undefined &&
      existsSync(join(directory!, "HEAD")) &&
      realPathOf(resolve(directory!, tree)) === workTree
    );
  }
}

/**
 * Closes the git directories of repositories for commands: only git writes them, which runs outside. Repositories whose git directory is
 * elsewhere or behind a link keep their protection.
 */
export function closedRepositories(
  workspace: string,
  found: readonly string[],
  protection: ReturnType<typeof repositoriesIn>,
): ReturnType<typeof repositoriesIn> & { readonly closed: readonly string[] } {
  const top = join(workspace, ".git");
  const closed = [...new Set([top, ...found])].filter(
    (git) => basename(git) === ".git" && kindOf(git) === "directory" && namesIfReadable(git).includes("HEAD"),
  );
  const isClosed = (path: string) => closed.some((git) => liesInside(path, git));
  const parts = protection.parts.map((part) => {
    if (!part.held.every(isClosed)) return part;
    const isOpen = (path: string) => !isClosed(path);
    return {
      held: [],
      readOnly: part.readOnly.filter(isOpen),
      absent: part.absent.filter(({ path }) => isOpen(path)),
    };
  });
  // Git LFS is a filter, which runs where git directories are closed.
  const open = closed.map((git) => join(git, "lfs")).filter((path) => kindOf(path) === "directory");
  return { ...protection, parts: [...parts, ...open.map(onlyHeld)], closed };
}

function kindOf(path: string): "directory" | "closed" | "file" | "link" | undefined {
  const stats = statsAt(path);
  if (stats?.isDirectory()) return isClosed(stats) ? "closed" : "directory";
  return stats?.isSymbolicLink() ? "link" : stats && "file";
}

/** Returns undefined for an entry that is not a file or cannot be read. */
function textOf(path: string): string | undefined {
  const bytes = contentAt(path, maxSettings);
  return bytes && Buffer.from(bytes).toString();
}

// Each repository costs several mounts.
const mostRepositories = 12;

/** Returns the repository of the workspace, then those below it. If there are very many, the rest is read-only. */
export function repositoriesIn(
  workspace: string,
  found: readonly string[],
): {
  readonly parts: readonly GitProtection[];
  readonly readOnly: readonly string[];
  readonly remarks: readonly string[];
} {
  const own = repositoryOf(workspace);
  const git = join(workspace, ".git");
  // Repositories of submodules are inside the workspace's own repository.
  const nested = found
    .filter((path) => path !== git && (isFile(path) || certainStats(path)?.isDirectory()))
    .map((path) => ({ path, ...repositoryBelow(path, workspace) }))
    .filter(({ held }) => held.length === 0 || !held.every((path) => liesInside(path, git)));
  const tooMany = nested.slice(mostRepositories);
  return {
    parts: [...(own === undefined ? [] : [own]), ...nested.slice(0, mostRepositories)],
    readOnly: [
      ...found.filter((path) => path !== git && isFile(path)),
      ...tooMany.flatMap(({ held }) => held),
    ],
    remarks: tooMany
      .slice(0, 1)
      .map(({ path }) => `Too many repositories: ${tooMany.length} are read-only, among them ${path}.`),
  };
}

function isFile(path: string): boolean {
  return certainStats(path)?.isFile() === true;
}

/** Like `statsAt`, but throws for an entry that cannot be examined, so that no repository loses its protection. */
function certainStats(path: string) {
  return lstatSync(path, { throwIfNoEntry: false });
}
