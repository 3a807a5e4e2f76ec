import { posix } from "node:path";
import type { Directory, Environment } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import type { PathGuard } from "../../contract/guard.ts";

export type Lister = Pick<Environment, "workspace" | "openDirectory">;

/**
 * For each directory, something below it that must not be read, or undefined if there is nothing. A directory that would
 * take too long to search is left out: then nobody knows.
 */
export async function refusedBelow(
  directories: readonly string[],
  environment: Lister,
  guard: PathGuard,
): Promise<ReadonlyMap<string, string | undefined>> {
  const found = new Map<string, string | undefined>();
  const budget = { entries: maxEntries };
  for (const path of directories) {
    const result = await search(path, environment, guard, budget);
    if (result !== "not searched") found.set(path, result.refused);
  }
  return found;
}

const maxEntries = 20_000;

async function search(
  path: string,
  environment: Lister,
  guard: PathGuard,
  budget: { entries: number },
): Promise<{ readonly refused: string | undefined } | "not searched"> {
  const open = await environment.openDirectory(path).catch(whyNot);
  if (open === "not there" || open === "not searched")
    return open === "not there" ? { refused: undefined } : open;
  try {
    return await searchBelow(open, environment.workspace, guard, budget);
  } finally {
    open.close();
  }
}

async function searchBelow(
  directory: Directory,
  workspace: string,
  guard: PathGuard,
  budget: { entries: number },
): Promise<{ readonly refused: string | undefined } | "not searched"> {
  const entries = await directory.entries();
  budget.entries -= entries.length;
  if (budget.entries < 0) return "not searched";
  for (const { name, kind } of entries) {
    const path = posix.join(workspace, directory.path, name);
    if (kind !== "directory" && guard("read", path) !== undefined) return { refused: path };
  }
  for (const { name, kind } of entries) {
    if (kind !== "directory") continue;
    const inner = await directory.openDirectory(name).catch(whyNot);
    if (inner === "not searched") return inner;
    if (inner === "not there") continue;
    try {
      const result = await searchBelow(inner, workspace, guard, budget);
      if (result === "not searched" || result.refused !== undefined) return result;
    } finally {
      inner.close();
    }
  }
  return { refused: undefined };
}

/** A file, which has nothing below it, was judged itself. */
function whyNot(error: unknown): "not there" | "not searched" {
  if (!(error instanceof ToolError)) throw error;
  return error.code === "not-found" || error.code === "unsupported" ? "not there" : "not searched";
}
