import * as z from "zod/mini";
import { ToolError } from "../../contract/error.ts";
import type { Outputs } from "../../contract/output.ts";
import type { OutputLimits, Tool, ToolOutput } from "../../contract/tool.ts";
import type { DiffFile } from "../../git/diff/parse-diff.ts";
import { readDiff, readNumbers } from "../../git/diff/read-diff.ts";
import { throughFilters } from "../../git/filters.ts";
import { findTogether } from "../../git/find-repository.ts";
import { gitPath, pathspecs, workspacePath } from "../../git/paths.ts";
import { requireKnown, resolveRange } from "../../git/revisions.ts";
import type { GitOptions, Repository } from "../../git/run-git.ts";
import { submoduleStates } from "../../git/status.ts";
import { showPath } from "../../lib/text/printable.ts";
import { refuseFault } from "../edit/replace-fields.ts";
import { amount, flag, string } from "../fields.ts";
import { describeDiff, describeNumbers, sums } from "./describe-commit.ts";

export interface GitDiffData {
  /** The compared revisions, as passed to git. */
  readonly compared: string;
  readonly files: readonly DiffFile[];
  readonly additions: number;
  readonly deletions: number;
  /** Files that were left out because a rule hides them. */
  readonly hidden: readonly string[];
  readonly notes: readonly string[];
}

const limits: OutputLimits = { maxChars: 40_000, keep: "head" };

const fields = z.strictObject({
  staged: z.optional(z.boolean()),
  revision: string("Branch, tag, commit, or main..topic."),
  commit: string("The same as `revision`."),
  paths: z.optional(z.array(z.string()).check(z.minLength(1), z.maxLength(200))),
  stat: flag("Only names and line counts."),
  context: amount(0, 1000, "Lines of context. Default 3."),
});

export type GitDiffInput = z.infer<typeof fields>;

export const gitDiff: Tool<GitDiffInput, GitDiffData> = {
  name: "git.diff",
  description:
    "Show changes as a diff: of the working tree, `staged`, or against a `revision`. For untracked files use git.status.",
  risk: "read",
  input: fields.check(
    refuseFault(({ revision, commit }) =>
      revision !== undefined && commit !== undefined ? "give `revision` only" : undefined,
    ),
  ),
  limits,
  startsPrograms: true,
  timeoutMs: 120_000,
  accesses: ({ paths = ["."] }) => paths.map((path) => ({ kind: "read", path })),

  async run({ commit, revision = commit, ...others }, context) {
    const input = { ...others, revision };
    const { repository, paths } = await findTogether(input.paths ?? ["."], context);
    const range = revision === undefined ? undefined : await resolveRange(revision, repository);
    if (range?.includes("..") && input.staged)
      throw new ToolError("invalid-input", "`staged` cannot be combined with a range of commits", {
        hint: "Leave out `staged`, or give one commit.",
      });
    const named = paths.map((path, at) => ({ path, given: input.paths?.[at] ?? "." }));
    await requireKnown(named, range?.split(/\.{2,3}/) ?? [], repository);
    const wanted = {
      words: ["diff", ...(input.staged ? ["--cached"] : []), ...(range === undefined ? [] : [range])],
      paths,
      input,
    };
    const output = await compare(wanted, repository, context.outputs);
    if (input.staged || range?.includes("..")) return output;
    return filtered(output, wanted, repository, context.outputs);
  },
};

interface Wanted {
  readonly words: readonly string[];
  /** The paths as git names them. */
  readonly paths: readonly string[];
  readonly input: GitDiffInput;
}

async function compare(
  { words, paths, input }: Wanted,
  repository: Repository,
  outputs: Outputs,
  options: GitOptions = {},
): Promise<ToolOutput<GitDiffData>> {
  const compared = describeCompared(input);
  if (input.stat) {
    const files = await readNumbers(words, paths, repository, options);
    const data = { compared, files, ...sums(files), hidden: [], notes: [] };
    return { data, text: describeNumbers(data) };
  }
  const diff = await readDiff(
    {
      words,
      pathspecs: pathspecs(repository, paths),
      contextLines: input.context ?? 3,
      maxChars: limits.maxChars * shownPart,
    },
    repository,
    outputs,
    options,
  );
  const { text, kept, files, hidden } = diff;
  const data = { compared, files, ...sums(files), hidden, notes: [] };
  return { data, text: describeDiff(data, text, kept !== undefined), kept };
}

/** The diff gets this share of the output. The rest is for the list of files. */
const shownPart = 0.9;

/** Compares files again through their filters, if the rules allow it, when only the filter is missing. */
async function filtered(
  output: ToolOutput<GitDiffData>,
  wanted: Wanted,
  repository: Repository,
  outputs: Outputs,
): Promise<ToolOutput<GitDiffData>> {
  const changed = output.data.files.map(({ path }) => gitPath(repository, path));
  const { result = output, notes: ofFilters } = await throughFilters(changed, repository, (options) =>
    compare(wanted, repository, outputs, options),
  );
  const notes = [...ofFilters, ...(await changedSubmodules(wanted.paths, repository))];
  return {
    ...result,
    data: { ...result.data, notes },
    text: [result.text, ...notes.map((note) => `[${note}]`)].join("\n"),
  };
}

/** Names submodules with changes. The changes themselves belong to another repository and are not shown. */
async function changedSubmodules(
  paths: readonly string[],
  repository: Repository,
): Promise<readonly string[]> {
  const notes = new Set<string>();
  for (const path of paths.includes("") ? [""] : paths) {
    const inside = await submoduleStates(path, repository);
    for (const [name, state] of inside.states) {
      const shown = workspacePath(repository, name);
      if (shown === undefined || !state.includes("modified content")) continue;
      notes.add(`The submodule ${showPath(shown)} has modified content: give it as path to see it.`);
    }
    for (const note of inside.notes) notes.add(note);
  }
  return [...notes];
}

function describeCompared({ staged, revision }: GitDiffInput): string {
  if (revision?.includes("..")) return revision;
  return `${staged ? "index" : "working tree"} against ${revision ?? (staged ? "HEAD" : "index")}`;
}
