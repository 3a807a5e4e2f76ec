import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** A place as Landlock is told of it. */
export interface Parts {
  /** Files, and directories with all in them. */
  readonly readable: readonly string[];
  /** Directories of which only the names are seen. */
  readonly listable: readonly string[];
}

/**
 * Landlock knows no exceptions: where something hidden lies in a directory, what is beside it is named one by one. That
 * is for places where nothing new is made. Remembers what it found until one of the directories changes.
 */
export class ReadableParts {
  readonly #known = new Map<string, Known>();

  of(place: string, isHidden: ((path: string) => boolean) | undefined): Parts {
    if (isHidden === undefined) return { readable: [place], listable: [] };
    const known = this.#known.get(place);
    if (known?.isHidden === isHidden && known.seen.every(isUnchanged)) return known.parts;
    const seen: Stamped[] = [];
    const parts = partsOf(place, isHidden, mostDepth, seen);
    this.#known.set(place, { isHidden, seen, parts });
    return parts;
  }
}

interface Known {
  readonly isHidden: (path: string) => boolean;
  readonly seen: readonly Stamped[];
  readonly parts: Parts;
}

interface Stamped {
  readonly path: string;
  readonly stamp: string | undefined;
}

// Deeper than this, nobody keeps secrets in tool chains; and what has more names holds data.
const mostDepth = 2;
const mostNames = 2000;

function partsOf(path: string, isHidden: (path: string) => boolean, depth: number, seen: Stamped[]): Parts {
  if (isHidden(path)) return { readable: [], listable: [] };
  const names = depth === 0 ? [] : namesIn(path, seen);
  const children = names.map((name) => partsOf(join(path, name), isHidden, depth - 1, seen));
  const isWhole = children.every(({ readable, listable }) => readable.length === 1 && listable.length === 0);
  if (isWhole) return { readable: [path], listable: [] };
  return {
    readable: children.flatMap(({ readable }) => readable),
    listable: [path, ...children.flatMap(({ listable }) => listable)],
  };
}

function namesIn(path: string, seen: Stamped[]): readonly string[] {
  const stamp = stampOf(path);
  if (stamp === undefined) return [];
  seen.push({ path, stamp });
  try {
    const names = readdirSync(path);
    return names.length > mostNames ? [] : names;
  } catch {
    return [];
  }
}

function isUnchanged({ path, stamp }: Stamped): boolean {
  return stampOf(path) === stamp;
}

/** Of a directory; undefined for anything else. */
function stampOf(path: string): string | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isDirectory() === true ? `${stats.ino}:${stats.ctimeMs}` : undefined;
}
