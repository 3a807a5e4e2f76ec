import { ToolError } from "../../contract/error.ts";
import type { ToolContext } from "../../contract/tool.ts";
import { OutOfTime } from "../../lib/time-bound.ts";
import { type Budget, DirectorySearch, type InProcessSearch } from "./directory-search.ts";
import { FileSearch } from "./file-search.ts";
import type { GrepRequest } from "./grep-request.ts";
import { GrepResults } from "./grep-results.ts";
import { runRipgrep } from "./run-ripgrep.ts";
import type { Scope } from "./scope.ts";

/**
 * So much is searched in process first: it costs less than starting ripgrep, and most searches end here. If not, what
 * was found is kept and ripgrep searches the rest; without ripgrep the search goes on in process.
 */
export const usualBudget: Budget = { files: 800, bytes: 16 * 1024 * 1024 };
const noBudget = { files: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY };

/** Gives the same answer with and without ripgrep. */
export async function search(
  scope: Scope,
  request: GrepRequest,
  context: ToolContext,
  budget: Budget,
): Promise<GrepResults> {
  const results = new GrepResults(request);
  const inProcess: InProcessSearch =
    scope.kind === "file"
      ? new FileSearch(scope, request, results, context)
      : new DirectorySearch(scope.path, request, results, context);
  try {
    const first = await attempt(inProcess.run(budget));
    if (first === "done") return results;
    const searchesAgain = first === "unfinished" && request.regex.untranslatable === undefined;
    const hasPath = scope.kind === "directory" || !scope.isOutput;
    if (hasPath && (await runRipgrep(scope, request, results, context, { searchesAgain }))) return results;
    if (request.regex.untranslatable !== undefined) throw onlyForRipgrep(request.regex.untranslatable, scope);
    const second = first === "unfinished" ? await attempt(inProcess.run(noBudget)) : first;
    if (second === "done") return results;
    throw takesTooLong();
  } finally {
    await inProcess.close();
  }
}

async function attempt(run: Promise<boolean>): Promise<"done" | "unfinished" | "too-slow"> {
  try {
    return (await run) ? "done" : "unfinished";
  } catch (error) {
    if (error instanceof OutOfTime) return "too-slow";
    throw error;
  }
}

function onlyForRipgrep(reason: string, scope: Scope): ToolError {
  const why =
    scope.kind === "file" && scope.isOutput ? "which cannot search kept outputs" : "which is not available";
  return new ToolError("unsupported", `Only ripgrep, ${why}, understands this pattern: ${reason}`, {
    hint: "Use a simpler pattern, or several calls.",
  });
}

function takesTooLong(): ToolError {
  return new ToolError("timeout", "Searching for this pattern takes too long without ripgrep", {
    hint: "Avoid repetitions inside repetitions such as (a+)+, or search for a part of it with literal set to true.",
  });
}
