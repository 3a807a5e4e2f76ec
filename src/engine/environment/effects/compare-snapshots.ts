import type { Difference, Effects, NotCompared } from "../../../contract/effects.ts";
import type { EntryState } from "../../../contract/history.ts";
import {
  type Entry,
  isSettled,
  kindOf,
  type LeftOut,
  looksSame,
  type Snapshot,
} from "../../../contract/snapshot.ts";

/** An entry, and what holds its content: a SHA-256 of the caller, or git's name after `inGit`. */
export interface HeldEntry extends Entry {
  readonly held?: string | undefined;
}

export interface HeldSnapshot extends Snapshot {
  readonly entries: ReadonlyMap<string, HeldEntry>;
}

/** Marks a content that git has, by git's name for it. */
export const inGit = "git:";

/** Lists the paths that may differ between two snapshots: removed entries first, contents before their directory. */
export function compareSnapshots(
  before: HeldSnapshot,
  after: HeldSnapshot,
  repositoryOf: (path: string) => string,
): Pick<Effects, "differences" | "notCompared"> {
  const removed: Found = { differences: [], notCompared: [] };
  const others: Found = { differences: [], notCompared: [] };
  const add = (to: Found, path: string, earlier: HeldEntry | undefined, now: Entry | undefined) => {
    const why = whyNotCompared(path, before, after);
    if (why !== undefined) to.notCompared.push([path, why]);
    const isDirectory = isDirectoryEntry(earlier) && isDirectoryEntry(now);
    if (why !== undefined && !isDirectory) return;
    const held = earlier?.held;
    const oid = held?.startsWith(inGit) ? held.slice(inGit.length) : undefined;
    to.differences.push({
      path,
      before: stateOf(earlier, oid === undefined ? held : undefined),
      after: stateOf(now),
      inGit: oid === undefined ? undefined : { repository: repositoryOf(path), oid },
      looksSame: earlier !== undefined && now !== undefined && looksSame(earlier, now),
      isOverBudget: before.leftOut.get(path) === "ignored",
    });
  };
  let common = 0;
  for (const [path, entry] of after.entries) {
    const earlier = before.entries.get(path);
    if (earlier !== undefined) common += 1;
    // The later snapshot was taken with the earlier one, and has its objects for entries that are unchanged.
    if (earlier === entry) continue;
    // The entries of a directory that was not listed may have existed.
    if (earlier === undefined && liesInLeftOut(path, before)) continue;
    if (earlier === undefined || mayDiffer(path, earlier, entry, before)) add(others, path, earlier, entry);
  }
  if (common < before.entries.size) {
    const closed = unreadableIn(after);
    for (const [path, entry] of [...before.entries].reverse()) {
      // The entries of a closed directory are not known.
      if (after.entries.has(path) || closed.some((directory) => path.startsWith(directory))) continue;
      add(removed, path, entry, undefined);
    }
  }
  return {
    differences: [...removed.differences, ...others.differences],
    notCompared: new Map([...removed.notCompared, ...others.notCompared]),
  };
}

interface Found {
  readonly differences: Difference[];
  readonly notCompared: [path: string, why: NotCompared][];
}

function mayDiffer(path: string, earlier: Entry, now: Entry, before: Snapshot): boolean {
  if (earlier.mode !== now.mode) return true;
  const kind = kindOf(earlier);
  // The content of a directory is compared entry by entry.
  if (kind === "directory" && !before.leftOut.has(path)) return false;
  return (kind === "file" && !isSettled(earlier, before.takenMs)) || !looksSame(earlier, now);
}

function stateOf(entry: Entry | undefined, hash = ""): EntryState {
  if (entry === undefined) return { kind: "nothing" };
  const kind = kindOf(entry);
  const mode = entry.mode & 0o7777;
  if (kind === "directory") return { kind, mode };
  if (kind === "link") return { kind, target: entry.target ?? "" };
  return { kind: "file", hash, bytes: entry.size, mode };
}

/** Returns the reason why a path cannot be compared or restored, if it was not scanned or is special. */
function whyNotCompared(path: string, before: Snapshot, after: Snapshot): NotCompared | undefined {
  const wasLeftOut = leftOutDirectory(path, before);
  const isLeftOut = leftOutDirectory(path, after);
  // Git writes to its own files all the time, and the kernel generates the others.
  if (wasLeftOut === isLeftOut && (wasLeftOut === "repository" || wasLeftOut === "system")) return undefined;
  const reason = wasLeftOut ?? isLeftOut;
  if (reason !== undefined) return reason;
  const isSpecial = [before, after].some(({ entries }) => {
    const entry = entries.get(path);
    return entry !== undefined && kindOf(entry) === "other";
  });
  return isSpecial ? "special" : undefined;
}

function leftOutDirectory(path: string, { entries, leftOut }: Snapshot): LeftOut | undefined {
  return isDirectoryEntry(entries.get(path)) ? leftOut.get(path) : undefined;
}

function liesInLeftOut(path: string, snapshot: Snapshot): boolean {
  for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1))
    if (leftOutDirectory(path.slice(0, end), snapshot) !== undefined) return true;
  return false;
}

function isDirectoryEntry(entry: Entry | undefined): boolean {
  return entry !== undefined && kindOf(entry) === "directory";
}

/** Returns the directories that could not be read, each with "/" at its end. */
function unreadableIn(snapshot: Snapshot): readonly string[] {
  return Array.from(snapshot.leftOut.keys())
    .filter((path) => leftOutDirectory(path, snapshot) === "unreadable")
    .map((path) => `${path}/`);
}
