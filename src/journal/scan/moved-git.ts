import type { Repository, Snapshot } from "../../contract/snapshot.ts";
import type { HeldByGit } from "./held-by-git.ts";

/** What a command has changed in repositories themselves, in words: undo leaves them alone. */
export function movedGit(
  before: Snapshot,
  after: Snapshot,
  git: Pick<HeldByGit, "hasStaged">,
): readonly string[] {
  const now = new Map(after.repositories.map((repository) => [repository.path, repository]));
  return before.repositories.flatMap((repository) => {
    const parts = changedParts(repository, now.get(repository.path), git);
    const name = repository.path === "" ? ".git" : `${repository.path}/.git`;
    return parts.length === 0 ? [] : [`${name} (${parts.join(", ")})`];
  });
}

function changedParts(
  before: Repository,
  now: Repository | undefined,
  git: Pick<HeldByGit, "hasStaged">,
): readonly string[] {
  // That it is gone is said where its directory is missed.
  if (now === undefined) return [];
  const { state } = before;
  return [
    ...(state.head === now.state.head ? [] : ["HEAD"]),
    ...(state.refs === now.state.refs ? [] : ["branches or tags"]),
    ...(git.hasStaged(before, now) ? ["the index"] : []),
  ];
}
