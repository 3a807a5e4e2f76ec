import * as z from "zod/mini";
import type { Tool } from "../../contract/tool.ts";
import { findRepository } from "../../git/find-repository.ts";
import type { Change, Status } from "../../git/parse-status.ts";
import { workspacePath } from "../../git/paths.ts";
import type { Repository } from "../../git/run-git.ts";
import { type Operation, type RepositoryState, readStatus } from "../../git/status.ts";
import { describeStatus } from "./describe-status.ts";

export interface GitStatusInput {
  readonly path?: string | undefined;
}

/** Paths are of the workspace. */
export interface GitStatusData extends Status {
  /** The top of the working tree: relative to the workspace, "." for that itself, absolute if above it. */
  readonly repository: string;
  readonly inProgress: readonly Operation[];
  /** Nothing is changed, staged, unmerged or untracked. */
  readonly clean: boolean;
  readonly notes: readonly string[];
}

/** Says what is changed in a repository. */
export const gitStatus: Tool<GitStatusInput, GitStatusData> = {
  name: "git.status",
  summary: "See branch, upstream, staged, changed and untracked files. The changes: git.diff.",
  risk: "read",
  input: z.strictObject({
    path: z.optional(z.string()),
  }),
  limits: { maxChars: 20_000, maxLines: 400, keep: "head" },
  startsPrograms: true,
  timeoutMs: 120_000,
  accesses: ({ path = "." }) => [{ kind: "read", path }],

  async run({ path = "." }, context) {
    const { repository, path: inside } = await findRepository(path, context);
    const state = await readStatus(inside, repository, context);
    const data = dataOf(state, repository);
    return { data, text: describeStatus(data) };
  },
};

function dataOf(state: RepositoryState, repository: Repository): GitStatusData {
  const moved = <Entry extends { readonly path: string }>(entries: readonly Entry[]): readonly Entry[] =>
    entries.flatMap((entry) => {
      const path = workspacePath(repository, entry.path);
      return path === undefined ? [] : [{ ...entry, path }];
    });
  const changes = (entries: readonly Change[]): readonly Change[] =>
    moved(entries).map((change) =>
      // What came from elsewhere in the repository is new here.
      change.from === undefined
        ? change
        : { ...change, from: workspacePath(repository, change.from) ?? change.from },
    );
  const staged = changes(state.staged);
  const unstaged = changes(state.unstaged);
  const unmerged = moved(state.unmerged);
  const untracked = state.untracked.flatMap((path) => workspacePath(repository, path) ?? []);
  return {
    repository: repository.below === "" ? repository.prefix.slice(0, -1) || "." : repository.top,
    branch: state.branch,
    inProgress: state.inProgress,
    clean: staged.length + unstaged.length + unmerged.length + untracked.length === 0,
    staged,
    unstaged,
    unmerged,
    untracked,
    notes: state.notes,
  };
}
