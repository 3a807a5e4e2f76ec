import { posix } from "node:path";
import type { Environment, OwnDirectory } from "../contract/environment.ts";
import { ToolError } from "../contract/error.ts";
import { BoundedCache } from "../lib/bounded-cache.ts";
import { ownRealPath } from "../lib/own-real-path.ts";
import { showPath } from "../lib/text/printable.ts";
import { noRepository } from "./explain-failure.ts";
import {
  driversIn,
  type FilterDriver,
  isPlainSettings,
  settingsIn,
  withoutForeignFiles,
} from "./filter-drivers.ts";
import { type GitDirectory, gitDirectoryAbove, gitDirectoryIn } from "./git-directory.ts";
import { liesIn } from "./paths.ts";
import { type GitContext, outputOfGit, type Repository } from "./run-git.ts";

/** A path as the repository names it that it is in, "" for its top. */
export interface FoundPath {
  readonly repository: Repository;
  readonly path: string;
}

/** What one call has found out of directories of the workspace: whether a repository has its top there, and which. */
export type KnownTops = Map<string, Repository | undefined>;

/** The repository that `path` is in. Callers that look for several paths pass the same `known`. */
export async function findRepository(
  path: string,
  context: GitContext,
  known: KnownTops = new Map(),
): Promise<FoundPath> {
  const { environment } = context;
  const { workspace } = environment;
  const real = await ownRealPath(environment, path);
  const inside = posix.relative(workspace, real);
  if (inside.split("/").some((name) => name.toLowerCase() === ".git")) throw isGitsOwn(path);
  for (let directory = inside; ; directory = posix.dirname(directory)) {
    const name = directory === "." ? "" : directory;
    const repository = known.has(name) ? known.get(name) : await repositoryIn(name, context);
    known.set(name, repository);
    if (repository !== undefined) return { repository, path: posix.relative(repository.top, real) };
    if (name === "") throw noRepository(path === "." ? "the workspace" : path);
  }
}

/** The one that has its top in this directory; of the workspace itself also one that has it above. */
async function repositoryIn(directory: string, context: GitContext): Promise<Repository | undefined> {
  const found = await gitDirectoryIn(directory, context);
  if (found !== undefined) return opened(found, directory, context);
  const above = directory === "" ? await gitDirectoryAbove(context) : undefined;
  return above && opened(above, undefined, context);
}

async function opened(
  found: GitDirectory,
  directory: string | undefined,
  context: GitContext,
): Promise<Repository> {
  const { workspace } = context.environment;
  const below = directory === undefined ? `${posix.relative(found.top, workspace)}/` : "";
  const bare: Repository = {
    ...found,
    directory: directory ?? "",
    prefix: directory === undefined || directory === "" ? "" : `${directory}/`,
    below,
    filters: [],
    settings: [],
  };
  return { ...bare, ...(await heldIn(bare, context)) };
}

/** What settings name that must not run. Those of the person hardly ever change, and are remembered. */
async function heldIn(
  repository: Repository,
  context: GitContext,
): Promise<Pick<Repository, "filters" | "settings" | "judged">> {
  const { commonDirectory } = repository;
  const key = `${repository.gitDirectory}\0${commonDirectory}`;
  const known = personal.get(key);
  if (known !== undefined) {
    const own = await settingsIn(commonDirectory, context.environment);
    if (own !== undefined && isPlainSettings(own))
      return { filters: known, settings: [], judged: judgedDirectory(commonDirectory, own) };
  }
  const listed = await outputOfGit(repository, ["config", "--list", "-z", "--show-scope"], context);
  const listing = listed.toString();
  const filters = driversIn(listing);
  personal.set(
    key,
    filters.filter(({ from }) => from === "person"),
  );
  const judged = judgedDirectory(commonDirectory, settingsText(listing));
  return { filters, settings: withoutForeignFiles(listing), judged };
}

const personal = new BoundedCache<string, readonly FilterDriver[]>({ maxEntries: 100 });

function isGitsOwn(path: string): ToolError {
  return new ToolError("invalid-input", `${path} is git's own, not a part of the working tree`, {
    hint: "Give a path of the project.",
  });
}

/** The one repository that all of these paths are in, and what it calls them. `invalid-input` where they are in several. */
export async function findTogether(
  paths: readonly string[],
  context: GitContext,
  find: (path: string, context: GitContext, known: KnownTops) => Promise<FoundPath> = findRepository,
): Promise<{ readonly repository: Repository; readonly paths: readonly string[] }> {
  const known: KnownTops = new Map();
  const found: FoundPath[] = [];
  for (const path of paths) found.push(await find(path, context, known));
  const { repository } = found[0]!;
  const other = found.findIndex((one) => one.repository.top !== repository.top);
  if (other === -1) return { repository, paths: found.map(({ path }) => path) };
  throw new ToolError("invalid-input", `${paths[0]} and ${paths[other]} are in different repositories`, {
    hint: "Give those of each in a call of its own.",
  });
}

/** As `findRepository`, for callers that write: git's directory must lie in the workspace, or be known as its own. */
export async function findWritable(path: string, context: GitContext): Promise<FoundPath> {
  const found = await findRepository(path, context);
  await requireWritable(found.repository, context);
  return found;
}

export async function requireWritable(repository: Repository, { environment }: GitContext): Promise<void> {
  if (repository.below !== "") throw topIsAbove(repository);
  const { readable = [], writable = [], unconfined = false } = environment.confinement ?? {};
  refuseDenied(repository, environment);
  for (const directory of new Set([repository.gitDirectory, repository.commonDirectory])) {
    if (liesIn(directory, [environment.workspace])) await refuseLinks(directory, environment);
    // Only a rule says that it may be read; otherwise the repository has named this working tree as its own.
    else if (liesIn(directory, readable) && !liesIn(directory, writable)) throw onlyReadable(directory);
    // A sandbox shows the repository of the workspace itself, wherever that lies, and no other.
    else if (repository.directory !== "" && !liesIn(directory, writable) && !unconfined) {
      const { level } = (await environment.sandbox?.()) ?? { level: "none" };
      if (level !== "none") throw onlyReadable(directory);
    }
  }
}

/** Rules are checked here because a call does not know its repository when it names its accesses. */
function refuseDenied({ gitDirectory }: Repository, { workspace, confinement }: Environment): void {
  const index = posix.join(gitDirectory, "index");
  if (confinement?.isReadOnly?.(index) !== true) return;
  const shown = liesIn(index, [workspace]) ? posix.relative(workspace, index) : index;
  throw new ToolError("denied", `Rules deny writing ${showPath(shown)}`, {
    hint: "This repository can be looked at, not changed. Ask the person, whose rule it is.",
  });
}

function topIsAbove({ top }: Repository): ToolError {
  return new ToolError("outside-workspace", `The repository has its top above the workspace, in ${top}`, {
    hint: "It can be looked at from here, not changed. Ask the person to open Toolcrib there.",
  });
}

function onlyReadable(directory: string): ToolError {
  return new ToolError("outside-workspace", `The repository ${directory} lies outside the workspace`, {
    hint: `Ask the person: the rule "allow write ${directory}/**" lets it be changed.`,
  });
}

/**
 * Git appends to its logs and replaces its index through links, wherever these lead: a sandbox stands in the way, where there
 * is one. No git makes such links.
 */
async function refuseLinks(gitDirectory: string, environment: Environment): Promise<void> {
  for (const name of written) {
    const path = posix.join(gitDirectory, name);
    const kind = await environment.info(path, { followLinks: false }).then((info) => info.kind, absent);
    if (kind === "link") throw isLink(path);
    if (kind === "directory") await refuseLinksBelow(path, environment);
  }
}

const written = ["index", "HEAD", "ORIG_HEAD", "COMMIT_EDITMSG", "config", "packed-refs", "refs", "logs"];

async function refuseLinksBelow(path: string, environment: Environment): Promise<void> {
  const directory = await environment.openDirectory(path);
  try {
    for (const { name, kind } of await directory.entries()) {
      const below = posix.join(path, name);
      if (kind === "link") throw isLink(below);
      if (kind === "directory") await refuseLinksBelow(below, environment);
    }
  } finally {
    directory.close();
  }
}

function absent(error: unknown): undefined {
  if (error instanceof ToolError && error.code === "not-found") return undefined;
  throw error;
}

function isLink(path: string): ToolError {
  return new ToolError("denied", `${path} is a link: git would write to what it leads to`, {
    hint: "Ask the person to look at it, and to replace it by what it leads to if that is right.",
  });
}

/**
 * A repository is told by git's own directory and by settings beside it, which git would read again after we have judged
 * them: a command that is still running may have exchanged them by then. So git is given a directory of ours in the place of
 * what it calls the common one, with the settings as they were judged; all else in it leads to the repository.
 */
function judgedDirectory(commonDirectory: string, settings: string): OwnDirectory {
  return {
    variable: "GIT_COMMON_DIR",
    files: { config: settings },
    links: Object.fromEntries(shared.map((name) => [name, `${commonDirectory}/${name}`])),
  };
}

/** What git looks for in the common directory. No hooks. */
const shared = [
  "HEAD",
  "info",
  "logs",
  "modules",
  "objects",
  "packed-refs",
  "refs",
  "reftable",
  "shallow",
  "worktrees",
];

/**
 * The repository's own settings as a file of settings. What `git config --list -z --show-scope` has printed. Without filters,
 * all of which are held elsewhere, and without what would lead to further files.
 */
export function settingsText(listing: string): string {
  const fields = listing.split("\0");
  let text = "";
  for (let at = 0; at + 1 < fields.length; at += 2) {
    if (!own.has(fields[at]!)) continue;
    const [, section = "", name, key = "", value] =
      /^([^.\n]*)\.(?:([^\n]*)\.)?([^.\n]*)(?:\n(.*))?$/s.exec(fields[at + 1]!) ?? [];
    if (section === "" || left.has(section) || (section === "extensions" && key === "worktreeconfig"))
      continue;
    const head = name === undefined ? section : `${section} "${quoted(name)}"`;
    text += `[${head}]\n\t${key}${value === undefined ? "" : ` = "${escaped(value)}"`}\n`;
  }
  return text;
}

const own = new Set(["local", "worktree"]);
const left = new Set(["filter", "include", "includeif"]);

function quoted(name: string): string {
  return name.replace(/["\\]/g, "\\$&");
}

function escaped(value: string): string {
  return quoted(value).replaceAll("\n", "\\n");
}
