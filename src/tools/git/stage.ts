import { posix } from "node:path";
import * as z from "zod/mini";
import type { ToolAccess } from "../../contract/access.ts";
import { ToolError } from "../../contract/error.ts";
import type { Tool } from "../../contract/tool.ts";
import {
  type FoundPath,
  findRepository,
  findTogether,
  findWritable,
  type KnownTops,
  requireWritable,
} from "../../git/find-repository.ts";
import { shownChanges, stagedByNames } from "../../git/names.ts";
import type { Change } from "../../git/parse-status.ts";
import type { GitContext, Repository } from "../../git/run-git.ts";
import { type Staging, stage, unstage } from "../../git/stage.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { showPath } from "../../lib/text/printable.ts";

export interface GitStageData {
  /** The number of files that this call staged or unstaged. */
  readonly files: number;
  /** Everything the next commit will change. */
  readonly staged: readonly Change[];
  /** The paths that were left out, and why. */
  readonly notes: readonly string[];
}

const input = z.strictObject({
  paths: z.optional(
    z.array(z.string()).check(z.minLength(1), z.maxLength(1000), z.describe("Exact paths, not patterns.")),
  ),
  all: z.optional(z.boolean()),
  unstage: z.optional(z.boolean()),
});

export type GitStageInput = z.infer<typeof input>;

export const gitStage: Tool<GitStageInput, GitStageData> = {
  name: "git.stage",
  description:
    "Stage `paths` or `all` changes for the next commit, or `unstage` them. Does not change files.",
  risk: "write",
  hints: { idempotent: true },
  startsPrograms: true,
  input,
  limits: { maxChars: 10_000, keep: "head" },
  // A path does not show where its repository begins, so the index of another repository is checked later.
  accesses: ({ paths = ["."], unstage: isBack }) => [
    { kind: "write", path: ".git/index", by: "git" },
    ...(isBack ? [] : paths.map((path): ToolAccess => ({ kind: "read", path }))),
  ],

  async run(input, context) {
    const { repository, paths } = await resolvePaths(input, context);
    context.progress(input.unstage ? "Unstaging" : "Staging");
    const { files, notes } = input.unstage
      ? await unstage(paths, repository)
      : await stage(paths, repository);
    const staged = shownChanges(await stagedByNames(repository), repository);
    const data = { files, staged, notes };
    if (files > 0) context.uncovered("what is staged: git.stage stages and, with `unstage`, unstages");
    return { data, text: describe(data, input) };
  },
};

/** Returns the paths as git names them; none means all. All paths must belong to one repository. */
async function resolvePaths(
  { paths = [], all = false }: GitStageInput,
  context: GitContext,
): Promise<{ readonly repository: Repository; readonly paths: readonly string[] }> {
  if (all === paths.length > 0)
    throw new ToolError(
      "invalid-input",
      all ? "Both `paths` and `all` were given" : "Neither `paths` nor `all` was given",
      { hint: "Give `paths`, or `all: true` for everything that has changed." },
    );
  if (all) return { ...(await findWritable(".", context)), paths: [] };
  const found = await findTogether(paths, context, repositoryOf);
  await requireWritable(found.repository);
  return found;
}

/** Returns the repository of a path. The top folder of a nested repository belongs to the outer one, as a submodule. */
async function repositoryOf(path: string, context: GitContext, known: KnownTops): Promise<FoundPath> {
  const inner = await findRepository(path, context, known);
  const { directory } = inner.repository;
  if (inner.path !== "" || directory === "") return inner;
  try {
    const outer = await findRepository(posix.dirname(directory), context, known);
    return { ...outer, path: posix.join(outer.path, posix.basename(directory)) };
  } catch (error) {
    if (error instanceof ToolError && error.code === "not-found") return inner;
    throw error;
  }
}

function describe(
  { files, staged, notes }: Staging & GitStageData,
  { unstage: isBack }: GitStageInput,
): string {
  const done = isBack ? "Unstaged" : "Staged";
  const unchanged = isBack ? "Nothing was staged there." : "Nothing to stage: nothing has changed there.";
  const nothing = notes.length === 0 ? unchanged : `Nothing was ${done.toLowerCase()}.`;
  return [
    files === 0 ? nothing : `${done} ${counted(files, "file")}.`,
    ...notes,
    staged.length === 0
      ? "Nothing is staged now."
      : `Staged now, ${counted(staged.length, "change")} for git.commit:`,
    ...staged.map(showChange),
  ].join("\n");
}

/** Shows one changed file as a line: "renamed a.ts → b.ts". */
function showChange({ change, path, from }: Change): string {
  return `  ${change} ${from === undefined ? "" : `${showPath(from)} → `}${showPath(path)}`;
}
