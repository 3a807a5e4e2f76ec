import * as z from "zod/mini";
import type { Tool, ToolContext } from "../../contract/tool.ts";
import { findRepository } from "../../git/find-repository.ts";
import { type Commit, momentOf, readLog } from "../../git/log.ts";
import { pathspecs } from "../../git/paths.ts";
import { resolveRange } from "../../git/revisions.ts";
import { amount, flag, integer, string } from "../fields.ts";
import { describeFiles, describeLine } from "./describe-commit.ts";

export interface GitLogData {
  /** The commits, newest first. */
  readonly commits: readonly Commit[];
  /** Whether there are more than `limit` commits. */
  readonly limited: boolean;
}

const usualLimit = 20;
const mostSkipped = 10_000;

const input = z.strictObject({
  path: z.optional(z.string()),
  limit: amount(1, 1000, "Default 20."),
  skip: integer(0, mostSkipped, "Number of commits to skip."),
  since: string('"2026-03-01", "2 weeks ago".'),
  until: z.optional(z.string()),
  author: z.optional(z.string()),
  grep: string("Text in the message."),
  revision: string("Revision or range (main..topic). Default HEAD."),
  stat: flag("Include files and line counts."),
});

export type GitLogInput = z.infer<typeof input>;

export const gitLog: Tool<GitLogInput, GitLogData> = {
  name: "git.log",
  description: "List commits, newest first. Show one with git.show.",
  risk: "read",
  input,
  limits: { maxChars: 30_000, keep: "head" },
  startsPrograms: true,
  timeoutMs: 120_000,
  accesses: ({ path = "." }) => [{ kind: "read", path }],

  async run(input, context) {
    const { path = ".", limit = usualLimit, skip = 0, revision = "HEAD", stat: files = false } = input;
    const found = await findRepository(path, context);
    const { repository } = found;
    const isHead = revision === "HEAD";
    const commits = await readLog(
      {
        revision: isHead ? revision : await resolveRange(revision, repository),
        // Skipped commits are read too, because git skips before it follows renames and would skip too few.
        limit: skip + limit + 1,
        selecting: [...selecting(input), ...((await isFile(path, context)) ? ["--follow"] : [])],
        pathspecs: pathspecs(repository, [found.path]),
        files,
      },
      repository,
    ).catch(async (error: unknown) => {
      // Git resolves HEAD itself, which saves a process. If git fails, this explains a missing HEAD.
      if (isHead) await resolveRange(revision, repository);
      throw error;
    });
    const shown = commits.slice(skip, skip + limit);
    const limited = commits.length > skip + limit;
    return {
      data: { commits: shown, limited },
      text: describe(shown),
      continuation: limited ? describeMore(skip + limit) : undefined,
    };
  },
};

/**
 * Returns git's selecting options. A value is in the same argument as its option, so it can begin with a dash. Text
 * matches literally and ignores case.
 */
function selecting({ since, until, author, grep }: GitLogInput): readonly string[] {
  return [
    ...(since === undefined ? [] : [`--since=${momentOf(since, "since")}`]),
    ...(until === undefined ? [] : [`--until=${momentOf(until, "until")}`]),
    ...(author === undefined ? [] : [`--author=${author}`]),
    ...(grep === undefined ? [] : [`--grep=${grep}`]),
    ...(author === undefined && grep === undefined ? [] : ["--fixed-strings", "--regexp-ignore-case"]),
  ];
}

/** Returns whether git can follow the path under earlier names. A deleted path was probably a file. */
async function isFile(path: string, { environment }: ToolContext): Promise<boolean> {
  const info = await environment.info(path, { followLinks: false }).catch(() => undefined);
  return path !== "." && info?.kind !== "directory";
}

function describe(commits: readonly Commit[]): string {
  if (commits.length === 0) return "No commits.";
  return commits.map((commit) => [describeLine(commit), ...describeFiles(commit)].join("\n")).join("\n");
}

function describeMore(seen: number): string {
  return `There are more: continue with ${seen > mostSkipped ? "`until` or `revision`" : `\`skip\` ${seen}`}.`;
}
