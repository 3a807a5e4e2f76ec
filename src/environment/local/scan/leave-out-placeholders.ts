import { type Entry, kindOf, type Snapshot } from "../../../contract/snapshot.ts";
import type { Placeholder } from "../../../sandbox/bubblewrap/placeholder-records.ts";

/**
 * Returns a snapshot without the placeholders of sandboxes. An entry is left out only if it looks like its placeholder: a
 * directory without other entries, or a read-only file that is empty or has the same size. `prefix` is the workspace with "/" at its end.
 */
export function leaveOutPlaceholders(
  snapshot: Snapshot,
  placeholders: readonly Placeholder[],
  prefix: string,
): Snapshot {
  const inside = placeholders
    .filter(({ path }) => path.startsWith(prefix))
    .map((placeholder) => ({ ...placeholder, path: placeholder.path.slice(prefix.length) }))
    // The deepest first: a directory is one only when nothing is left in it.
    .sort((one, other) => other.path.length - one.path.length);
  if (inside.length === 0) return snapshot;
  const entries = new Map(snapshot.entries);
  const counts = new Map<string, number>();
  for (const path of entries.keys()) counts.set(parentOf(path), (counts.get(parentOf(path)) ?? 0) + 1);
  const gone = new Set<string>();
  for (const { path, kind, content = "" } of inside) {
    const entry = entries.get(path);
    if (entry === undefined || kindOf(entry) !== kind) continue;
    const isOne = kind === "file" ? isPlaceholderFile(entry, content) : (counts.get(path) ?? 0) === 0;
    if (!isOne) continue;
    entries.delete(path);
    counts.set(parentOf(path), counts.get(parentOf(path))! - 1);
    gone.add(path);
  }
  if (gone.size === 0) return snapshot;
  return {
    ...snapshot,
    entries,
    leftOut: new Map(Array.from(snapshot.leftOut).filter(([path]) => !gone.has(path))),
    repositories: snapshot.repositories.filter(
      ({ path, prefix }) => prefix !== "" || !gone.has(path === "" ? ".git" : `${path}/.git`),
    ),
  };
}

function isPlaceholderFile({ mode, size }: Entry, content: string): boolean {
  return (size === 0 || size === content.length) && (mode & 0o222) === 0;
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}
