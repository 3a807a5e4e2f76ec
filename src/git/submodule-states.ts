import { posix } from "node:path";
import { ToolError } from "../contract/error.ts";
import { printableLine } from "../lib/printable.ts";
import { findRepository } from "./find-repository.ts";
import type { Change, SubmoduleChange } from "./parse-status.ts";
import { type GitContext, outputOfGit, type Repository } from "./run-git.ts";
import { statusOf } from "./status-of.ts";

export interface Submodules {
  /** By git's paths; none of those in which nothing is changed. */
  readonly states: ReadonlyMap<string, readonly SubmoduleChange[]>;
  readonly notes: readonly string[];
}

/** What is changed inside submodules, each looked at as the repository that it is. */
export async function submoduleStates(
  path: string,
  repository: Repository,
  context: GitContext,
): Promise<Submodules> {
  const { environment } = context;
  const file = posix.join(repository.top, ".gitmodules");
  const info = await environment.info(file, { followLinks: false }).catch(() => undefined);
  if (info?.kind !== "file") return { states: new Map(), notes: [] };
  const listing = ["config", "-z", "-f", file, "--get-regexp", "^submodule\\..*\\.path$"];
  const listed = await outputOfGit(repository, listing, context).catch(() => Buffer.of());
  const all = listed
    .toString()
    .split("\0")
    .flatMap((entry) => /\n(.+)$/s.exec(entry)?.[1] ?? [])
    .filter((name) => path === "" || name === path || name.startsWith(`${path}/`));
  const states = new Map<string, readonly SubmoduleChange[]>();
  const notes: string[] = [];
  for (const name of all.slice(0, maxSubmodules)) {
    try {
      const state = await stateOf(name, repository, context);
      if (state.length > 0) states.set(name, state);
    } catch (error) {
      if (!(error instanceof ToolError) || error.code === "cancelled") throw error;
      notes.push(printableLine(`The submodule ${name} was not looked into: ${error.message}.`));
    }
  }
  if (all.length > maxSubmodules)
    notes.push(`Of ${all.length} submodules only ${maxSubmodules} were looked into: give the path of one.`);
  return { states, notes };
}

const maxSubmodules = 50;

async function stateOf(
  name: string,
  { top }: Repository,
  context: GitContext,
): Promise<readonly SubmoduleChange[]> {
  const wanted = posix.join(top, name);
  const found = await findRepository(wanted, context);
  // It is not checked out, or is the repository itself.
  if (found.repository.top !== wanted || wanted === top) return [];
  const { staged, unstaged, unmerged, untracked } = await statusOf("", found.repository, context);
  return [
    ...(staged.length + unstaged.length + unmerged.length > 0 ? (["modified content"] as const) : []),
    ...(untracked.length > 0 ? (["untracked files"] as const) : []),
  ];
}

/** Adds them to what is changed in the repository itself. */
export function withSubmodules(changes: readonly Change[], states: Submodules["states"]): readonly Change[] {
  const known = changes.map((change): Change => {
    const inside = states.get(change.path);
    return inside === undefined ? change : { ...change, submodule: [...(change.submodule ?? []), ...inside] };
  });
  const paths = new Set(changes.map(({ path }) => path));
  const others = Array.from(states, ([path, submodule]): Change[] =>
    paths.has(path) ? [] : [{ path, change: "modified", submodule }],
  ).flat();
  return [...known, ...others];
}
