import { unquoteC } from "../lib/c-quoted.ts";
import { type GitContext, outputOfGit, type Repository } from "./run-git.ts";
import { heldDiffOptions } from "./settings.ts";

export interface Commit {
  readonly hash: string;
  readonly parents: readonly string[];
  readonly author: { readonly name: string; readonly email: string };
  /** ISO 8601, with the zone of the author. */
  readonly date: string;
  /** Branches and tags that stand here: "HEAD -> main", "tag: v1.0", "origin/main". */
  readonly refs: readonly string[];
  readonly subject: string;
  /** The rest of the message. */
  readonly body: string;
  /** What it changes against its first parent, where that was asked for. */
  readonly files?: readonly CommitFile[];
}

/** Lines of binary files are not counted. */
interface CommitFile {
  readonly path: string;
  readonly additions: number | undefined;
  readonly deletions: number | undefined;
}

export interface LogWanted {
  /** Hashes, or two of them with dots between. */
  readonly revision: string;
  readonly limit: number;
  /** Options that select, each with its value in the same word. */
  readonly selecting?: readonly string[];
  readonly pathspecs?: readonly string[];
  readonly files?: boolean;
}

/** Commits, newest first. */
export async function readLog(
  { revision, limit, selecting = [], pathspecs = [], files = false }: LogWanted,
  repository: Repository,
  context: GitContext,
): Promise<readonly Commit[]> {
  const printed = await outputOfGit(
    repository,
    [
      "log",
      ...heldDiffOptions,
      `--max-count=${limit}`,
      "--no-show-signature",
      "--no-notes",
      "--decorate=short",
      `--format=${format}`,
      ...(files ? numbers(repository) : ["--no-patch"]),
      ...selecting,
      revision,
      ...pathspecs,
    ],
    context,
  );
  return parseLog(printed.toString(), repository.prefix, files);
}

/** A rename counts as two files: its names could else not be told apart. */
function numbers({ below }: Repository): readonly string[] {
  const relative = below === "" ? "--no-relative" : "--relative";
  return ["--numstat", "--no-renames", "--diff-merges=first-parent", relative];
}

/** No field can hold a NUL: git ends messages there. */
const fields = ["%H", "%P", "%an", "%ae", "%aI", "%D", "%s", "%b"];
const format = `%x00${fields.join("%x00")}%x00`;

function parseLog(output: string, prefix: string, withFiles: boolean): readonly Commit[] {
  const parts = output.split("\0");
  const commits: Commit[] = [];
  // Before each commit stands what follows the one before: its numbers.
  for (let at = 1; at + fields.length < parts.length; at += fields.length + 1) {
    const [hash = "", parents = "", name = "", email = "", date = "", refs = "", subject = "", body = ""] =
      parts.slice(at, at + fields.length);
    const files = withFiles && { files: parseNumbers(parts[at + fields.length]!, prefix) };
    commits.push({
      hash,
      parents: words(parents, " "),
      author: { name, email },
      date,
      refs: words(refs, ", "),
      subject,
      body: body.trimEnd(),
      ...files,
    });
  }
  return commits;
}

function words(text: string, separator: string): readonly string[] {
  return text === "" ? [] : text.split(separator);
}

function parseNumbers(text: string, prefix: string): readonly CommitFile[] {
  return text.split("\n").flatMap((line) => {
    const [, additions, deletions, path] = /^(\d+|-)\t(\d+|-)\t(.+)$/.exec(line) ?? [];
    if (path === undefined) return [];
    const count = (number = "-") => (number === "-" ? undefined : Number(number));
    return [{ path: prefix + nameOf(path), additions: count(additions), deletions: count(deletions) }];
  });
}

function nameOf(text: string): string {
  return text.startsWith('"') ? unquoteC(text) : text;
}
