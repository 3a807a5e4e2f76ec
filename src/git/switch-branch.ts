import { posix } from "node:path";
import { ToolError } from "../contract/error.ts";
import { showPath } from "../lib/text/printable.ts";
import { explainFailure } from "./explain-failure.ts";
import { type FilterUse, filterUses, requireFilters } from "./filters.ts";
import { type Hooks, hooksFor } from "./hooks.ts";
import { textOfName } from "./names.ts";
import { outputOfGit, type Repository } from "./run-git.ts";
import { tryWritingGit } from "./write-git.ts";

export interface Switching {
  readonly name: string;
  readonly commit: string;
  readonly isNew: boolean;
}

export interface Switched {
  readonly files: number;
  readonly hooks: Hooks;
  readonly remarks: readonly string[];
}

/** Switches to a branch. Refuses if that would change uncommitted work, or files that tools may not read or write. */
export async function switchBranch(
  { name, commit, isNew }: Switching,
  head: string | undefined,
  repository: Repository,
): Promise<Switched> {
  const changes = await changesBetween(head, commit, repository);
  refuseProtected(changes, repository);
  const written = changes.flatMap(({ letter, name: path }) => (letter === "D" ? [] : [path]));
  const uses = [
    ...(await filterUses(written, repository, "latin1")),
    ...(await filtersToCome(written, commit, repository)),
  ];
  const filters = await requireFilters(uses, "smudge", repository);
  const hooks = await hooksFor("switch", repository);
  const target = isNew ? ["--no-track", "-c", name, commit] : [name];
  const args = ["switch", "--quiet", "--no-progress", "--no-guess", "--no-overwrite-ignore"];
  const result = await tryWritingGit(repository, [...args, "--no-recurse-submodules", ...target], {
    ...hooks.options,
    ...filters,
    settings: { ...filters.settings, ...hooks.options.settings },
  });
  if (result.code !== 0) throw switchFailure(result.stderr, result.code);
  return { files: changes.length, hooks, remarks: result.remarks };
}

interface TreeChange {
  readonly letter: string;
  /** The path in Latin-1. */
  readonly name: string;
}

async function changesBetween(
  head: string | undefined,
  commit: string,
  repository: Repository,
): Promise<readonly TreeChange[]> {
  if (head === commit) return [];
  const namesOf = async (...args: string[]) =>
    (await outputOfGit(repository, args)).toString("latin1").split("\0").slice(0, -1);
  if (head === undefined)
    return (await namesOf("ls-tree", "-r", "-z", "--name-only", "--full-tree", commit)).map((name) => ({
      letter: "A",
      name,
    }));
  const fields = await namesOf("diff-tree", "-r", "-z", "--no-renames", "--name-status", head, commit);
  return fields.flatMap((name, at) => (at % 2 === 0 ? [] : [{ letter: fields[at - 1]!, name }]));
}

function refuseProtected(changes: readonly TreeChange[], { top, environment }: Repository): void {
  const { isHidden, shownFromGit, isReadOnly } = environment.confinement ?? {};
  const paths = changes.map(({ name }) => textOfName(name));
  const all = new Set(paths.flatMap(withParents).map((path) => posix.join(top, path)));
  const hidden = new Set([...all].filter((real) => isHidden?.(real)));
  // It asks git, so it is called once.
  const shown = hidden.size === 0 ? undefined : shownFromGit?.([...hidden]);
  const isProtected = (path: string) => {
    const real = posix.join(top, path);
    return hidden.has(real) ? shown?.get(real) !== "writable" : isReadOnly?.(real);
  };
  const found = paths.filter((path) => withParents(path).some(isProtected)).map(showPath);
  if (found.length === 0) return;
  throw new ToolError("denied", `The branches differ in ${some(found)}, which tools may not write`, {
    hint: "Ask the user to run `git switch`, or to add a rule that allows writing them.",
    forUser: { hint: "Run `git switch` yourself, or add a rule that allows writing them." },
  });
}

/** Returns "a", "a/b" and "a/b/c", because folders can be protected, too. */
function withParents(path: string): readonly string[] {
  const names = path.split("/");
  return names.map((_, at) => names.slice(0, at + 1).join("/"));
}

/** Finds filters that only the attributes of the other branch name. */
async function filtersToCome(
  written: readonly string[],
  commit: string,
  repository: Repository,
): Promise<readonly FilterUse[]> {
  if (repository.filters.length === 0) return [];
  const uses: FilterUse[] = [];
  for (const name of written) {
    if (posix.basename(name) !== ".gitattributes") continue;
    const path = textOfName(name);
    const text = (await outputOfGit(repository, ["cat-file", "blob", `${commit}:${path}`])).toString();
    for (const filter of repository.filters)
      if (text.includes(`filter=${filter.name}`)) uses.push({ filter, paths: [path] });
  }
  return uses;
}

function switchFailure(stderr: string, code: number | undefined): ToolError {
  const [, listed] =
    /following (?:files|untracked working tree files) would be (?:overwritten|removed) by \w+:\n((?:\t.*\n)+)/.exec(
      stderr,
    ) ?? [];
  if (listed !== undefined)
    return new ToolError(
      "denied",
      `Switching would overwrite uncommitted ${some(listed.trim().split(/\n\t/))}`,
      {
        hint: "Commit them with git.commit, or stash them with `git stash -u` in shell.run.",
        forUser: { hint: "Commit them, or stash them: git stash -u" },
      },
    );
  const [, operation] = /cannot switch branch while (\w+)/.exec(stderr) ?? [];
  const isUnmerged = /resolve your current index first/.test(stderr);
  if (operation !== undefined || isUnmerged)
    return new ToolError("unsupported", `Git cannot switch while ${operation ?? "there are conflicts"}`, {
      hint: "Finish what git.status shows in progress, or abort it with `git … --abort` in shell.run.",
      forUser: { hint: "Finish what git status shows in progress, or abort it: git … --abort" },
    });
  const [, worktree] = /is already (?:checked out|used by worktree) at '(.+)'/.exec(stderr) ?? [];
  if (worktree !== undefined)
    return new ToolError("unsupported", `The branch is checked out in the working tree ${worktree}`, {
      hint: "Work there, or create another branch with `from`.",
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
