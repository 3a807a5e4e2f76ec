import { posix } from "node:path";
import type { Environment } from "../contract/environment.ts";
import { ToolError } from "../contract/error.ts";
import { cannotRead } from "../lib/blocking-files.ts";
import { undefinedUnlessExhausted } from "../lib/exhaustion.ts";
import { quoteForRule, ruleFlags } from "../lib/text/rule-text.ts";
import { explainFailure } from "./explain-failure.ts";
import { liesIn } from "./paths.ts";
import { type GitContext, outputOfProgram, type Repository, runGit } from "./run-git.ts";

export type GitDirectory = Pick<Repository, "gitDirectory" | "commonDirectory" | "top">;

/** Finds the git directories of the working tree with its top in this directory; undefined if there is none. */
export async function gitDirectoryIn(
  directory: string,
  context: GitContext,
): Promise<GitDirectory | undefined> {
  const { environment } = context;
  const own = posix.join(directory, ".git");
  const infoOf = (path: string) =>
    environment.info(path, { followLinks: false }).catch(undefinedUnlessExhausted);
  const kind = (await infoOf(own))?.kind;
  if (kind === undefined || kind === "other") return undefined;
  const top = posix.join(environment.workspace, directory);
  const named = kind === "file" ? await directoryNamedIn(own, top, environment) : own;
  if (named === undefined) return undefined;
  const real = await environment.realPath(named).catch(undefinedUnlessExhausted);
  if (real === undefined) return outsideDirectory(posix.resolve(environment.workspace, named), top, context);
  // A sandbox may have created an empty directory there.
  if ((await infoOf(`${real}/HEAD`)) === undefined) return undefined;
  const common = await commonDirectoryOf(real, environment);
  const commonReal = await environment.realPath(common).catch(undefinedUnlessExhausted);
  if (commonReal === undefined) return outsideDirectory(real, top, context);
  await refuseEscapes(new Set([real, commonReal]), environment);
  return { gitDirectory: real, commonDirectory: commonReal, top };
}

/** Reads the `.git` file of a linked working tree or a submodule, which names the directory. */
async function directoryNamedIn(
  file: string,
  top: string,
  environment: Environment,
): Promise<string | undefined> {
  const text = await shortText(file, environment);
  const named = text.startsWith("gitdir: ") ? text.slice("gitdir: ".length).trimEnd() : "";
  return named === "" ? undefined : posix.resolve(top, named);
}

async function commonDirectoryOf(gitDirectory: string, environment: Environment): Promise<string> {
  const named = await shortText(`${gitDirectory}/commondir`, environment);
  return named === "" ? gitDirectory : posix.resolve(gitDirectory, named.replace(/\r?\n$/, ""));
}

/** Reads a small file; "" when it is missing. */
async function shortText(path: string, environment: Environment): Promise<string> {
  try {
    return Buffer.from((await environment.readFile(path, { maxBytes: 64 * 1024 })).bytes).toString();
  } catch (error) {
    if (error instanceof ToolError && error.code === "not-found") return "";
    throw error;
  }
}

/**
 * Checks a `.git` file that names a repository outside the workspace. It counts if that repository names this working tree
 * too, or if a rule allows reading everything there.
 */
async function outsideDirectory(named: string, top: string, context: GitContext): Promise<GitDirectory> {
  const { confinement } = context.environment;
  const claimed = { gitDirectory: named, commonDirectory: named, top, directory: "", prefix: "", below: "" };
  const run = async (...args: string[]) => {
    const { stdout, code } = await runGit({ ...context, ...claimed, filters: [], settings: [] }, args);
    return code === 0 ? stdout.toString() : "";
  };
  const asked = await run("rev-parse", "--absolute-git-dir", "--git-common-dir");
  const [gitDirectory = "", common = ""] = asked.split("\n");
  if (gitDirectory === "") throw unknownThere(top, named);
  const commonDirectory = posix.resolve(context.environment.workspace, common);
  const isHidden = [gitDirectory, commonDirectory].some((path) => confinement?.isHidden?.(path));
  if (isHidden) throw unknownThere(top, gitDirectory);
  const isReadable = [gitDirectory, commonDirectory].every((path) =>
    liesIn(path, confinement?.readable ?? []),
  );
  if (isReadable) return { gitDirectory, commonDirectory, top };
  const isLinked =
    gitDirectory !== commonDirectory &&
    (await run("worktree", "list", "--porcelain")).split("\n").includes(`worktree ${top}`) &&
    (await isOf(gitDirectory, top, context));
  const worktree = isLinked ? "" : (await run("config", "--local", "core.worktree")).replace(/\n$/, "");
  const isSubmodule = worktree !== "" && posix.resolve(gitDirectory, worktree) === top;
  if (!isLinked && !isSubmodule) throw unknownThere(top, gitDirectory);
  return { gitDirectory, commonDirectory, top };
}

/** Whether a git directory belongs to this linked working tree, and not to another one of the same repository. */
async function isOf(gitDirectory: string, top: string, context: GitContext): Promise<boolean> {
  const named = await outputOfProgram("cat", ["--", posix.join(gitDirectory, "gitdir")], context);
  return posix.resolve(gitDirectory, named.replace(/\n$/, "")) === posix.join(top, ".git");
}

/**
 * Finds the git directories of a working tree above the workspace. Nothing in the workspace can have created it, so git's
 * own answer counts (git checks the owner), unless it names a repository in another place.
 */
export async function gitDirectoryAbove(context: GitContext): Promise<GitDirectory | undefined> {
  const { workspace } = context.environment;
  if (workspace === "/") return undefined;
  const args = ["rev-parse", "--show-toplevel", "--absolute-git-dir", "--git-common-dir"];
  const { stdout, stderr, code } = await runGit(context, ["-C", "..", ...args]);
  if (code !== 0) {
    if (/not a git repository|must be run in a work tree|cannot change to/.test(stderr)) return undefined;
    throw explainFailure(stderr, code);
  }
  const [top = "", gitDirectory = "", common = ""] = stdout.toString().split("\n");
  const commonDirectory = posix.resolve(workspace, "..", common);
  const isPlain = gitDirectory === posix.join(top, ".git") && commonDirectory === gitDirectory;
  const isAbove = workspace.startsWith(top === "/" ? "/" : `${top}/`);
  if (isPlain && isAbove) return { gitDirectory, commonDirectory, top };
  return outsideDirectory(gitDirectory, top, context);
}

function unknownThere(top: string, path: string): ToolError {
  const rule = `allow read ${quoteForRule(path)}/**`;
  return new ToolError(
    "outside-workspace",
    `${posix.join(top, ".git")} names a repository outside the workspace, ${path}, which does not know this working tree`,
    {
      hint: `Ask the user to add the rule: ${rule}`,
      forUser: { hint: `To allow reading it, add ${ruleFlags([rule])}` },
    },
  );
}

/**
 * Refuses links out of the workspace in git's directories, which git would follow, and directories outside from which git
 * would take objects, unless a rule allows reading everything there.
 */
async function refuseEscapes(gitDirectories: ReadonlySet<string>, environment: Environment): Promise<void> {
  for (const directory of gitDirectories) {
    await refuseLinks(directory, environment, partsOfRepository);
    await refuseHuge(directory, environment);
    await refuseAlternates(posix.join(directory, "objects"), environment, 0);
  }
}

/** The directories to enter, by name; `true` for all. */
type Parts = true | { readonly [name: string]: Parts };

/** Single objects are not checked: a link to one elsewhere requires the hash of its content. */
const partsOfRepository: Parts = { objects: { pack: {}, info: {} }, refs: true, info: {} };

async function refuseLinks(path: string, environment: Environment, parts: Parts): Promise<void> {
  const directory = await environment.openDirectory(path).catch(absent);
  if (directory === undefined) return;
  try {
    for (const { name, kind } of await directory.entries()) {
      const below = posix.join(path, name);
      // Git's own daemon listens on a socket there.
      const isSpecial = kind === "other" && !name.endsWith(".ipc");
      if (isSpecial || (kind === "directory" && parts !== true && files.has(name))) throw cannotRead(below);
      if (kind === "link") await refuseOutside(below, environment);
      const inner = parts === true ? true : parts[name];
      if (kind === "directory" && inner !== undefined) await refuseLinks(below, environment, inner);
    }
  } finally {
    directory.close();
  }
}

/** The files that git reads, by name. */
const files = new Set(
  "HEAD index config config.worktree packed-refs commondir shallow exclude attributes".split(" "),
);

/** Refuses files that git would read whole, whatever their size. */
async function refuseHuge(directory: string, environment: Environment): Promise<void> {
  const texts = ["HEAD", "config", "config.worktree", "info/exclude", "info/attributes"];
  const paths = texts.map((name) => posix.join(directory, name));
  const found = await Promise.all(
    paths.map((path) => environment.info(path).catch(undefinedUnlessExhausted)),
  );
  const huge = found.findIndex((info) => (info?.bytes ?? 0) > maxTextBytes);
  if (huge >= 0) throw cannotRead(paths[huge]!);
}

const maxTextBytes = 10 * 1024 * 1024;

async function refuseOutside(link: string, environment: Environment): Promise<void> {
  try {
    const real = await environment.realPath(link);
    const info = await environment.info(real).catch(undefinedUnlessExhausted);
    if (info?.kind === "other") throw cannotRead(link);
  } catch (error) {
    if (!(error instanceof ToolError) || error.code !== "outside-workspace") return;
    throw escapes(link);
  }
}

async function refuseAlternates(objects: string, environment: Environment, depth: number): Promise<void> {
  const file = posix.join(objects, "info/alternates");
  const content = await environment.readFile(file, { maxBytes: 64 * 1024 }).catch(absent);
  if (content === undefined) return;
  // Git itself follows no longer chain of alternates.
  if (depth > 5) throw escapes(file);
  for (const line of Buffer.from(content.bytes).toString().split("\n")) {
    if (line === "" || line.startsWith("#")) continue;
    // Quoted names are refused: hardly any path needs quotes, and parsing them wrongly would be an escape.
    const named = line.startsWith('"') ? "/" : posix.resolve(objects, line);
    const real = await environment.realPath(named).catch(undefinedUnlessExhausted);
    if (real !== undefined) {
      await refuseLinks(real, environment, { pack: {}, info: {} });
      await refuseAlternates(real, environment, depth + 1);
    } else if (!isReadable(named, environment)) throw escapes(file);
  }
}

function isReadable(path: string, { confinement }: Environment): boolean {
  const { readable = [], isHidden } = confinement ?? {};
  return liesIn(path, readable) && isHidden?.(path) !== true;
}

/** A missing file is harmless; an unreadable one is an error. */
function absent(error: unknown): undefined {
  if (error instanceof ToolError && (error.code === "not-found" || error.code === "unsupported"))
    return undefined;
  throw error;
}

function escapes(path: string): ToolError {
  return new ToolError("outside-workspace", `${path} makes git read outside the workspace`, {
    hint: "Ask the user to allow reading its target with a rule.",
    forUser: { hint: "To copy the objects into the repository, run: git repack -a -d" },
  });
}
