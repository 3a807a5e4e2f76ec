import type { Repository, Snapshot } from "../../contract/snapshot.ts";

/** What a command has changed in repositories themselves, in words: undo leaves them alone. */
export function movedGit(before: Snapshot, after: Snapshot): readonly string[] {
  const now = new Map(after.repositories.map((repository) => [repository.path, repository]));
  return before.repositories.flatMap((repository) => {
    const parts = changedParts(repository, now.get(repository.path));
    const name = repository.path === "" ? ".git" : `${repository.path}/.git`;
    return parts.length === 0 ? [] : [`${name} (${parts.join(", ")})`];
  });
}

function changedParts({ state }: Repository, now: Repository | undefined): readonly string[] {
  // That it is gone is said where its directory is missed.
  if (now === undefined) return [];
  return [
    ...(state.head === now.state.head ? [] : ["HEAD"]),
    ...(state.refs === now.state.refs ? [] : ["branches or tags"]),
    ...(state.index === now.state.index ? [] : ["the index"]),
  ];
}
