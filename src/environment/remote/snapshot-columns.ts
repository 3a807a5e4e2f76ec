import {
  type Contents,
  figureCount,
  type LeftOut,
  type Repository,
  type Snapshot,
} from "../../contract/snapshot.ts";
import { entriesFrom, joinFigures, joinPaths } from "../entry-columns.ts";
import { badMessage } from "./message.ts";
import type { SentSnapshot } from "./protocol.ts";

export type GitIndex = Awaited<ReturnType<Repository["readIndex"]>>;

/** Returns a snapshot as data. `knows` says whether the receiver already has an index. */
export function sendSnapshot(
  { takenMs, entries, targets, contents, leftOut, repositories }: Snapshot,
  id: number,
  knows: (repository: Repository) => boolean,
): SentSnapshot {
  return {
    id,
    takenMs,
    paths: joinPaths(entries),
    figures: joinFigures(entries),
    targets: [...targets],
    contents: Array.from(contents, ([path, { place, first, end }]) => [path, place, first, end]),
    leftOut: [...leftOut],
    repositories: sendRepositories(repositories, knows),
  };
}

/** Returns repositories as data, with each index that the receiver does not have. */
export function sendRepositories(
  repositories: readonly Repository[],
  knows: (repository: Repository) => boolean,
): SentSnapshot["repositories"] {
  return repositories.map((repository) => ({
    path: repository.path,
    prefix: repository.prefix,
    state: repository.state,
    index: knows(repository) ? undefined : smallEnough(repository.readIndex()),
  }));
}

/** An index that is larger is not sent: then old contents are stored although git has them. */
function smallEnough(index: GitIndex): GitIndex {
  return index !== undefined && index.bytes.length <= maxIndexBytes ? index : undefined;
}

const maxIndexBytes = 64 * 1024 * 1024;

/** Checks a snapshot of the other side. `indexOf` returns the index of a repository that was not sent again. */
export function receiveSnapshot(
  sent: SentSnapshot,
  indexOf: (repository: Omit<Repository, "readIndex">) => GitIndex,
): Snapshot {
  const { takenMs, figures } = sent;
  const paths = pathsOf(sent.paths);
  if (figures.length !== paths.length * figureCount) throw badMessage("a snapshot has wrong figures");
  const placeOf = placeIn(paths.length);
  return {
    takenMs,
    entries: entriesFrom({ paths: sent.paths, figures }),
    targets: new Map(sent.targets.map(([place, target]) => [placeOf(place), `${target}`])),
    contents: new Map(sent.contents.map((entry) => contentsOf(entry, paths.length))),
    leftOut: new Map(sent.leftOut.map(([place, reason]) => [placeOf(place), reasonOf(reason)])),
    repositories: receiveRepositories(sent.repositories, indexOf),
  };
}

export function receiveRepositories(
  sent: SentSnapshot["repositories"],
  indexOf: (repository: Omit<Repository, "readIndex">) => GitIndex,
): readonly Repository[] {
  return sent.map((repository) => {
    if (repository.path !== "") checkRelative(repository.path);
    const index = repository.index ?? indexOf(repository);
    return { ...repository, readIndex: () => index };
  });
}

/** Returns a function that checks the index of an entry. */
export function placeIn(count: number): (place: unknown) => number {
  return (place) => {
    if (!Number.isSafeInteger(place) || (place as number) < 0 || (place as number) >= count)
      throw badMessage("a snapshot has an entry that it does not list");
    return place as number;
  };
}

/** Splits a list of paths, each with a NUL byte at its end. */
export function pathsOf(joined: Uint8Array): readonly string[] {
  if (joined.length === 0) return [];
  const paths = Buffer.from(joined.buffer, joined.byteOffset, joined.length).toString().split("\0");
  if (paths.pop() !== "") throw badMessage("a list of paths is cut off");
  for (const path of paths) checkRelative(path);
  return paths;
}

/** Refuses a path that leaves the workspace. */
export function checkRelative(path: string): void {
  if (path === "" || /(?:^|\/)\.{0,2}(?:\/|$)|\0/.test(path))
    throw badMessage("a path is not inside the workspace");
}

/** Checks the range of a directory. */
export function contentsOf(
  [path, place, first, end]: readonly (string | number)[],
  entries: number,
): [string, Contents] {
  const isWhole = [place, first, end].every(Number.isSafeInteger);
  const contents = { place, first, end } as Contents;
  const isInside = contents.place >= -1 && contents.first >= 0 && contents.first <= contents.end;
  if (
    typeof path !== "string" ||
    !isWhole ||
    !isInside ||
    contents.end > entries ||
    contents.place >= entries
  )
    throw badMessage("a snapshot has a directory with wrong contents");
  if (path !== "") checkRelative(path);
  return [path, contents];
}

const reasons: readonly LeftOut[] = ["ignored", "repository", "unreadable", "system"];

export function reasonOf(value: unknown): LeftOut {
  const reason = reasons.find((one) => one === value);
  if (reason === undefined) throw badMessage("a snapshot has an unknown reason");
  return reason;
}
