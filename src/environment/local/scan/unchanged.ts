import { lstatSync, type Stats } from "node:fs";
import { basename } from "node:path";
import { type Contents, figure, isSettled, type Snapshot } from "../../../contract/snapshot.ts";
import type { Pinning } from "../../../system/pinning.ts";
import { withSlash } from "../../../system/workspace-path.ts";
import type { IgnoredBudget } from "../../snapshot-columns.ts";
import { repositoryAbove, repositoryIn } from "./repository.ts";

export interface Taken {
  readonly snapshot: Snapshot;
  /** The directories that were read, in an unknown order. */
  readonly read: readonly string[];
  /** Positions of the files with several hard links. */
  readonly linked: readonly number[];
  readonly budget: IgnoredBudget;
  /** Whether the choice of skipped directories is that of the current ignore files. */
  readonly isPlain: boolean;
}

/** An earlier snapshot, and the directories in it that may have changed since. */
export interface Unchanged extends Taken {
  readonly changed: ReadonlySet<string>;
}

/** Thrown when the changes affect directories that have not changed themselves. */
export class MustLookAgain extends Error {}

/** Returns a snapshot of an unchanged workspace. Only the repositories may have changed. */
export function takeAgain(pinning: Pinning, { snapshot: earlier, ...rest }: Unchanged): Taken {
  const own = earlier.repositories.filter(({ prefix }) => prefix === "");
  const above = own.some(({ path }) => path === "") ? undefined : repositoryAbove(pinning.root);
  const prefix = withSlash(pinning.root);
  const snapshot: Snapshot = {
    ...earlier,
    takenMs: Date.now(),
    identity: Symbol("snapshot"),
    shared: earlier.identity && {
      with: earlier.identity,
      ranges: [{ first: 0, end: earlier.entries.count, earlier: 0 }],
    },
    repositories: [
      ...(above === undefined ? [] : [above]),
      ...own.map(({ path }) => repositoryIn(path === "" ? pinning.root : prefix + path, path)),
    ],
  };
  return { ...rest, snapshot, read: [] };
}

/** Returns the earlier position of a directory that is still the same one. */
export function sameDirectory(earlier: Snapshot, path: string, stats: Stats): number | undefined {
  const place = earlier.contents.get(path)?.place;
  if (place === undefined) return undefined;
  const is = (column: number, value: number) => earlier.entries.figureAt(place, column) === value;
  return is(figure.inode, stats.ino) && is(figure.device, stats.dev) ? place : undefined;
}

/** Changed ignore rules apply to unchanged directories too. */
export function requireSameRules(
  earlier: Snapshot,
  at: string,
  range: Contents,
  names: readonly string[],
): void {
  const before = new Map<string, number>();
  for (let place = range.first; place < range.end; place += 1) {
    const name = basename(earlier.entries.pathAt(place));
    if (name === ".gitignore" || name === ".git") before.set(name, place);
  }
  if (names.includes(".git") !== before.has(".git")) throw new MustLookAgain();
  const rules = before.get(".gitignore");
  const stats = names.includes(".gitignore")
    ? lstatSync(`${at}.gitignore`, { throwIfNoEntry: false })
    : undefined;
  const isSame =
    rules === undefined || stats === undefined
      ? rules === undefined && stats === undefined
      : earlier.entries.figureAt(rules, figure.changed) === stats.ctimeMs &&
        earlier.entries.figureAt(rules, figure.inode) === stats.ino &&
        isSettled(earlier, rules);
  if (!isSame) throw new MustLookAgain();
}
