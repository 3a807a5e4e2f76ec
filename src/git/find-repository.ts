import { posix } from "node:path";
import type { Environment, OwnDirectory } from "../contract/environment.ts";
import { ToolError } from "../contract/error.ts";
import { untilAborted } from "../lib/async/abort.ts";
import { BoundedCache } from "../lib/bounded-cache.ts";
import { ownRealPath } from "../lib/own-real-path.ts";
import { showPath } from "../lib/text/printable.ts";
import { quoteForRule, ruleFlags } from "../lib/text/rule-text.ts";
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

/** A path in its repository, as git names it; "" for the top. */
export interface FoundPath {
  readonly repository: Repository;
  readonly path: string;
}

/** Repositories by their top directory, as far as a call has looked; undefined where there is none. */
export type KnownTops = Map<string, Repository | undefined>;

/** Finds the repository of `path`. Callers with several paths pass the same `known`. */
export async function findRepository(
  path: string,
  { environment, signal, progress }: GitContext,
  known: KnownTops = new Map(),
): Promise<FoundPath> {
  // The given context may be another repository, so only these parts of it are used.
  const context = { environment, signal, progress };
  const { workspace } = environment;
  const real = await ownRealPath(environment, path);
  const inside = posix.relative(workspace, real);
  if (inside.split("/").some((name) => name.toLowerCase() === ".git"))
    throw new ToolError("invalid-input", `${path} belongs to git, not to the working tree`, {
      hint: "Give a path of the project.",
    });
  for (let directory = inside; ; directory = posix.dirname(directory)) {
    const name = directory === "." ? "" : directory;
    const repository = known.has(name) ? known.get(name) : await repositoryIn(name, context);
    known.set(name, repository);
    if (repository !== undefined) return { repository, path: posix.relative(repository.top, real) };
    if (name === "") throw noRepository(path === "." ? "the workspace" : path);
  }
}

/** Finds the repository with its top in this directory; for the workspace itself also one with its top above. */
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
    ...context,
    ...found,
    directory: directory ?? "",
    prefix: directory === undefined || directory === "" ? "" : `${directory}/`,
    below,
    filters: [],
    settings: [],
  };
  return { ...bare, ...(await settingsOf(bare)) };
}

/** Reads the settings that could run programs. Those of the user hardly ever change, and are cached. */
async function settingsOf(
  repository: Repository,
): Promise<Pick<Repository, "filters" | "settings" | "listing" | "checked">> {
  const { commonDirectory } = repository;
  const key = `${repository.gitDirectory}\0${commonDirectory}`;
  // Another call may be listing them. If it fails, one of those that wait lists them again.
  for (let other = listings.get(key); other !== undefined; other = listings.get(key))
    await untilAborted(
      other.catch(() => {}),
      repository.signal,
    );
  const known = userFilters.get(key);
  if (known !== undefined) {
    const own = await settingsIn(commonDirectory, repository.environment);
    if (own !== undefined && isPlainSettings(own))
      return { filters: known, settings: [], checked: checkedDirectory(commonDirectory, own) };
  }
  const reading = listSettings(repository, key);
  listings.set(key, reading);
  const { listing, filters } = await reading.finally(() => {
    if (listings.get(key) === reading) listings.delete(key);
  });
  const checked = checkedDirectory(commonDirectory, settingsText(listing));
  return { filters, settings: withoutForeignFiles(listing), listing, checked };
}

async function listSettings(repository: Repository, key: string): Promise<SettingsListing> {
  const listing = (await outputOfGit(repository, ["config", "--list", "-z", "--show-scope"])).toString();
  const filters = driversIn(listing);
  // A repository may replace a part of the user's filter, which is then not known.
  if (filters.every(({ from }) => from === "user")) userFilters.set(key, filters);
  return { listing, filters };
}

const userFilters = new BoundedCache<string, readonly FilterDriver[]>({ maxEntries: 100 });
/** The listings that git is writing now. */
const listings = new Map<string, Promise<SettingsListing>>();

interface SettingsListing {
  readonly listing: string;
  readonly filters: readonly FilterDriver[];
}

/** Finds the repository that contains all of these paths. Throws `invalid-input` if there are several. */
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
    hint: "Make one call for each repository.",
  });
}

/** Like `findRepository`, for callers that write. */
export async function findWritable(path: string, context: GitContext): Promise<FoundPath> {
  const found = await findRepository(path, context);
  await requireWritable(found.repository);
  return found;
}

/**
 * Throws unless the repository may be changed: git's directory is in the workspace, a rule allows writing it, or it names
 * this working tree as its own.
 */
export async function requireWritable(repository: Repository): Promise<void> {
  const { environment, below, top } = repository;
  if (below !== "")
    throw new ToolError(
      "outside-workspace",
      `The repository in ${top} is above the workspace, where tools may only read`,
      {
        hint: "Ask the user to open that folder as the workspace.",
        forUser: { hint: "To change it, use that folder as the workspace." },
      },
    );
  const { readable = [], writable = [], unconfined = false } = environment.confinement ?? {};
  refuseDenied(repository);
  for (const directory of new Set([repository.gitDirectory, repository.commonDirectory])) {
    if (liesIn(directory, [environment.workspace])) await refuseLinks(directory, environment);
    // Only a rule makes it readable; otherwise the repository names this working tree as its own.
    else if (liesIn(directory, readable) && !liesIn(directory, writable)) throw onlyReadable(directory);
    // A sandbox shows the repository of the workspace itself, wherever it is, and no other.
    else if (repository.directory !== "" && !liesIn(directory, writable) && !unconfined) {
      const { level } = (await environment.sandbox?.()) ?? { level: "none" };
      if (level !== "none") throw onlyReadable(directory);
    }
  }
}

/** Rules are checked here because a call does not know its repository when it lists its accesses. */
function refuseDenied({ gitDirectory, environment: { workspace, confinement } }: Repository): void {
  const index = posix.join(gitDirectory, "index");
  if (confinement?.isReadOnly?.(index) !== true) return;
  const shown = liesIn(index, [workspace]) ? posix.relative(workspace, index) : index;
  throw new ToolError("denied", `Rules deny writing ${showPath(shown)}`, {
    hint: "Continue without changing this repository.",
    forUser: { hint: "To list all rules, run: toolcrib policy show" },
  });
}

function onlyReadable(directory: string): ToolError {
  const rule = `allow write ${quoteForRule(directory)}/**`;
  return new ToolError("outside-workspace", `The repository ${directory} is outside the workspace`, {
    hint: `Ask the user to add the rule: ${rule}`,
    forUser: { hint: `To allow changing it, add ${ruleFlags([rule])}` },
  });
}

/**
 * Refuses links in git's directory. Git would write its logs and its index through them, wherever they lead; only a sandbox
 * would prevent it. Git itself creates no such links.
 */
async function refuseLinks(gitDirectory: string, environment: Environment): Promise<void> {
  for (const name of written) {
    const path = posix.join(gitDirectory, name);
    const kind = await environment.info(path, { followLinks: false }).then((info) => info.kind, absent);
    if (kind === "link") throw isLink(path);
    if (kind === "directory") await refuseLinksBelow(path, environment);
  }
}

const written = "index HEAD ORIG_HEAD COMMIT_EDITMSG config packed-refs refs logs".split(" ");

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
  return new ToolError("denied", `${path} is a link, and git would write to its target`, {
    hint: "Ask the user to check it, and to replace it with its target.",
    forUser: { hint: "Check it, and replace it with its target." },
  });
}

/**
 * Describes a temporary common directory with the settings as they were checked; everything else in it is a link to the
 * repository. Without it, a running command could replace the settings before git reads them again (TOCTOU).
 */
function checkedDirectory(commonDirectory: string, settings: string): OwnDirectory {
  return {
    variable: "GIT_COMMON_DIR",
    files: { config: settings },
    links: Object.fromEntries(shared.map((name) => [name, `${commonDirectory}/${name}`])),
  };
}

/** The entries that git uses in the common directory, without hooks. */
const shared = "HEAD info logs modules objects packed-refs refs reftable shallow worktrees".split(" ");

/**
 * Writes the repository's own settings as a settings file, from the output of `git config --list -z --show-scope`. Leaves
 * out filters, which are passed separately, and references to other files.
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
    const head = name === undefined ? section : `${section} "${escaped(name)}"`;
    const assigned = value === undefined ? "" : ` = "${escaped(value).replaceAll("\n", "\\n")}"`;
    text += `[${head}]\n\t${key}${assigned}\n`;
  }
  return text;
}

const own = new Set(["local", "worktree"]);
const left = new Set(["filter", "include", "includeif"]);

function escaped(text: string): string {
  return text.replace(/["\\]/g, "\\$&");
}
