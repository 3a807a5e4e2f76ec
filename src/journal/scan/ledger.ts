import {
  figure,
  figureCount,
  isSettled,
  kindOfMode,
  type Repository,
  type Snapshot,
} from "../../contract/snapshot.ts";

/** A snapshot, and the stored contents of its files. */
export interface Ledger {
  readonly snapshot: Snapshot;
  /** The stored contents, by position. */
  readonly holdings: readonly (Holding | undefined)[];
}

/** The SHA-256 of a stored content, or git's name of a blob. They differ in length. */
export type Holding = string;

export function isHeldByGit(holding: Holding): boolean {
  return holding.length === 40;
}

/** Returns the innermost repository that contains a path. */
export function repositoryOf(snapshot: Snapshot, path: string): Repository | undefined {
  let nearest: Repository | undefined;
  for (const repository of snapshot.repositories) {
    const contains = repository.path === "" || path.startsWith(`${repository.path}/`);
    if (contains && repository.path.length >= (nearest?.path.length ?? 0)) nearest = repository;
  }
  return nearest;
}

/** Returns whether two entries look the same except for permissions. Says nothing about the content of a directory. */
export function looksSame(one: Snapshot, position: number, other: Snapshot, otherPosition: number): boolean {
  const [start, otherStart] = [position * figureCount, otherPosition * figureCount];
  for (let column = 1; column < figureCount; column += 1) {
    if (one.figures[start + column] !== other.figures[otherStart + column]) return false;
  }
  return true;
}

export function modeAt({ figures }: Snapshot, position: number): number {
  return figures[position * figureCount + figure.mode]!;
}

export function bytesAt({ figures }: Snapshot, position: number): number {
  return figures[position * figureCount + figure.bytes]!;
}

export function isFileAt(snapshot: Snapshot, position: number): boolean {
  return kindOfMode(modeAt(snapshot, position)) === "file";
}

/** Returns a function that finds positions by path. It is fastest in the order of the snapshot. */
export function positionsIn({ paths }: Snapshot): (path: string) => number | undefined {
  let next = 0;
  let all: Map<string, number> | undefined;
  return (path) => {
    if (paths[next] === path) {
      next += 1;
      return next - 1;
    }
    all ??= new Map(paths.map((other, position) => [other, position]));
    const found = all.get(path);
    if (found !== undefined) next = found + 1;
    return found;
  };
}

/** Copies the stored contents of an earlier ledger for unchanged files. */
export function carryOver(snapshot: Snapshot, earlier: Ledger | undefined): (Holding | undefined)[] {
  const holdings = new Array<Holding | undefined>(snapshot.paths.length).fill(undefined);
  if (earlier === undefined) return holdings;
  const positionOf = positionsIn(earlier.snapshot);
  for (const [position, path] of snapshot.paths.entries()) {
    const before = positionOf(path);
    if (before === undefined) continue;
    const holding = earlier.holdings[before];
    if (holding === undefined || !isSettled(earlier.snapshot, before)) continue;
    if (looksSame(snapshot, position, earlier.snapshot, before)) holdings[position] = holding;
  }
  return holdings;
}

/** Serializes a ledger together with other data. */
export function writeLedger({ snapshot, holdings }: Ledger, about: unknown): Uint8Array {
  const { paths, repositories, ...rest } = snapshot;
  const states = repositories.map(({ path, prefix, state }) => ({ path, prefix, state }));
  return v8().serialize({
    format,
    about,
    ...rest,
    repositories: states,
    paths: paths.join("\0"),
    holdings: holdings.map((holding) => holding ?? "").join(","),
  });
}

/** Parses a serialized ledger. Returns undefined for other content or another version. */
export function readLedger(
  bytes: Uint8Array,
): { readonly ledger: Ledger; readonly about: unknown } | undefined {
  try {
    const { format: written, about, repositories, paths, holdings, ...rest } = v8().deserialize(bytes);
    if (written !== format) return undefined;
    const snapshot: Snapshot = {
      ...rest,
      paths: paths === "" ? [] : paths.split("\0"),
      // The old index is not serialized.
      repositories: repositories.map((repository: object) => ({ ...repository, readIndex: () => undefined })),
    };
    const held = holdings.split(",").map((holding: string) => holding || undefined);
    return { ledger: { snapshot, holdings: snapshot.paths.length === 0 ? [] : held }, about };
  } catch {
    return undefined;
  }
}

const format = "toolcrib ledger 1";

/** Loads the module on first use, because most calls need no scan. */
function v8(): typeof import("node:v8") {
  return process.getBuiltinModule("node:v8");
}
