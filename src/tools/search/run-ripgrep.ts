import { posix } from "node:path";
import { ToolError } from "../../contract/error.ts";
import type { FileContext } from "../../files/list-files.ts";
import { VisiblePaths } from "../../files/visible-paths.ts";
import { refuseBlockingFiles } from "../../lib/blocking-files.ts";
import { IgnoreChain } from "../../lib/ignore/ignore-chain.ts";
import { OutOfTime } from "../../lib/time-bound.ts";
import type { GrepRequest } from "./grep-request.ts";
import type { GrepResults } from "./grep-results.ts";
import { type Ripgrep, RipgrepSearch } from "./ripgrep-search.ts";
import type { Scope } from "./scope.ts";
import { maxLineChars } from "./search-files.ts";

/** Searches with ripgrep, or returns false. `searchesAgain`: changed files are searched in process. */
export async function runRipgrep(
  scope: Scope,
  request: GrepRequest,
  results: GrepResults,
  context: FileContext,
  options: { readonly searchesAgain: boolean },
): Promise<boolean> {
  // ripgrep cannot exclude lines by a second expression.
  if (request.exclude !== undefined) return false;
  const filter = scope.kind === "file" ? everything : await directoryFilter(scope.path, request, context);
  const process = await startRipgrep(
    searchArguments(request, [scope.path], filter.args),
    context,
    scope.path,
  );
  if (process === undefined) return false;
  results.engine = "ripgrep";
  try {
    await new RipgrepSearch(process, request, results, context, {
      ...options,
      accepts: filter.accepts,
    }).run();
    return true;
  } catch (error) {
    if (!(error instanceof OutOfTime)) throw error;
    return runRipgrep(scope, request, results, context, { searchesAgain: false });
  }
}

/** Returns whether a binary file matches, or undefined without ripgrep. */
export async function testWithRipgrep(
  path: string,
  request: GrepRequest,
  context: FileContext,
): Promise<boolean | undefined> {
  const args = ["--quiet", "--text", ...patternArguments(request, [path])];
  const process = await startRipgrep(args, context, path);
  return process === undefined ? undefined : (await process.exit).code === 0;
}

async function startRipgrep(
  args: readonly string[],
  context: FileContext,
  tree: string,
): Promise<Ripgrep | undefined> {
  try {
    const { environment, signal } = context;
    const process = await environment.start("rg", { args, signal, confinement: "ours" });
    return refuseBlockingFiles(process, { trees: [posix.join(environment.workspace, tree)] }, context);
  } catch (error) {
    if (error instanceof ToolError && error.code === "unavailable") return undefined;
    throw error;
  }
}

interface Filter {
  readonly args: readonly string[];
  accepts(path: string): boolean | Promise<boolean>;
}

/** The filter of a file that was named explicitly, which is searched even if it is ignored or hidden. */
const everything: Filter = { args: [], accepts: () => true };

async function directoryFilter(
  directory: string,
  request: GrepRequest,
  { environment }: FileContext,
): Promise<Filter> {
  const { args, showsHidden, showsIgnored } = request.filter.forRipgrep(directory);
  // Outside a repository, ripgrep would not apply .gitignore files by default.
  const { isInRepository } = await IgnoreChain.at(environment, directory);
  const visible = new VisiblePaths(environment, directory, request);
  const cut = directory === "" ? 0 : directory.length + 1;
  return {
    args: isInRepository ? args : ["--no-require-git", ...args],
    accepts: (path) => {
      const name = path.slice(cut);
      if (!request.filter.takes(name)) return false;
      const isInDoubt = showsIgnored || (showsHidden && !request.hidden && /(?:^|\/)\./.test(name));
      return !isInDoubt || visible.has(path);
    },
  };
}

/**
 * Returns ripgrep's arguments: no user settings, one record per line, paths that end with NUL, long lines cut. Paths
 * begin with "./", so that none looks like a flag.
 */
function searchArguments(
  request: GrepRequest,
  paths: readonly string[],
  filters: readonly string[],
): readonly string[] {
  const { multiline, mode, before, after } = request;
  const limit = Math.min(request.limit, request.maxPerFile);
  const flags = ["--no-heading", "--with-filename", "--null", "--no-context-separator"];
  if (mode === "count" && !multiline) flags.push("--count");
  else flags.push("-n", "-b", "--column", "-M", String(maxLineChars), "--max-columns-preview");
  if (mode === "content") flags.push("-m", String(limit + 1), "-B", String(before), "-A", String(after));
  if (mode === "files") flags.push("-m", "1");
  if (request.hidden) flags.push("--hidden");
  if (!request.ignoreFiles) flags.push("--no-ignore");
  // Git's own folder must not appear among hidden files. Without this glob ripgrep is faster.
  const mayShowHidden = request.hidden || filters.includes("-g") || filters.includes("-t");
  if (mayShowHidden) flags.push("-g", "!.git");
  return [...flags, ...filters, ...patternArguments(request, paths)];
}

function patternArguments(request: GrepRequest, paths: readonly string[]): string[] {
  const flags = ["--no-config", "--color=never"];
  if (request.literal) flags.push("-F");
  if (request.ignoreCase) flags.push("-i");
  if (request.wholeWord) flags.push("-w");
  if (request.multiline) flags.push("-U");
  if (request.regex.crlf) flags.push("--crlf");
  return [...flags, "-e", request.pattern, "--", ...paths.map((path) => `./${path}`)];
}
