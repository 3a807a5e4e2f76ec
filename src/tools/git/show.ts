import * as z from "zod/mini";
import { ToolError } from "../../contract/error.ts";
import type { Outputs } from "../../contract/output.ts";
import type { Tool, ToolOutput } from "../../contract/tool.ts";
import type { DiffFile } from "../../git/diff/parse-diff.ts";
import { readDiff, readNumbers } from "../../git/diff/read-diff.ts";
import { findRepository } from "../../git/find-repository.ts";
import { type Commit, readLog } from "../../git/log.ts";
import { pathspecs, refuseHidden } from "../../git/paths.ts";
import { type Revision, resolveRevision } from "../../git/revisions.ts";
import { outputOfGit, type Repository } from "../../git/run-git.ts";
import { printable } from "../../lib/text/printable.ts";
import { flag } from "../fields.ts";
import { describeDiff, describeNumbers, describeWhole, sums } from "./describe-commit.ts";
import { type ShownFile, type ShownTree, showPathAt, showTree } from "./show-tree.ts";

export type GitShowData = ShownCommit | ShownFile | ShownTree;

const input = z.strictObject({
  revision: z.string().check(z.describe("HEAD~2, v1.0, 1a2b3c4.")),
  path: z.optional(z.string()),
  stat: flag("Only names and line counts."),
});

export type GitShowInput = z.infer<typeof input>;

export const gitShow: Tool<GitShowInput, GitShowData> = {
  name: "git.show",
  description: "Show a commit, or with `path` a file or directory at that commit.",
  risk: "read",
  input,
  limits: { maxChars: 40_000, keep: "head" },
  startsPrograms: true,
  timeoutMs: 120_000,
  accesses: (input) => [{ kind: "read", path: split(input).path ?? "." }],

  async run(input, context) {
    const { revision, path } = split(input);
    const { repository, path: inside } = await findRepository(path ?? ".", context);
    const found = await resolveRevision(revision, repository);
    if (path !== undefined) {
      refuseHidden(repository, inside, path);
      if (found.commit === undefined) throw noCommit(revision, found.type);
      return showPathAt({ revision, commit: found.commit, path, inside }, repository);
    }
    if (found.commit !== undefined)
      return showCommit(found, found.commit, input.stat === true, repository, context.outputs);
    // The hash of a blob or tree does not show its path, and so not whether it may be read.
    if (found.type === "tree" && repository.below === "") return showTree(revision, found.hash, repository);
    throw noCommit(revision, found.type);
  },
};

/** Splits `HEAD:src/a.ts` into revision and path. A colon in braces or before a slash searches messages instead. */
function split({ revision, path }: GitShowInput): {
  readonly revision: string;
  readonly path: string | undefined;
} {
  const [, start, named] = /^([^:{}]*(?:\{[^}]*\}[^:{}]*)*):(?!\/)(.+)$/s.exec(revision) ?? [];
  if (named === undefined) return { revision, path };
  if (path !== undefined || start === "" || named.startsWith(":"))
    throw new ToolError("invalid-input", `${revision} also names a path`, {
      hint: "Give the revision as `revision` and the path, relative to the workspace, as `path`.",
    });
  return { revision: start!, path: named };
}

function noCommit(revision: string, type: string): ToolError {
  return new ToolError("invalid-input", `${revision} is a ${type}, not a commit`, {
    hint: "Give a commit, branch or tag as `revision`, and the file as `path`.",
  });
}

interface ShownCommit {
  readonly kind: "commit";
  readonly commit: Commit;
  /** The message of the annotated tag that was requested. */
  readonly tag?: string;
  /** The changed files; for a merge, only where it differs from every parent. */
  readonly files: readonly DiffFile[];
  readonly hidden: readonly string[];
}

async function showCommit(
  revision: Revision,
  hash: string,
  isStat: boolean,
  repository: Repository,
  outputs: Outputs,
): Promise<ToolOutput<ShownCommit>> {
  const [commit] = await readLog({ revision: hash, limit: 1 }, repository);
  const tag = revision.type === "tag" ? await tagText(revision.hash, repository) : undefined;
  const isMerge = commit!.parents.length > 1;
  const merge = isMerge ? ["--cc"] : [];
  const words = ["show", "--format=", "--no-show-signature", "--no-notes", ...merge, hash];
  const compared = isMerge ? "where the merge differs from every parent" : "against its parent";
  const diff = isStat
    ? { files: await readNumbers(words, [], repository), hidden: [], text: "" }
    : await readDiff(
        { words, pathspecs: pathspecs(repository, []), contextLines: 3, maxChars },
        repository,
        outputs,
      );
  const { files, hidden } = diff;
  const data = { compared, files, hidden, ...sums(files) };
  const kept = "kept" in diff ? diff.kept : undefined;
  const body = isStat ? describeNumbers(data) : describeDiff(data, diff.text, kept !== undefined);
  const other = isMerge
    ? `\n[All its changes: git.diff with \`revision\` ${hash.slice(0, 9)}~1..${hash.slice(0, 9)}]`
    : "";
  return {
    data: { kind: "commit", commit: commit!, tag, files, hidden },
    text: `${tag === undefined ? "" : `${tag}\n`}${describeWhole(commit!)}\n\n${body}${other}`,
    kept,
  };
}

const maxChars = 34_000;

/** Returns the tag's name, author and message, without its signature. */
async function tagText(hash: string, repository: Repository): Promise<string> {
  const raw = (await outputOfGit(repository, ["cat-file", "tag", hash])).toString();
  const [head = "", ...message] = raw.split("\n\n");
  const field = (name: string) => new RegExp(`^${name} (.*)$`, "m").exec(head)?.[1] ?? "";
  const tagger = field("tagger").replace(/ \d+ [+-]\d+$/, "");
  const text = message.join("\n\n").replace(/-----BEGIN .*$/s, "");
  return printable([`tag ${field("tag")}`, `Tagger: ${tagger}`, "", text.trimEnd(), ""].join("\n"));
}
