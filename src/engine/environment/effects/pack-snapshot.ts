import {
  type Entry,
  kindOf,
  type LeftOut,
  type Repository,
  type Snapshot,
} from "../../../contract/snapshot.ts";

/** A snapshot as plain data with few objects, to be stored or sent. */
export interface PackedSnapshot {
  readonly takenMs: number;
  /** The paths, each with a NUL byte at its end. */
  readonly paths: Uint8Array;
  /** Six numbers of each entry. */
  readonly figures: Float64Array;
  /** The targets of links, by path. */
  readonly targets: readonly (readonly [path: string, target: string])[];
  readonly leftOut: readonly (readonly [path: string, why: LeftOut])[];
  readonly repositories: readonly Repository[];
}

export function packSnapshot({ takenMs, entries, leftOut, repositories }: Snapshot): PackedSnapshot {
  const figures = new Float64Array(entries.size * figureCount);
  const targets: [string, string][] = [];
  let text = "";
  let at = 0;
  for (const [path, entry] of entries) {
    text += `${path}\0`;
    figures[at] = entry.mode;
    figures[at + 1] = entry.size;
    figures[at + 2] = entry.mtimeMs;
    figures[at + 3] = entry.ctimeMs;
    figures[at + 4] = entry.ino;
    figures[at + 5] = entry.dev;
    at += figureCount;
    if (entry.target !== undefined) targets.push([path, entry.target]);
  }
  return { takenMs, paths: Buffer.from(text), figures, targets, leftOut: [...leftOut], repositories };
}

/** Returns the snapshot of which `packSnapshot` has returned the data. Throws a RangeError if they do not fit. */
export function unpackSnapshot(packed: PackedSnapshot): Snapshot {
  const { takenMs, figures, targets, leftOut, repositories } = packed;
  const paths = splitPaths(packed.paths);
  if (figures.length !== paths.length * figureCount) throw new RangeError("Figures and paths do not fit");
  const entries = new Map<string, Entry>();
  const targetOf = new Map(targets);
  for (const [index, path] of paths.entries()) {
    const at = index * figureCount;
    const mode = figures[at]!;
    const entry = {
      mode,
      size: figures[at + 1]!,
      mtimeMs: figures[at + 2]!,
      ctimeMs: figures[at + 3]!,
      ino: figures[at + 4]!,
      dev: figures[at + 5]!,
    };
    entries.set(path, kindOf(entry) === "link" ? { ...entry, target: targetOf.get(path) } : entry);
  }
  return { takenMs, entries, leftOut: new Map(leftOut), repositories };
}

/** Splits a list of paths, each with a NUL byte at its end. Throws a RangeError when the last one has none. */
function splitPaths(joined: Uint8Array): readonly string[] {
  const paths = Buffer.from(joined.buffer, joined.byteOffset, joined.length).toString().split("\0");
  if (paths.pop() !== "") throw new RangeError("A list of paths is cut off");
  return paths;
}

const figureCount = 6;
