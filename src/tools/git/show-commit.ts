import type { ToolContext, ToolOutput } from "../../contract/tool.ts";
import type { DiffFile } from "../../git/diff/parse-diff.ts";
import { readDiff, readNumbers } from "../../git/diff/read-diff.ts";
import { type Commit, readLog } from "../../git/log.ts";
import { pathspecs } from "../../git/paths.ts";
import type { Revision } from "../../git/revisions.ts";
import { outputOfGit, type Repository } from "../../git/run-git.ts";
import { printable } from "../../lib/printable.ts";
import { describeWhole } from "./describe-commit.ts";
import { describeDiff, describeNumbers, sums } from "./describe-diff.ts";

export interface ShownCommit {
  readonly kind: "commit";
  readonly commit: Commit;
  /** What the annotated tag says that was asked for. */
  readonly tag?: string;
  /** Of a merge only where it differs from every parent. */
  readonly files: readonly DiffFile[];
  readonly hidden: readonly string[];
}

/** The message and the changes. */
export async function showCommit(
  revision: Revision,
  hash: string,
  isStat: boolean,
  repository: Repository,
  context: ToolContext,
): Promise<ToolOutput<ShownCommit>> {
  const [commit] = await readLog({ revision: hash, limit: 1 }, repository, context);
  const tag = revision.type === "tag" ? await tagText(revision.hash, repository, context) : undefined;
  const isMerge = commit!.parents.length > 1;
  const words = [
    "show",
    "--format=",
    "--no-show-signature",
    "--no-notes",
    ...(isMerge ? ["--cc"] : []),
    hash,
  ];
  const compared = isMerge ? "where the merge differs from every parent" : "against its parent";
  const diff = isStat
    ? { files: await readNumbers(words, [], repository, context), hidden: [], text: "" }
    : await readDiff(
        { words, pathspecs: pathspecs(repository, []), contextLines: 3, maxChars },
        repository,
        context,
      );
  const { files, hidden } = diff;
  const data = { compared, files, hidden, ...sums(files) };
  const kept = "kept" in diff ? diff.kept : undefined;
  const body = isStat ? describeNumbers(data) : describeDiff(data, diff.text, kept !== undefined);
  const other = isMerge
    ? `\n[All that it brought: git.diff with \`commit\` ${hash.slice(0, 9)}~1..${hash.slice(0, 9)}]`
    : "";
  return {
    data: { kind: "commit", commit: commit!, ...(tag !== undefined && { tag }), files, hidden },
    text: `${tag === undefined ? "" : `${tag}\n`}${describeWhole(commit!)}\n\n${body}${other}`,
    ...(kept === undefined ? {} : { kept }),
  };
}

const maxChars = 34_000;

/** "tag v1.0", who made it, and what it says; not its signature. */
async function tagText(hash: string, repository: Repository, context: ToolContext): Promise<string> {
  const raw = (await outputOfGit(repository, ["cat-file", "tag", hash], context)).toString();
  const [head = "", ...message] = raw.split("\n\n");
  const field = (name: string) => new RegExp(`^${name} (.*)$`, "m").exec(head)?.[1] ?? "";
  const tagger = field("tagger").replace(/ \d+ [+-]\d+$/, "");
  const said = message.join("\n\n").replace(/-----BEGIN .*$/s, "");
  return printable([`tag ${field("tag")}`, `Tagger: ${tagger}`, "", said.trimEnd(), ""].join("\n"));
}
