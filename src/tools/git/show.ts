import * as z from "zod/mini";
import { ToolError } from "../../contract/error.ts";
import type { Tool } from "../../contract/tool.ts";
import { findRepository } from "../../git/find-repository.ts";
import { refuseHidden } from "../../git/paths.ts";
import { resolveRevision } from "../../git/revisions.ts";
import { type ShownCommit, showCommit } from "./show-commit.ts";
import { type ShownFile, type ShownTree, showPathAt, showTree } from "./show-tree.ts";

export interface GitShowInput {
  readonly revision: string;
  readonly path?: string | undefined;
  readonly stat?: boolean | undefined;
}

export type GitShowData = ShownCommit | ShownFile | ShownTree;

/** Shows a commit, or a file as it was. */
export const gitShow: Tool<GitShowInput, GitShowData> = {
  name: "git.show",
  summary: "See a commit, or with `path` a file or directory as it was then.",
  risk: "read",
  input: z.strictObject({
    revision: z.string().check(z.describe("HEAD~2, v1.0, 1a2b3c4.")),
    path: z.optional(z.string()),
    stat: z.optional(z.boolean().check(z.describe("Only names and line counts."))),
  }),
  limits: { maxChars: 40_000, keep: "head" },
  startsPrograms: true,
  timeoutMs: 120_000,
  accesses: (input) => [{ kind: "read", path: split(input).path ?? "." }],

  async run(input, context) {
    const { revision, path } = split(input);
    const { repository, path: inside } = await findRepository(path ?? ".", context);
    const found = await resolveRevision(revision, repository, context);
    if (path !== undefined) {
      refuseHidden(repository, inside, path, context.environment);
      if (found.commit === undefined) throw noCommit(revision, found.type);
      return showPathAt({ revision, commit: found.commit, path, inside }, repository, context);
    }
    if (found.commit !== undefined)
      return showCommit(found, found.commit, input.stat === true, repository, context);
    // By its hash alone nobody can tell what a blob is called, and whether it may be seen; nor where a tree lies.
    if (found.type === "tree" && repository.below === "")
      return showTree(revision, found.hash, repository, context);
    throw noCommit(revision, found.type);
  },
};

/** `HEAD:src/a.ts` names a path of the repository, too; in braces or after ":/" it is a search in messages. */
function split({ revision, path }: GitShowInput): {
  readonly revision: string;
  readonly path: string | undefined;
} {
  const [, start, named] = /^([^:{}]*(?:\{[^}]*\}[^:{}]*)*):(?!\/)(.+)$/s.exec(revision) ?? [];
  if (named === undefined) return { revision, path };
  if (path !== undefined || start === "" || named.startsWith(":"))
    throw new ToolError("invalid-input", `${revision} names a path, too`, {
      hint: "Give the revision as `revision` and the path, relative to the workspace, as `path`.",
    });
  return { revision: start!, path: named };
}

function noCommit(revision: string, type: string): ToolError {
  return new ToolError("invalid-input", `${revision} is a ${type}, not a commit`, {
    hint: "Give a commit, branch or tag as `revision`, and the file as `path`.",
  });
}
