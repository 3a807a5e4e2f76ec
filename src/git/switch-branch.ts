import { posix } from "node:path";
import { ToolError } from "../contract/error.ts";
import { showPath } from "../lib/text/printable.ts";
import { explainFailure } from "./explain-failure.ts";
import { type FilterUse, filterUses, requireFilters } from "./filters.ts";
import { type Hooks, hooksFor } from "./hooks.ts";
import { textOfName } from "./names.ts";
import { type GitContext, outputOfGit, type Repository } from "./run-git.ts";
import { tryWritingGit } from "./write-git.ts";

export interface Switching {
  readonly name: string;
  /** The commit that it stands for, or begins at. */
  readonly commit: string;
  readonly isNew: boolean;
}

export interface Switched {
  /** Files that differ between the two. */
  readonly files: number;
  readonly hooks: Hooks;
  readonly remarks: readonly string[];
}

/**
 * Makes a branch the current one, and the working tree what it holds; what was changed there and not committed stays, or
 * nothing happens. What tools must not read or write is not exchanged either.
 */
export async function switchBranch(
  { name, commit, isNew }: Switching,
  head: string | undefined,
  repository: Repository,
  context: GitContext,
): Promise<Switched> {
  const changes = await changesBetween(head, commit, repository, context);
  refuseGuarded(changes, repository, context);
  const written = changes.flatMap(({ letter, name: path }) => (letter === "D" ? [] : [path]));
  const uses = [
    ...(await filterUses(written, repository, context, "latin1")),
    ...(await filtersToCome(written, commit, repository, context)),
  ];
  const filters = await requireFilters(uses, "smudge", context);
  const hooks = await hooksFor("switch", repository, context);
  const target = isNew ? ["--no-track", "-c", name, commit] : [name];
  const words = ["switch", "--quiet", "--no-progress", "--no-guess", "--no-overwrite-ignore"];
  const result = await tryWritingGit(repository, [...words, "--no-recurse-submodules", ...target], context, {
    ...hooks.options,
    ...filters,
    settings: { ...filters.settings, ...hooks.options.settings },
  });
  if (result.code !== 0) throw whyNot(result.stderr, result.code);
  return { files: changes.length, hooks, remarks: result.remarks };
}

interface TreeChange {
  readonly letter: string;
  /** With a character for each byte. */
  readonly name: string;
}

async function changesBetween(
  head: string | undefined,
  commit: string,
  repository: Repository,
  context: GitContext,
): Promise<readonly TreeChange[]> {
  if (head === commit) return [];
  const namesOf = async (...words: string[]) =>
    (await outputOfGit(repository, words, context)).toString("latin1").split("\0").slice(0, -1);
  if (head === undefined)
    return (await namesOf("ls-tree", "-r", "-z", "--name-only", "--full-tree", commit)).map((name) => ({
      letter: "A",
      name,
    }));
  const fields = await namesOf("diff-tree", "-r", "-z", "--no-renames", "--name-status", head, commit);
  return fields.flatMap((name, at) => (at % 2 === 0 ? [] : [{ letter: fields[at - 1]!, name }]));
}

function refuseGuarded(
  changes: readonly TreeChange[],
  { top }: Repository,
  { environment }: GitContext,
): void {
  const { isHidden, isReadOnly } = environment.confinement ?? {};
  const guarded = changes.flatMap(({ name }) => {
    const path = textOfName(name);
    const isGuarded = withParents(path).some((one) => {
      const real = posix.join(top, one);
      return isHidden?.(real) || isReadOnly?.(real);
    });
    return isGuarded ? [showPath(path)] : [];
  });
  if (guarded.length === 0) return;
  throw new ToolError("denied", `The branches differ in ${some(guarded)}, which tools may not write`, {
    hint: "Ask the person to switch with `git switch`, or for a rule that lets git.branch write them.",
  });
}

/** "a/b/c" with "a/b" and "a": a sandbox holds folders as well. */
function withParents(path: string): readonly string[] {
  const names = path.split("/");
  return names.map((_, at) => names.slice(0, at + 1).join("/"));
}

/** Attributes that come with the branch may name filters which do not hold yet. */
async function filtersToCome(
  written: readonly string[],
  commit: string,
  repository: Repository,
  context: GitContext,
): Promise<readonly FilterUse[]> {
  if (repository.filters.length === 0) return [];
  const uses: FilterUse[] = [];
  for (const name of written) {
    if (posix.basename(name) !== ".gitattributes") continue;
    const path = textOfName(name);
    const text = (
      await outputOfGit(repository, ["cat-file", "blob", `${commit}:${path}`], context)
    ).toString();
    for (const filter of repository.filters)
      if (text.includes(`filter=${filter.name}`)) uses.push({ filter, paths: [path] });
  }
  return uses;
}

function whyNot(stderr: string, code: number | undefined): ToolError {
  const [, listed] =
    /following (?:files|untracked working tree files) would be (?:overwritten|removed) by \w+:\n((?:\t.*\n)+)/.exec(
      stderr,
    ) ?? [];
  if (listed !== undefined)
    return new ToolError("denied", `Switching would overwrite ${some(listed.trim().split(/\n\t/))}`, {
      hint: "These are not committed. Commit them with git.commit, or put them away with `git stash -u` in shell.run.",
    });
  const [, operation] = /cannot switch branch while (\w+)/.exec(stderr) ?? [];
  const isUnmerged = /resolve your current index first/.test(stderr);
  if (operation !== undefined || isUnmerged)
    return new ToolError(
      "unsupported",
      `No branch can be switched to while ${operation ?? "there are conflicts"}`,
      {
        hint: "git.status shows what is in progress: finish it, or give it up with `git … --abort` in shell.run.",
      },
    );
  const [, place] = /is already (?:checked out|used by worktree) at '(.+)'/.exec(stderr) ?? [];
  if (place !== undefined)
    return new ToolError("unsupported", `The branch is in use by the working tree ${place}`, {
      hint: "Work there, or make another branch with `from`.",
    });
  return explainFailure(stderr, code);
}

function some(paths: readonly string[]): string {
  return [
    ...paths.slice(0, maxNamed),
    ...(paths.length > maxNamed ? [`${paths.length - maxNamed} more`] : []),
  ].join(", ");
}

const maxNamed = 5;
