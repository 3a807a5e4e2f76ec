import { posix } from "node:path";
import { ToolError } from "../contract/error.ts";
import { undefinedUnlessExhausted } from "../lib/exhaustion.ts";
import { printableLine } from "../lib/text/printable.ts";
import { throughFilters } from "./filters.ts";
import { findRepository } from "./find-repository.ts";
import { statusArguments } from "./names.ts";
import { type Change, parseStatus, type Status, type SubmoduleChange } from "./parse-status.ts";
import { pathspecs } from "./paths.ts";
import { type GitOptions, outputOfGit, type Repository } from "./run-git.ts";

export interface RepositoryState extends Status {
  readonly inProgress: readonly Operation[];
  /** Sentences about parts that were not checked. */
  readonly notes: readonly string[];
}

export type Operation = "merge" | "rebase" | "cherry-pick" | "revert" | "bisect";

export async function readStatus(path: string, repository: Repository): Promise<RepositoryState> {
  const [first, inProgress] = await Promise.all([statusOf(path, repository), operationsIn(repository)]);
  const { status, notes } = await filtered(path, first, repository);
  const inside = await submoduleStates(path, repository);
  return {
    ...status,
    unstaged: withSubmodules(status.unstaged, inside.states),
    inProgress,
    notes: [...notes, ...inside.notes],
  };
}

/** Checks files that look changed again with their filters, if the rules allow those. */
async function filtered(
  path: string,
  status: Status,
  repository: Repository,
): Promise<{ readonly status: Status; readonly notes: readonly string[] }> {
  const changed = status.unstaged.map((change) => change.path);
  const { used, result, notes } = await throughFilters(changed, repository, (options) =>
    statusOf(path, repository, options),
  );
  if (result === undefined) return { status, notes };
  // The sandbox hides secrets, which look changed there: only files with a filter count.
  const compared = new Set(used.flatMap(({ paths }) => paths));
  const stillChanged = new Set(result.unstaged.map((change) => change.path));
  const unstaged = status.unstaged.filter(
    (change) => !compared.has(change.path) || stillChanged.has(change.path),
  );
  return { status: { ...status, unstaged }, notes };
}

/** Finds operations by files in git's directory; if that is outside the workspace, by the commits they name. */
export async function operationsIn(repository: Repository): Promise<readonly Operation[]> {
  const { environment } = repository;
  const found = new Set<Operation>();
  const directory = await environment.openDirectory(repository.gitDirectory).catch(undefinedUnlessExhausted);
  if (directory === undefined) {
    const names = Object.keys(marks).filter((name) => name.endsWith("_HEAD"));
    const input = Buffer.from(names.map((name) => `${name}\n`).join(""));
    const printed = await outputOfGit(repository, ["cat-file", "--batch-check"], { input });
    const lines = printed.toString().split("\n");
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

async function statusOf(path: string, repository: Repository, options: GitOptions = {}): Promise<Status> {
  const args = [...statusArguments("normal", "--find-renames"), ...pathspecs(repository, [path])];
  return parseStatus((await outputOfGit(repository, args, options)).toString());
}

interface Submodules {
  /** By git's paths; only submodules with changes. */
  readonly states: ReadonlyMap<string, readonly SubmoduleChange[]>;
  readonly notes: readonly string[];
}

/** Finds the changes inside submodules, each checked as a separate repository. */
export async function submoduleStates(path: string, repository: Repository): Promise<Submodules> {
  const { environment } = repository;
  const file = posix.join(repository.top, ".gitmodules");
  const info = await environment.info(file, { followLinks: false }).catch(undefinedUnlessExhausted);
  if (info?.kind !== "file") return { states: new Map(), notes: [] };
  const listing = ["config", "-z", "-f", file, "--get-regexp", "^submodule\\..*\\.path$"];
  const listed = await outputOfGit(repository, listing).catch(() => Buffer.of());
  const all = listed
    .toString()
    .split("\0")
    .flatMap((entry) => /\n(.+)$/s.exec(entry)?.[1] ?? [])
    .filter((name) => path === "" || name === path || name.startsWith(`${path}/`));
  const states = new Map<string, readonly SubmoduleChange[]>();
  const notes: string[] = [];
  for (const name of all.slice(0, maxSubmodules)) {
    try {
      const state = await stateOf(name, repository);
      if (state.length > 0) states.set(name, state);
    } catch (error) {
      if (!(error instanceof ToolError) || error.code === "cancelled") throw error;
      notes.push(printableLine(`The submodule ${name} was not checked: ${error.message}.`));
    }
  }
  if (all.length > maxSubmodules)
    notes.push(`Only ${maxSubmodules} of ${all.length} submodules were checked: give the path of one.`);
  return { states, notes };
}

const maxSubmodules = 50;

async function stateOf(name: string, repository: Repository): Promise<readonly SubmoduleChange[]> {
  const { top } = repository;
  const wanted = posix.join(top, name);
  const found = await findRepository(wanted, repository);
  // The submodule is not checked out, or it is the repository itself.
  if (found.repository.top !== wanted || wanted === top) return [];
  const { staged, unstaged, unmerged, untracked } = await statusOf("", found.repository);
  return [
    ...(staged.length + unstaged.length + unmerged.length > 0 ? (["modified content"] as const) : []),
    ...(untracked.length > 0 ? (["untracked files"] as const) : []),
  ];
}

function withSubmodules(changes: readonly Change[], states: Submodules["states"]): readonly Change[] {
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
