import { ToolError } from "../contract/error.ts";
import { showPath } from "../lib/text/printable.ts";
import { filterUses, requireFilters } from "./filters.ts";
import { hooksFor } from "./hooks.ts";
import { statusByNames, textOfName } from "./names.ts";
import { hiddenAmong } from "./paths.ts";
import { outputOfGit, type Repository, runGit } from "./run-git.ts";
import { writeGit } from "./write-git.ts";

export interface Staging {
  readonly files: number;
  /** Sentences about skipped files. */
  readonly notes: readonly string[];
}

/**
 * Stages the changes at these paths of git; none for all. Git gets the names of the files themselves, never a pattern
 * or a directory: nothing is staged that was not checked here.
 */
export async function stage(paths: readonly string[], repository: Repository): Promise<Staging> {
  const status = await statusByNames(repository, { untracked: "all", renames: false, paths });
  const deleted = new Set(
    status.unstaged.flatMap(({ path, change }) => (change === "deleted" ? [path] : [])),
  );
  const changed = [...status.unstaged, ...status.unmerged].map(({ path }) => path);
  const staged = status.staged.map(({ path }) => path);
  await refuseUnmatched(paths, [...changed, ...status.untracked, ...staged], repository);
  const hidden = hiddenAmong(repository, [...changed, ...status.untracked].map(textOfName));
  const secret = (name: string) => hidden.has(textOfName(name));
  const embedded = status.untracked.filter((name) => name.endsWith("/"));
  const names = [...changed, ...status.untracked].filter((name) => !secret(name) && !name.endsWith("/"));
  const notes = [
    ...leftOut([...changed, ...status.untracked].filter(secret), "hidden by a rule"),
    ...leftOut(embedded, "is a separate repository"),
  ];
  if (names.length === 0) return { files: 0, notes };
  const present = names.filter((name) => !deleted.has(name));
  const uses = await filterUses(present, repository, "latin1");
  const filters = await requireFilters(uses, "clean", repository);
  const hooks = await hooksFor("stage", repository);
  await writeGit(repository, ["update-index", "-z", "--add", "--remove", "--replace", "--stdin"], {
    ...hooks.options,
    ...filters,
    settings: { ...filters.settings, ...hooks.options.settings },
    leavesFiles: filters.filters.length === 0 && hooks.run.length === 0,
    input: Buffer.from(names.map((name) => `${name}\0`).join(""), "latin1"),
  });
  return { files: names.length, notes: [...notes, ...(hooks.note === undefined ? [] : [hooks.note])] };
}

/** Restores the index from the last commit at these paths; none for all. */
export async function unstage(paths: readonly string[], repository: Repository): Promise<Staging> {
  const args = ["diff", "--cached", "--raw", "-z", "--no-renames", "--no-abbrev", "--no-ext-diff"];
  const fields = (await outputOfGit(repository, args)).toString("latin1").split("\0");
  const lines: string[] = [];
  const conflicts: string[] = [];
  const isWanted = isBelow(paths);
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [, mode, hash, letter] = /^:(\d+) \d+ (\w+) \w+ (\w)/.exec(fields[at]!) ?? [];
    const name = fields[at + 1]!;
    if (!isWanted(name)) continue;
    if (letter === "U") conflicts.push(name);
    else lines.push(`${mode === "000000" ? "0" : mode} ${hash}\t${name}\0`);
  }
  const notes = leftOut(conflicts, "has conflicts: nothing of it is staged");
  if (lines.length === 0) return { files: 0, notes };
  const hooks = await hooksFor("stage", repository);
  await writeGit(repository, ["update-index", "-z", "--index-info"], {
    ...hooks.options,
    leavesFiles: hooks.run.length === 0,
    input: Buffer.from(lines.join(""), "latin1"),
  });
  return { files: lines.length, notes: [...notes, ...(hooks.note === undefined ? [] : [hooks.note])] };
}

/** Returns a check whether a name is one of these paths or in one; without paths, every name is. */
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

/** Refuses a path that is missing or that git ignores. An unchanged path is fine. */
async function refuseUnmatched(
  paths: readonly string[],
  names: readonly string[],
  repository: Repository,
): Promise<void> {
  const unchanged = paths.filter((path) => !names.some(isBelow([path])));
  if (unchanged.length === 0 || paths.includes("")) return;
  const listed = await outputOfGit(repository, ["ls-files", "-z", "--", ...unchanged]);
  const tracked = listed.toString("latin1").split("\0");
  for (const path of unchanged) {
    if (tracked.some(isBelow([path]))) continue;
    await repository.environment.info(`${repository.prefix}${path}`, { followLinks: false });
    const input = Buffer.from(`./${path}\0`);
    // check-ignore does not support literal paths; "./" makes the path literal.
    const { stdout } = await runGit(repository, ["check-ignore", "-v", "-z", "--stdin"], {
      input,
      env: { GIT_LITERAL_PATHSPECS: "0" },
    });
    const [source, line, pattern] = stdout.toString().split("\0");
    if (pattern !== undefined)
      throw new ToolError("denied", `${path} is ignored by ${pattern} (${source}:${line})`, {
        hint: "Leave it out, or change that line.",
      });
  }
}
