import { posix } from "node:path";
import { ToolError } from "../contract/error.ts";
import { ownRealPath } from "../contract/own-real-path.ts";
import { BoundedCache } from "../lib/bounded-cache.ts";
import { driversIn, type FilterDriver, isPlainSettings, settingsIn, withoutForeignFiles } from "./drivers.ts";
import { noRepository } from "./explain-failure.ts";
import { type GitDirectory, gitDirectoryAbove, gitDirectoryIn } from "./git-directory.ts";
import { judgedDirectory, settingsText } from "./judged-settings.ts";
import { type GitContext, outputOfGit, type Repository } from "./run-git.ts";

/** A path as the repository names it that it is in, "" for its top. */
export interface FoundPath {
  readonly repository: Repository;
  readonly path: string;
}

/** What one call has found out of directories of the workspace: whether a repository has its top there, and which. */
export type KnownTops = Map<string, Repository | undefined>;

/** The repository that `path` is in. Whoever looks for several gives each the same `known`. */
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
