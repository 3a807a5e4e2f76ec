import { posix } from "node:path";
import type { ProcessStartOptions } from "../contract/environment.ts";
import { ToolError } from "../contract/error.ts";
import type { ToolContext } from "../contract/tool.ts";
import { refuseBlockingFiles } from "../lib/blocking-files.ts";
import { undefinedUnlessExhausted } from "../lib/exhaustion.ts";
import { gitReadingOptions, gitReadingVariables } from "../lib/git-reading.ts";
import { escapeGlob } from "../lib/glob/glob.ts";
import { IgnoreChain } from "../lib/ignore/ignore-chain.ts";
import type { FileFilter } from "./file-filter.ts";
import {
  hasHiddenName,
  nameOf,
  parentOf,
  type Visibility,
  VisiblePaths,
  visibleAmong,
} from "./visible-paths.ts";
import { walkFiles } from "./walk.ts";

export type FileSource = "walk" | "git" | "ripgrep";

export interface FilesWanted extends Visibility {
  /** Relative to the workspace and without links, "" for the workspace itself. */
  readonly directory: string;
  readonly filter: FileFilter;
}

/** The first files are listed in process, which is faster than starting a program. */
const budget = 120;

/** Lists the selected files in the fastest way that gives the same result as a walk. */
export async function listFiles(
  wanted: FilesWanted,
  context: FileContext,
): Promise<{ readonly paths: readonly string[]; readonly source: FileSource }> {
  const { directory, filter, hidden, ignoreFiles } = wanted;
  const cut = directory === "" ? 0 : directory.length + 1;
  const options = { hidden, ignoreFiles, signal: context.signal };
  const enters = (path: string) => filter.enters(path.slice(cut));
  const met: string[] = [];
  const isWhole = context.environment.walk !== undefined;
  for await (const { path } of walkFiles(context.environment, directory, { ...options, enters })) {
    if (met.length === budget && !isWhole) {
      const byGit = await listWithGit(wanted, context);
      if (byGit) return { paths: byGit, source: "git" };
      const byRipgrep = await listWithRipgrep(wanted, context);
      if (byRipgrep) return { paths: byRipgrep, source: "ripgrep" };
    }
    met.push(path);
  }
  return { paths: met.filter((path) => filter.takes(path.slice(cut))), source: "walk" };
}

/**
 * Lists files with git. Returns undefined when the result could differ from a walk: outside a repository, in an ignored
 * directory, with ignore rules that git does not read, or with nested repositories.
 */
async function listWithGit(
  { directory, filter, ...visibility }: FilesWanted,
  context: FileContext,
): Promise<readonly string[] | undefined> {
  const { environment } = context;
  if (!visibility.ignoreFiles || !(await isRepository(context))) return undefined;
  const chain = await IgnoreChain.at(environment, directory);
  if (chain.hasForeignRules) return undefined;
  const isShown =
    directory === "" || (await new VisiblePaths(environment, "", visibility).has(directory, "directory"));
  if (!isShown) return undefined;

  const tails = filter.tails ? [...filter.tails, ...alwaysListedByGit] : [""];
  const patterns = tails.map((tail) => `*${escapeGlob(tail)}`);
  const listing = ["ls-files", "-z", "-c", "-o", "--exclude-standard", "--deduplicate"];
  const args = [...guarded(environment.workspace), ...listing, "--", ...patterns];
  const listed = await outputOf("git", { args, cwd: directory || ".", env: gitReadingVariables }, context);
  if (listed?.code !== 0) return undefined;

  const prefix = directory === "" ? "" : `${directory}/`;
  const withRules = new Set<string>();
  const taken: string[] = [];
  for (const path of listed.text.split("\0")) {
    // The path is a nested repository.
    if (path.endsWith("/")) return undefined;
    const ruleFile = /(?<=^|\/)\.(?:gitignore|ignore|rgignore|gitmodules)$/.exec(path)?.[0];
    if (ruleFile === ".gitignore") withRules.add((prefix + path).slice(0, -"/.gitignore".length));
    else if (ruleFile !== undefined) return undefined;
    if (path !== "" && filter.takes(path)) taken.push(prefix + path);
  }
  // Unlike a walk, git lists hidden files, and tracked files that are ignored.
  return visibleAmong(taken, { environment, directory, chain, visibility, withRules });
}

/** Returns options that keep the repository's settings from running programs, using another folder or changing the result. */
function guarded(workspace: string): string[] {
  return [...gitReadingOptions(settings), `--work-tree=${workspace}`];
}

const settings = [
  "core.ignoreCase=false",
  // The chain contains the user's excludes; the repository's setting could replace them here.
  "core.excludesFile=/dev/null",
];

/** These change the result, so they are always listed: ignore files, submodules, repositories. */
const alwaysListedByGit = [".gitignore", ".ignore", ".rgignore", ".gitmodules", "/"];

async function isRepository({ environment }: FileContext): Promise<boolean> {
  const info = await environment.info(".git", { followLinks: false }).catch(undefinedUnlessExhausted);
  return info !== undefined;
}

/** Lists files with ripgrep; undefined when it is not installed. */
async function listWithRipgrep(
  wanted: FilesWanted,
  context: FileContext,
): Promise<readonly string[] | undefined> {
  const { directory, filter, hidden, ignoreFiles } = wanted;
  const { environment } = context;
  const chain = await IgnoreChain.at(environment, directory);
  const args = ["--files", "--null", "--no-config", "--color=never"];
  // Outside of repositories ripgrep ignores .gitignore by default.
  if (!chain.isInRepository) args.push("--no-require-git");
  if (hidden) args.push("--hidden");
  if (!ignoreFiles) args.push("--no-ignore");
  const tails = filter.tails?.map((tail) => `*${escapeGlob(tail)}`);
  const globs =
    tails !== undefined && ignoreFiles ? [...tails, ...alwaysListedByRipgrep] : [...(tails ?? []), "!.git"];
  args.push(...globs.flatMap((glob) => ["-g", glob]));
  // The exit code only reports unreadable directories or an empty list.
  const listed = await outputOf("rg", { args: [...args, "--", "."], cwd: directory || "." }, context);
  if (listed === undefined) return undefined;

  const prefix = directory === "" ? "" : `${directory}/`;
  const withRules = new Set<string>();
  const taken: string[] = [];
  for (const found of listed.text.split("\0")) {
    const path = found.slice("./".length);
    if (path === "") continue;
    const ruled = directoryOfRules(path);
    if (ruled !== undefined) withRules.add(ruled === "" ? directory : prefix + ruled);
    if (filter.takes(path)) taken.push(prefix + path);
  }
  if (tails === undefined) return taken;
  // ripgrep also lists hidden and ignored files that a glob names.
  return ignoreFiles
    ? visibleAmong(taken, { environment, directory, chain, visibility: wanted, withRules })
    : taken.filter((path) => hidden || !hasHiddenName(path.slice(prefix.length)));
}

/** These change the result, so they are always listed: ignore files, and repositories, whose content is skipped. */
const alwaysListedByRipgrep = [".gitignore", ".ignore", ".rgignore", ".git", "HEAD", "!**/.git/*/"];

/** Returns the directory that an ignore file applies to, relative to the start of the search. */
function directoryOfRules(path: string): string | undefined {
  const name = nameOf(path);
  if (name === "HEAD" && nameOf(parentOf(path)) === ".git") return parentOf(parentOf(path));
  return /^\.(?:git|(?:git|rg)?ignore)$/.test(name) ? parentOf(path) : undefined;
}

/** Runs a built-in program; undefined when it is not installed. */
export async function outputOf(
  program: string,
  options: Omit<ProcessStartOptions, "signal" | "confinement">,
  { environment, signal }: FileContext,
): Promise<{ readonly text: string; readonly code: number | undefined } | undefined> {
  try {
    const started = await environment.start(program, { ...options, signal, confinement: "ours" });
    const { workspace } = environment;
    const places = {
      trees: [posix.join(workspace, options.cwd ?? "")],
      directories: program === "git" ? [`${workspace}/.git`] : [],
    };
    const process = refuseBlockingFiles(started, places, { environment, signal });
    const pieces: Uint8Array[] = [];
    for await (const piece of process.stdout) pieces.push(piece);
    const { code } = await process.exit;
    return { text: Buffer.concat(pieces).toString(), code };
  } catch (error) {
    if (error instanceof ToolError && error.code === "unavailable") return undefined;
    throw error;
  }
}

export type FileContext = Pick<ToolContext, "environment" | "signal">;
