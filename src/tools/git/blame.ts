import * as z from "zod/mini";
import { ToolError } from "../../contract/error.ts";
import type { Tool } from "../../contract/tool.ts";
import { explainFailure } from "../../git/explain-failure.ts";
import { findRepository } from "../../git/find-repository.ts";
import { type BlamedCommit, type BlameGroup, notCommitted, parseBlame } from "../../git/parse-blame.ts";
import { refuseHidden } from "../../git/paths.ts";
import { resolveCommit } from "../../git/revisions.ts";
import { runGit } from "../../git/run-git.ts";
import { printableLine, showPath } from "../../lib/text/printable.ts";
import { string } from "../fields.ts";

export interface GitBlameData {
  readonly path: string;
  /** Groups of adjacent lines with the same commit, in line order. */
  readonly groups: readonly BlameGroup[];
  /** The commits of the groups. A hash of zeros means that the lines are not committed. */
  readonly commits: readonly BlamedCommit[];
}

const input = z.strictObject({
  path: z.string(),
  first_line: z.optional(z.int().check(z.minimum(1), z.describe("First and last line, from 1."))),
  last_line: z.optional(z.int().check(z.minimum(1))),
  revision: string("Default: the working tree."),
});

export const gitBlame: Tool<z.infer<typeof input>, GitBlameData> = {
  name: "git.blame",
  description: "Show which commit last changed each line of a file: author, date and message.",
  risk: "read",
  input,
  limits: { maxChars: 40_000, keep: "head" },
  startsPrograms: true,
  timeoutMs: 120_000,
  accesses: ({ path }) => [{ kind: "read", path }],

  async run({ path, first_line: first = 1, last_line: last = first + usualLines - 1, revision }, context) {
    if (last < first)
      throw new ToolError("invalid-input", `last_line ${last} is before first_line ${first}`, {
        hint: "Swap them.",
      });
    const { repository, path: inside } = await findRepository(path, context);
    refuseHidden(repository, inside, path);
    const commit = revision === undefined ? [] : [await resolveCommit(revision, repository)];
    const range = `-L${first},${last}`;
    // Without these options, git could run a filter, or print the lines of any file that its settings name.
    const safeOptions = ["--no-textconv", "--no-ignore-revs-file"];
    const args = ["blame", "--porcelain", ...safeOptions, range, ...commit];
    const named = inside.slice(repository.below.length);
    const { stdout, stderr, code } = await runGit(repository, [...args, "--", named]);
    const isEmpty = first === 1 && /has only 0 lines/.test(stderr);
    if (code !== 0 && !isEmpty) throw explainBlame(stderr, code, { path, first, revision });
    const { groups, commits } = parseBlame(stdout.toString(), inside);
    const end = groups.at(-1);
    const lastShown = end === undefined ? 0 : end.firstLine + end.lines.length - 1;
    const data = { path, groups, commits };
    return {
      data,
      text: describe(data),
      continuation:
        lastShown === last
          ? `Lines ${first} to ${last}; continue with \`first_line\` ${last + 1}.`
          : undefined,
    };
  },
};

const usualLines = 500;

function describe({ groups, commits }: GitBlameData): string {
  if (groups.length === 0) return "[The file is empty.]";
  const known = new Map(commits.map((commit) => [commit.hash, commit]));
  return groups
    .map(({ commit, firstLine, lines, from }) => {
      const earlier = from === undefined ? "" : `, then ${showPath(from)}`;
      const head = `[${describeCommit(known.get(commit)!)}${earlier}]`;
      return [head, ...lines.map((line, index) => `${firstLine + index} | ${line}`)].join("\n");
    })
    .join("\n");
}

function describeCommit({ hash, author, date, subject }: BlamedCommit): string {
  if (notCommitted.test(hash)) return "not committed";
  return printableLine(`${hash.slice(0, 9)} ${date.slice(0, 10) || "date unknown"} ${author}: ${subject}`);
}

function explainBlame(
  stderr: string,
  code: number | undefined,
  {
    path,
    first,
    revision,
  }: { readonly path: string; readonly first: number; readonly revision: string | undefined },
): ToolError {
  const [, lines] = /has only (\d+) lines?/.exec(stderr) ?? [];
  if (lines !== undefined)
    return new ToolError("invalid-input", `${path} has ${lines} lines; line ${first} is past its end`, {
      hint: lines === "0" ? "Leave out `first_line`: the file is empty." : `Use lines from 1 to ${lines}.`,
    });
  if (/no such path/.test(stderr)) {
    const where = revision === undefined ? "is not in the last commit" : `is not in ${revision}`;
    return new ToolError("not-found", `${path} ${where}`, {
      hint: "To see when it existed, use git.log with `path`.",
    });
  }
  return explainFailure(stderr, code);
}
