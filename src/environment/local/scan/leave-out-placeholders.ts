import { figure, kindOfMode, type Snapshot } from "../../../contract/snapshot.ts";
import type { Placeholder } from "../../../sandbox/bubblewrap/placeholder-records.ts";
import { PackedContents } from "../../directory-contents.ts";
import { EntryColumns } from "../../entry-columns.ts";

/**
 * Returns a snapshot without the placeholders of sandboxes. An entry is left out only if it looks like its placeholder: a
 * directory without other entries, or a read-only file that is empty or has the same size. `prefix` is the workspace with "/" at its end.
 */
export function leaveOutPlaceholders(
  snapshot: Snapshot,
  placeholders: readonly Placeholder[],
  prefix: string,
): Snapshot {
  const left = positionsOf(snapshot, placeholders, prefix);
  return left.size === 0 ? snapshot : leaveOut(snapshot, left);
}

function positionsOf(
  snapshot: Snapshot,
  placeholders: readonly Placeholder[],
  prefix: string,
): ReadonlySet<number> {
  const inside = placeholders.filter(({ path }) => path.startsWith(prefix));
  const byPath = new Map(inside.map((placeholder) => [placeholder.path.slice(prefix.length), placeholder]));
  const left = new Set<number>();
  if (byPath.size === 0) return left;
  // The entries of a directory come after it.
  for (let position = snapshot.entries.count - 1; position >= 0; position -= 1) {
    const placeholder = byPath.get(snapshot.entries.pathAt(position));
    if (placeholder !== undefined && looksLike(placeholder, snapshot, position, left)) left.add(position);
  }
  return left;
}

function looksLike(
  { kind, content = "" }: Placeholder,
  { entries, contents }: Snapshot,
  position: number,
  left: ReadonlySet<number>,
): boolean {
  const mode = entries.figureAt(position, figure.mode);
  if (kindOfMode(mode) !== kind) return false;
  const bytes = entries.figureAt(position, figure.bytes);
  if (kind === "file") return (bytes === 0 || bytes === content.length) && (mode & 0o222) === 0;
  const { first, end } = contents.get(entries.pathAt(position)) ?? { first: 0, end: 0 };
  for (let entry = first; entry < end; entry += 1) if (!left.has(entry)) return false;
  return true;
}

function leaveOut(snapshot: Snapshot, left: ReadonlySet<number>): Snapshot {
  const { entries } = snapshot;
  /** The new position of every entry, and of the end. */
  const moved = new Int32Array(entries.count + 1);
  for (let position = 0; position < entries.count; position += 1)
    moved[position + 1] = moved[position]! + (left.has(position) ? 0 : 1);
  const kept = new EntryColumns();
  let from = 0;
  for (const end of [...[...left].sort((one, other) => one - other), entries.count]) {
    kept.share(entries, from, end);
    from = end + 1;
  }
  const isKept = ([position]: readonly [number, unknown]) => !left.has(position);
  const remap = <Value>(values: ReadonlyMap<number, Value>) =>
    new Map(
      Array.from(values)
        .filter(isKept)
        .map(([position, value]) => [moved[position]!, value] as const),
    );
  const contents = Array.from(snapshot.contents).flatMap(([path, { place, first, end }]) => {
    // The names in a directory are known only if nothing in it was left out.
    const isWhole = moved[end]! - moved[first]! === end - first;
    if (!isWhole || left.has(place)) return [];
    return [
      [path, { place: place < 0 ? place : moved[place]!, first: moved[first]!, end: moved[end]! }] as const,
    ];
  });
  const gone = new Set(Array.from(left, (position) => entries.pathAt(position)));
  return {
    ...snapshot,
    identity: undefined,
    shared: undefined,
    entries: kept.done(),
    targets: remap(snapshot.targets),
    leftOut: remap(snapshot.leftOut),
    contents: PackedContents.from(contents),
    repositories: snapshot.repositories.filter(
      ({ path, prefix }) => prefix !== "" || !gone.has(path === "" ? ".git" : `${path}/.git`),
    ),
  };
}
