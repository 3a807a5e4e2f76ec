import { randomBytes } from "node:crypto";
import { lstatSync, mkdirSync, renameSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { atRealPlace } from "../../system/pinning/at-real-place.ts";
import { liesInside } from "../../system/workspace-path.ts";
import type { PrivatePlaces } from "../private-places.ts";
import type { Mount } from "./bubblewrap-arguments.ts";

/** What is mounted on in a place that belongs to commands, by its path there. */
export interface PrivatePoint {
  readonly path: string;
  /** Something else is mounted further down. */
  readonly isParent: boolean;
}

/**
 * In a home and a temporary directory that are theirs commands could exchange what others are mounted on, and lead
 * bubblewrap elsewhere. So the directories above are mounted as well: nobody can rename those.
 */
export function holdPrivatePoints(
  meant: readonly Mount[],
  { home, temporary }: Pick<PrivatePlaces, "home" | "temporary">,
): { readonly mounts: readonly Mount[]; readonly points: readonly PrivatePoint[] } {
  const mounts: Mount[] = [];
  const points: PrivatePoint[] = [];
  const made = new Map<string, Mount>();
  const make = (mount: Mount) => {
    mounts.push(mount);
    made.set(mount.target, mount);
  };
  /** Where a path lies in a private place; undefined when it does not. */
  const privatePath = (path: string): string | undefined => {
    let above = dirname(path);
    while (!made.has(above) && above !== "/") above = dirname(above);
    const around = made.get(above);
    if (around === undefined || !("source" in around)) return undefined;
    const isPrivate = [home, temporary].some((place) => liesInside(around.source, place));
    return isPrivate ? join(around.source, relative(above, path)) : undefined;
  };
  const hold = (target: string) => {
    const source = made.has(target) ? undefined : privatePath(target);
    if (source === undefined) return;
    hold(dirname(target));
    points.push({ path: source, isParent: true });
    make({ show: "writable", source, target });
  };
  for (const mount of meant) {
    const path = made.has(mount.target) ? undefined : privatePath(mount.target);
    if (path !== undefined) {
      hold(dirname(mount.target));
      points.push({ path, isParent: false });
    }
    make(mount);
  }
  return { mounts, points };
}

/** Does away with what commands have put there instead, while nobody can do so again. False if somebody could. */
export function clearPrivatePoints(points: readonly PrivatePoint[], aside: string): boolean {
  return points.every(({ path, isParent }) => {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    const isFit = stats === undefined ? !isParent : isParent ? stats.isDirectory() : !stats.isSymbolicLink();
    if (isFit) return true;
    return atRealPlace(path, (place) => {
      if (stats !== undefined) renameSync(place, join(aside, `found-${randomBytes(6).toString("hex")}`));
      if (isParent) mkdirSync(place, { mode: 0o700 });
      return true;
    });
  });
}
