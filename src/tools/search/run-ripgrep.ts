import type { RunningProcess } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import type { ToolContext } from "../../contract/tool.ts";
import { IgnoreChain } from "../../files/ignore-chain.ts";
import { VisiblePaths } from "../../files/visible-paths.ts";
import { OutOfTime } from "../../lib/time-bound.ts";
import type { GrepRequest } from "./grep-request.ts";
import type { GrepResults } from "./grep-results.ts";
import { searchArguments, testArguments } from "./ripgrep-arguments.ts";
import { RipgrepSearch } from "./ripgrep-search.ts";
import type { Scope } from "./scope.ts";

/**
 * Searches with ripgrep, unless there is none: then nothing is done and false given. `searchesAgain`: what it finds is
 * searched for in process, too.
 */
export async function runRipgrep(
  scope: Scope,
  request: GrepRequest,
  results: GrepResults,
  context: ToolContext,
  options: { readonly searchesAgain: boolean },
): Promise<boolean> {
  // It knows no lines that match one expression and not another.
  if (request.exclude !== undefined) return false;
  const filter = scope.kind === "file" ? everything : await directoryFilter(scope.path, request, context);
  const process = await startRipgrep(searchArguments(request, [scope.path], filter.args), context);
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

/** Whether a file that is no text matches; undefined when there is no ripgrep to tell. */
export async function testWithRipgrep(
  path: string,
  request: GrepRequest,
  context: ToolContext,
): Promise<boolean | undefined> {
  const process = await startRipgrep(testArguments(request, path), context);
  return process === undefined ? undefined : (await process.exit).code === 0;
}

async function startRipgrep(
  args: readonly string[],
  context: ToolContext,
): Promise<RunningProcess | undefined> {
  try {
    return await context.environment.start("rg", { args, signal: context.signal, confinement: "ours" });
  } catch (error) {
    if (error instanceof ToolError && error.code === "unavailable") return undefined;
    throw error;
  }
}

interface Filter {
  readonly args: readonly string[];
  accepts(path: string): boolean | Promise<boolean>;
}

/** A file that was named itself is searched whatever its name. */
const everything: Filter = { args: [], accepts: () => true };

async function directoryFilter(
  directory: string,
  request: GrepRequest,
  { environment }: ToolContext,
): Promise<Filter> {
  const { args, showsHidden, showsIgnored } = request.filter.forRipgrep(directory);
  // Outside of repositories ripgrep would not read what was written for git.
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
