import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { attempt, statsAt } from "../system/attempt.ts";
import { inPrivateDirectory, namesIfReadable, namesIn } from "../system/directories.ts";
import { atPinnedPath, changeAt } from "../system/pinned-path.ts";
import { longAbandonedMs, newRecordName, ownerHasEnded, removeRecord } from "../system/process-identity.ts";
import { liesInside } from "../system/workspace-path.ts";
import { commonDirectory, dangersIn, type GitDanger, gitDirectoryOf, gitlinksIn } from "./git-dangers.ts";
import { freeName } from "./git-repair.ts";
import { disableExecLines, type ExecLines, execLinesIn } from "./rebase-todo.ts";
import { rulesOf, type ScanResult, TreeScan } from "./tree-scan.ts";

type FoundRepositories = Pick<ScanResult, "repositories" | "bare">;

/** The repositories before a command. */
interface Baseline {
  /** Every `.git` of a repository that the sandbox itself protects. */
  readonly guarded: readonly string[];
  /** The directories with the settings of guarded repositories. */
  readonly trusted: readonly string[];
  /** Every `.git` that an index links to. */
  readonly linked: readonly string[];
  /** The repositories of submodules, in the guarded repositories. */
  readonly modules?: readonly string[];
  /** The settings that made git run programs in the other repositories, by path. */
  readonly dangers: Readonly<Record<string, readonly string[]>>;
  readonly execLines: ExecLines;
}

export interface RepositoryCheck {
  /** Disables what the command has added. `found` are the repositories now. Returns remarks. */
  settle(found: FoundRepositories): readonly string[];
  end(): void;
}

/**
 * A command can create a repository anywhere in the workspace, and add it to the index as a gitlink: then the user's
 * next `git status` obeys its settings, outside the sandbox. No mount can prevent that, so settings and hooks that run
 * programs are renamed after the command, or after a crash by the next process.
 */
export class RepositoryWatch {
  readonly #workspace: string;
  readonly #folder: string;

  /** `folder` contains a record of each running command. */
  constructor({ workspace, folder }: { readonly workspace: string; readonly folder: string }) {
    this.#workspace = workspace;
    this.#folder = folder;
  }

  begin(found: FoundRepositories): RepositoryCheck {
    const baseline = this.#baselineOf(found);
    const record = join(this.#folder, newRecordName());
    const text = JSON.stringify(baseline);
    inPrivateDirectory(this.#folder, () => writeFileSync(record, text, { mode: 0o600 }));
    return {
      settle: (now) => this.#settle(baseline, now),
      end: () => removeRecord(record),
    };
  }

  /** Checks repositories for commands whose Toolcrib process has ended. Returns remarks. */
  async settleAbandoned(): Promise<readonly string[]> {
    const names = namesIn(this.#folder).filter((name) => ownerHasEnded(name, 0, longAbandonedMs));
    if (names.length === 0) return [];
    const found = await new TreeScan(this.#workspace).scan(rulesOf({}));
    return names.flatMap((name) => {
      const record = join(this.#folder, name);
      // A process that died while it wrote its record has started no command.
      const baseline = attempt((): Baseline => JSON.parse(readFileSync(record, "utf8")));
      const remarks = baseline === undefined ? [] : this.#settle(baseline, found);
      removeRecord(record);
      return remarks.map((remark) => `After a crash: ${remark}`);
    });
  }

  #baselineOf(found: FoundRepositories): Baseline {
    const guarded = found.repositories.filter((git) => this.#isGuarded(git));
    const trusted = guarded.flatMap((git) => commonOf(git) ?? []);
    const linked = linkedIn(found);
    const others = [...found.repositories, ...this.#bareIn(found), ...linked];
    const dangers = others
      .filter((path) => !guarded.includes(path))
      .map((path) => [path, dangersIn(path, isIn(trusted)).map(({ exact }) => exact)] as const);
    const execLines = execLinesIn(found.repositories);
    const modules = modulesIn(trusted);
    return { guarded, trusted, linked, modules, dangers: Object.fromEntries(dangers), execLines };
  }

  /** Whether the sandbox protects a repository. It protects no link, and no settings outside the workspace. */
  #isGuarded(git: string): boolean {
    const stats = statsAt(git);
    if (git === join(this.#workspace, ".git"))
      return stats?.isDirectory() === true || stats?.isFile() === true;
    if (stats?.isDirectory()) return true;
    const common = stats?.isFile() ? commonOf(git) : undefined;
    return common !== undefined && common !== this.#workspace && liesInside(common, this.#workspace);
  }

  /** Returns bare repositories except the top of the workspace, which `watchForBareRepository` watches. */
  #bareIn({ bare }: FoundRepositories): readonly string[] {
    return bare.filter((path) => path !== this.#workspace);
  }

  #settle(baseline: Baseline, now: FoundRepositories): readonly string[] {
    const guarded = new Set(baseline.guarded);
    const linked = linkedIn(now);
    // The user's `git submodule update` obeys a new one.
    const modules = modulesIn(baseline.trusted).filter((path) => baseline.modules?.includes(path) === false);
    const all = new Set([...now.repositories, ...this.#bareIn(now), ...linked, ...modules]);
    const disabled = [...all].flatMap((path) => {
      if (guarded.has(path)) return [];
      const before = baseline.dangers[path] ?? [];
      const dangers = dangersIn(path, isIn(baseline.trusted));
      const isNew = dangers.some(({ exact }) => !before.includes(exact));
      return isNew ? [this.#disable(path, dangers)] : [];
    });
    const links = linked
      .filter((path) => guarded.has(path) && !baseline.linked.includes(path))
      .flatMap((path) => this.#describeLink(path, dangersIn(path, isIn([]))));
    return [...disabled, ...links, ...disableExecLines(now.repositories, baseline.execLines)];
  }

  #disable(path: string, dangers: readonly GitDanger[]): string {
    const made = `The command left a git repository whose settings run programs: ${this.#name(path)} (${namesOf(dangers)})`;
    try {
      const isDirectory = statsAt(path)?.isDirectory() === true;
      const parts = isDirectory ? obeyedParts.map((name) => join(path, name)) : [path];
      const renamed = parts.flatMap((part) => renameAside(part) ?? []);
      const names = renamed.map((part) => this.#name(part)).join(", ");
      return `${made}. They were disabled by renaming them: ${names}. Tell the user.`;
    } catch (error) {
      return `${made}. They could not be disabled (${(error as Error).message}). Tell the user to delete it.`;
    }
  }

  /** Describes a new link to a repository that existed before. It belongs to the user, so nothing is disabled. */
  #describeLink(path: string, dangers: readonly GitDanger[]): readonly string[] {
    if (dangers.length === 0) return [];
    const name = this.#name(dirname(path));
    return [
      `The command added the repository ${name} to the git index. \`git status\` now also obeys its settings, which run programs (${namesOf(dangers)}). Tell the user; to remove it from the index: git rm --cached ${name}`,
    ];
  }

  #name(path: string): string {
    return relative(this.#workspace, path);
  }
}

/** The files of a git directory that git obeys. */
const obeyedParts = ["config", "config.worktree", "hooks", "commondir"];

/** Renames an entry. Returns its new path; undefined when it does not exist. */
function renameAside(path: string): string | undefined {
  return atPinnedPath(path, (pinned) => {
    if (statsAt(pinned) === undefined) return undefined;
    const free = freeName(`${pinned}.disabled`);
    changeAt(pinned, () => renameSync(pinned, free));
    return join(dirname(path), basename(free));
  });
}

function namesOf(dangers: readonly GitDanger[]): string {
  const names = [...new Set(dangers.map(({ name }) => name))];
  return names.length > 5 ? `${names.slice(0, 5).join(", ")} and ${names.length - 5} more` : names.join(", ");
}

function isIn(paths: readonly string[]): (path: string) => boolean {
  return (path) => paths.includes(path);
}

function commonOf(git: string): string | undefined {
  const directory = gitDirectoryOf(git);
  return directory && commonDirectory(directory);
}

/** Returns the repositories of submodules in git directories. */
function modulesIn(directories: readonly string[]): readonly string[] {
  return directories.flatMap((directory) => modulesBelow(join(directory, "modules"), deepestModule));
}

function modulesBelow(folder: string, depth: number): readonly string[] {
  return namesIfReadable(folder).flatMap((name) => {
    const path = join(folder, name);
    if (statsAt(path)?.isDirectory() !== true) return [];
    if (obeyedParts.some((part) => statsAt(join(path, part)) !== undefined)) return [path];
    return depth === 0 ? [] : modulesBelow(path, depth - 1);
  });
}

// The name of a submodule is a path.
const deepestModule = 6;

function linkedIn({ repositories }: FoundRepositories): readonly string[] {
  return repositories.flatMap((git) => {
    const directory = gitDirectoryOf(git);
    const links = directory === undefined ? [] : gitlinksIn(directory);
    return links
      .map((link) => join(dirname(git), link, ".git"))
      .filter((path) => statsAt(path) !== undefined);
  });
}
