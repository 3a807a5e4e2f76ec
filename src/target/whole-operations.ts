import type { Environment, SearchOptions } from "../contract/environment.ts";
import { ToolError } from "../contract/error.ts";
import type { ListedTree, ListWanted, SearchFound, SearchWanted } from "../contract/whole-operations.ts";
import { overrideEnvironment } from "../lib/override-environment.ts";
import { withSlash } from "../system/workspace-path.ts";
import { listAll } from "../tools/file/list-tree.ts";
import { searchAll, usualBudget } from "../tools/search/grep-search.ts";

/** Implements Environment.list on the environment of this machine. */
export function listWhole(
  environment: Environment,
  wanted: ListWanted,
  signal: AbortSignal,
): Promise<ListedTree> {
  return listAll(wanted, { environment, signal });
}

/** Implements Environment.search on the environment of this machine. */
export async function searchWhole(
  environment: Environment,
  wanted: SearchWanted,
  { without, signal }: SearchOptions,
): Promise<SearchFound> {
  const context = { environment: onlyByOwnPath(environment), signal };
  const { skipped, ...found } = await searchAll(wanted, context, { ...usualBudget, without });
  const characters = found.hits.reduce((sum, { path, lines }) => sum + path.length + charactersIn(lines), 0);
  if (characters > maxCharacters)
    throw new ToolError("too-large", "The search has more than 10 MB of results", {
      hint: "Use a longer pattern, or a lower `limit`.",
    });
  const { unreadable, guarded, partly, tooLarge } = skipped;
  return {
    ...found,
    skipped: {
      ...{ unreadable: [...unreadable], guarded: [...guarded] },
      ...{ partly: [...partly], tooLarge: [...tooLarge] },
    },
  };
}

/** In JSON a character can take six bytes, and a message has at most 64 MiB of text. */
const maxCharacters = 10 * 1024 * 1024;

function charactersIn(lines: SearchFound["hits"][number]["lines"]): number {
  return lines.reduce((sum, { text }) => sum + text.length + 50, 0);
}

/**
 * Returns an environment whose files are read only by their real paths. The client decides by the path of a result whether
 * its rules allow it, and a link that is swapped in during the search would give a file the path of another.
 */
function onlyByOwnPath(environment: Environment): Environment {
  const root = withSlash(environment.workspace);
  const reaching = (path: string) => ({
    reached: (realPath: string) => {
      if (realPath !== root + path) throw new ToolError("not-found", `${path} is a link`);
    },
  });
  return overrideEnvironment(environment, {
    readFile: (path, options) => environment.readFile(path, { ...options, ...reaching(path) }),
    readBytes: (path, range) => environment.readBytes(path, { ...range, ...reaching(path) }),
    readLines: (path, range, signal) => environment.readLines(path, { ...range, ...reaching(path) }, signal),
  });
}
