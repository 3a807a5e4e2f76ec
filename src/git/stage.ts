import { ToolError } from "../contract/error.ts";
import { showPath } from "../lib/text/printable.ts";
import { filterUses, requireFilters } from "./filters.ts";
import { hooksFor } from "./hooks.ts";
import { statusByNames, textOfName } from "./names.ts";
import { isHidden } from "./paths.ts";
import { type GitContext, outputOfGit, type Repository, runGit } from "./run-git.ts";
import { writeGit } from "./write-git.ts";

/** What was staged or taken back, how many files, and what was left out, each in a sentence. */
export interface Staging {
  readonly files: number;
  readonly notes: readonly string[];
}

/**
 * Puts what has changed at these paths, as git names them, into the index; none for all. Git is given the names of the files
 * themselves, never a pattern or a directory: what was not looked at here is not staged.
 */
export async function stage(
  paths: readonly string[],
  repository: Repository,
  context: GitContext,
): Promise<Staging> {
  const { environment } = context;
  const status = await statusByNames(repository, context, { untracked: "all", renames: false, paths });
  const gone = new Set(status.unstaged.flatMap(({ path, change }) => (change === "deleted" ? [path] : [])));
  const changed = [...status.unstaged, ...status.unmerged].map(({ path }) => path);
  await refuseUnmatched(paths, [...changed, ...status.untracked, ...status.staged.map(({ path }) => path)], {
    repository,
    context,
  });
  const secret = (name: string) => isHidden(repository, textOfName(name), environment);
  const embedded = status.untracked.filter((name) => name.endsWith("/"));
  const names = [...changed, ...status.untracked].filter((name) => !secret(name) && !name.endsWith("/"));
  const notes = [
    ...leftOut(
      [...changed, ...status.untracked].filter(secret),
      "may hold secrets, or a rule keeps it from tools",
    ),
    ...leftOut(embedded, "is a repository of its own"),
  ];
  if (names.length === 0) return { files: 0, notes };
  const present = names.filter((name) => !gone.has(name));
  const uses = await filterUses(present, repository, context, "latin1");
  const filters = await requireFilters(uses, "clean", context);
  const hooks = await hooksFor("stage", repository, context);
  await writeGit(repository, ["update-index", "-z", "--add", "--remove", "--replace", "--stdin"], context, {
    ...hooks.options,
    ...filters,
    settings: { ...filters.settings, ...hooks.options.settings },
    leavesFiles: filters.filters.length === 0 && hooks.run.length === 0,
    input: Buffer.from(names.map((name) => `${name}\0`).join(""), "latin1"),
  });
  return { files: names.length, notes: [...notes, ...(hooks.note === undefined ? [] : [hooks.note])] };
}

/** Makes the index hold again what the last commit has at these paths; none for all. */
export async function unstage(
  paths: readonly string[],
  repository: Repository,
  context: GitContext,
): Promise<Staging> {
  const words = ["diff", "--cached", "--raw", "-z", "--no-renames", "--no-abbrev", "--no-ext-diff"];
  const fields = (await outputOfGit(repository, words, context)).toString("latin1").split("\0");
  const lines: string[] = [];
  const conflicts: string[] = [];
  const isMeant = isBelow(paths);
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [, mode, hash, letter] = /^:(\d+) \d+ (\w+) \w+ (\w)/.exec(fields[at]!) ?? [];
    const name = fields[at + 1]!;
    if (!isMeant(name)) continue;
    if (letter === "U") conflicts.push(name);
    else lines.push(`${mode === "000000" ? "0" : mode} ${hash}\t${name}\0`);
  }
  const notes = leftOut(conflicts, "has conflicts: nothing of it is staged");
  if (lines.length === 0) return { files: 0, notes };
  const hooks = await hooksFor("stage", repository, context);
  await writeGit(repository, ["update-index", "-z", "--index-info"], context, {
    ...hooks.options,
    leavesFiles: hooks.run.length === 0,
    input: Buffer.from(lines.join(""), "latin1"),
  });
  return { files: lines.length, notes: [...notes, ...(hooks.note === undefined ? [] : [hooks.note])] };
}

/** Whether a name is one of these paths or in one; always, if there are none. */
function isBelow(paths: readonly string[]): (name: string) => boolean {
  const wanted = paths.map((path) => Buffer.from(path).toString("latin1"));
  if (wanted.length === 0 || wanted.includes("")) return () => true;
  return (name) => wanted.some((path) => name === path || name.startsWith(`${path}/`));
}

function leftOut(names: readonly string[], why: string): readonly string[] {
  const shown = names.slice(0, maxNamed).map((name) => showPath(textOfName(name)));
  const more = names.length > maxNamed ? [`${names.length - maxNamed} more`] : [];
  return names.length === 0 ? [] : [`Left out: ${[...shown, ...more].join(", ")} (${why}).`];
}

const maxNamed = 5;

/** A path of which nothing has changed is fine; one that git does not know, or is told to ignore, is a mistake. */
async function refuseUnmatched(
  paths: readonly string[],
  names: readonly string[],
  { repository, context }: { readonly repository: Repository; readonly context: GitContext },
): Promise<void> {
  const unchanged = paths.filter((path) => !names.some(isBelow([path])));
  if (unchanged.length === 0 || paths.includes("")) return;
  const listed = await outputOfGit(repository, ["ls-files", "-z", "--", ...unchanged], context);
  const tracked = listed.toString("latin1").split("\0");
  for (const path of unchanged) {
    if (tracked.some(isBelow([path]))) continue;
    await context.environment.info(`${repository.prefix}${path}`, { followLinks: false });
    const input = Buffer.from(`./${path}\0`);
    // It knows no literal paths, and with "./" before it no other.
    const { stdout } = await runGit(repository, ["check-ignore", "-v", "-z", "--stdin"], context, {
      input,
      env: { GIT_LITERAL_PATHSPECS: "0" },
    });
    const [source, line, pattern] = stdout.toString().split("\0");
    if (pattern !== undefined) throw isIgnored(path, `${pattern} (${source}:${line})`);
  }
}

function isIgnored(path: string, by: string): ToolError {
  return new ToolError("denied", `${path} is ignored by ${by}`, {
    hint: "It is meant to stay out of the repository: leave it, or change that line.",
  });
}
