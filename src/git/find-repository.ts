import { posix } from "node:path";
import { ToolError } from "../contract/error.ts";
import { ownRealPath } from "../contract/own-real-path.ts";
import { driversIn, type FilterDriver, isPlainSettings, settingsIn, withoutForeignFiles } from "./drivers.ts";
import { noRepository } from "./explain-failure.ts";
import { type GitDirectory, gitDirectoryAbove, gitDirectoryIn } from "./git-directory.ts";
import { judgedDirectory, settingsText } from "./judged-settings.ts";
import { type GitContext, outputOfGit, type Repository } from "./run-git.ts";

/** The repository that `path` is in, and the path as that repository names it, "" for its top. */
export async function findRepository(
  path: string,
  context: GitContext,
): Promise<{ readonly repository: Repository; readonly path: string }> {
  const { environment } = context;
  const { workspace } = environment;
  const real = await ownRealPath(environment, path);
  const inside = posix.relative(workspace, real);
  if (inside.split("/").some((name) => name.toLowerCase() === ".git")) throw isGitsOwn(path);
  for (let directory = inside; ; directory = posix.dirname(directory)) {
    const name = directory === "." ? "" : directory;
    const found = await gitDirectoryIn(name, context);
    if (found !== undefined) return opened(found, name, real, context);
    if (name === "") break;
  }
  const above = await gitDirectoryAbove(context);
  if (above === undefined) throw noRepository(path === "." ? "the workspace" : path);
  return opened(above, undefined, real, context);
}

async function opened(
  found: GitDirectory,
  directory: string | undefined,
  real: string,
  context: GitContext,
): Promise<{ readonly repository: Repository; readonly path: string }> {
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
  const repository = { ...bare, ...(await heldIn(bare, context)) };
  return { repository, path: posix.relative(found.top, real) };
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
  if (personal.size >= maxRemembered) personal.clear();
  personal.set(
    key,
    filters.filter(({ from }) => from === "person"),
  );
  const judged = judgedDirectory(commonDirectory, settingsText(listing));
  return { filters, settings: withoutForeignFiles(listing), judged };
}

const personal = new Map<string, readonly FilterDriver[]>();
const maxRemembered = 100;

function isGitsOwn(path: string): ToolError {
  return new ToolError("invalid-input", `${path} is git's own, not a part of the working tree`, {
    hint: "Give a path of the project.",
  });
}
