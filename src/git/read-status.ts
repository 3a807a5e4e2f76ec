import { throughFilters } from "./filters-of.ts";
import type { Status } from "./parse-status.ts";
import { type GitContext, outputOfGit, type Repository } from "./run-git.ts";
import { statusOf } from "./status-of.ts";
import { submoduleStates, withSubmodules } from "./submodule-states.ts";

/** The state of a repository, or of what lies at one of its paths. */
export interface RepositoryState extends Status {
  /** "merge", "rebase", "cherry-pick", "revert", "bisect": what somebody has begun and not ended. */
  readonly inProgress: readonly Operation[];
  /** What was not looked at, in sentences. */
  readonly notes: readonly string[];
}

export type Operation = "merge" | "rebase" | "cherry-pick" | "revert" | "bisect";

export async function readStatus(
  path: string,
  repository: Repository,
  context: GitContext,
): Promise<RepositoryState> {
  const [first, inProgress] = await Promise.all([
    statusOf(path, repository, context),
    operationsIn(repository, context),
  ]);
  const { status, notes } = await filtered(path, first, repository, context);
  const inside = await submoduleStates(path, repository, context);
  return {
    ...status,
    unstaged: withSubmodules(status.unstaged, inside.states),
    inProgress,
    notes: [...notes, ...inside.notes],
  };
}

/** Files that look changed and go through a filter are looked at again with it, where the rules let it run. */
async function filtered(
  path: string,
  status: Status,
  repository: Repository,
  context: GitContext,
): Promise<{ readonly status: Status; readonly notes: readonly string[] }> {
  const changed = status.unstaged.map((change) => change.path);
  const { used, result, notes } = await throughFilters(changed, repository, context, (options) =>
    statusOf(path, repository, context, options),
  );
  if (result === undefined) return { status, notes };
  // The sandbox hides secrets, which look changed there: only the files in question count.
  const compared = new Set(used.flatMap(({ paths }) => paths));
  const stillChanged = new Set(result.unstaged.map((change) => change.path));
  const unstaged = status.unstaged.filter(
    (change) => !compared.has(change.path) || stillChanged.has(change.path),
  );
  return { status: { ...status, unstaged }, notes };
}

/** Told by files in git's own directory; of one outside the workspace by the commits it names. */
export async function operationsIn(
  repository: Repository,
  context: GitContext,
): Promise<readonly Operation[]> {
  const { environment } = context;
  const found = new Set<Operation>();
  const directory = await environment.openDirectory(repository.gitDirectory).catch(() => undefined);
  if (directory === undefined) {
    const names = Object.keys(marks).filter((name) => name.endsWith("_HEAD"));
    const input = Buffer.from(names.map((name) => `${name}\n`).join(""));
    const said = await outputOfGit(repository, ["cat-file", "--batch-check"], context, { input });
    const lines = said.toString().split("\n");
    for (const [at, name] of names.entries()) if (!lines[at]?.endsWith(" missing")) found.add(marks[name]!);
    return [...found];
  }
  try {
    for (const { name } of await directory.entries()) {
      const operation = marks[name];
      if (operation !== undefined) found.add(operation);
    }
  } finally {
    directory.close();
  }
  return [...found];
}

const marks: Readonly<Record<string, Operation>> = {
  MERGE_HEAD: "merge",
  CHERRY_PICK_HEAD: "cherry-pick",
  REVERT_HEAD: "revert",
  REBASE_HEAD: "rebase",
  "rebase-merge": "rebase",
  "rebase-apply": "rebase",
  BISECT_LOG: "bisect",
};
