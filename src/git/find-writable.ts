import { posix } from "node:path";
import type { Environment } from "../contract/environment.ts";
import { ToolError } from "../contract/error.ts";
import { showPath } from "../lib/show-path.ts";
import { type FoundPath, findRepository } from "./find-repository.ts";
import { liesIn } from "./paths.ts";
import { refuseLinks } from "./refuse-links.ts";
import type { GitContext, Repository } from "./run-git.ts";

/** As `findRepository`, for who changes what git keeps there: that must lie in the workspace, or be known to be its own. */
export async function findWritable(path: string, context: GitContext): Promise<FoundPath> {
  const found = await findRepository(path, context);
  await requireWritable(found.repository, context);
  return found;
}

export async function requireWritable(repository: Repository, { environment }: GitContext): Promise<void> {
  if (repository.below !== "") throw topIsAbove(repository);
  const { readable = [], writable = [], unconfined = false } = environment.confinement ?? {};
  refuseDenied(repository, environment);
  for (const directory of new Set([repository.gitDirectory, repository.commonDirectory])) {
    if (liesIn(directory, [environment.workspace])) await refuseLinks(directory, environment);
    // Only a rule says that it may be read; otherwise the repository has named this working tree as its own.
    else if (liesIn(directory, readable) && !liesIn(directory, writable)) throw onlyReadable(directory);
    // A sandbox shows the repository of the workspace itself, wherever that lies, and no other.
    else if (repository.directory !== "" && !liesIn(directory, writable) && !unconfined) {
      const { level } = (await environment.sandbox?.()) ?? { level: "none" };
      if (level !== "none") throw onlyReadable(directory);
    }
  }
}

/** A call names what it would write before anybody knows in which repository that is. */
function refuseDenied({ gitDirectory }: Repository, { workspace, confinement }: Environment): void {
  const index = posix.join(gitDirectory, "index");
  if (confinement?.isReadOnly?.(index) !== true) return;
  const shown = liesIn(index, [workspace]) ? posix.relative(workspace, index) : index;
  throw new ToolError("denied", `Rules deny writing ${showPath(shown)}`, {
    hint: "This repository can be looked at, not changed. Ask the person, whose rule it is.",
  });
}

function topIsAbove({ top }: Repository): ToolError {
  return new ToolError("outside-workspace", `The repository has its top above the workspace, in ${top}`, {
    hint: "It can be looked at from here, not changed. Ask the person to open Toolcrib there.",
  });
}

function onlyReadable(directory: string): ToolError {
  return new ToolError("outside-workspace", `The repository ${directory} lies outside the workspace`, {
    hint: `Ask the person: the rule "allow write ${directory}/**" lets it be changed.`,
  });
}
