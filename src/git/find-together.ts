import { ToolError } from "../contract/error.ts";
import { type FoundPath, findRepository, type KnownTops } from "./find-repository.ts";
import type { GitContext, Repository } from "./run-git.ts";

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
