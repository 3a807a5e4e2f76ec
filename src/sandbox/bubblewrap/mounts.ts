import { randomBytes } from "node:crypto";
import { lstatSync, mkdirSync, renameSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { atRealPlace } from "../../system/pinning/at-real-place.ts";
import { liesInside } from "../../system/workspace-path.ts";
import type { PrivateDirectories } from "../private-directories.ts";
import type { TreeEntry } from "../tree-scan.ts";
import type { Mount } from "./arguments.ts";

/** What is where in a sandbox. Whatever is not named is there to be read. */
export interface SandboxView {
  readonly workspace: string;
  /** What the kernel would let root change for the whole machine. */
  readonly kernelSettings: readonly string[];
  /** Directories in whose place something else is seen, and can be written. */
  readonly replaced: readonly { readonly source: string; readonly target: string }[];
  /** Nothing is in them. */
  readonly blank: readonly string[];
  /** In what is replaced or blank: as outside after all. */
  readonly readable: readonly string[];
  readonly writable: readonly string[];
  /** In what can be written: nobody renames or replaces them. */
  readonly held: readonly string[];
  readonly readOnly: readonly string[];
  /** Directories that must stay empty. */
  readonly empty: readonly string[];
  readonly substitutes: readonly { readonly source: string; readonly target: string }[];
  readonly hidden: readonly TreeEntry[];
  /** What is seen instead of a hidden file; a device that cannot be opened if not said. */
  readonly covers: ReadonlyMap<string, string>;
}

/** In the order in which they are made: a place before what lies in it. */
export function mountsOf(view: SandboxView): readonly Mount[] {
  const places: Mount[] = [
    ...view.blank.map(blank("755")),
    ...view.replaced.map((place) => ({ show: "writable", ...place }) as const),
    ...view.readable.map(asOutside("read-only")),
    ...view.writable.map(asOutside("writable")),
    ...[view.workspace].filter((path) => path !== "/").map(asOutside("writable")),
  ];
  const kept: Mount[] = [
    ...view.held.map(asOutside("writable")),
    ...view.readOnly.map(asOutside("read-only")),
    ...view.substitutes.map((place) => ({ show: "read-only", ...place }) as const),
  ];
  return [
    asOutside(view.workspace === "/" ? "writable" : "read-only")("/"),
    { show: "devices", target: "/dev" },
    { show: "processes", target: "/proc" },
    ...view.kernelSettings.map(asOutside("read-only")),
    ...outermostFirst(places),
    ...outermostFirst(kept),
    ...view.hidden.map(({ path, kind }): Mount => {
      if (kind === "directory") return blank("000")(path);
      return { show: "read-only", source: view.covers.get(path) ?? "/dev/null", target: path };
    }),
    // For each of the others bubblewrap reads the table of all that were made before.
    ...view.empty.map(blank("555")),
  ];
}

function asOutside(show: "writable" | "read-only"): (path: string) => Mount {
  return (path) => ({ show, source: path, target: path });
}

function blank(permissions: "755" | "555" | "000"): (path: string) => Mount {
  return (target) => ({ show: "blank", target, permissions });
}

/** Those for one place stay in their order: the last is seen. */
function outermostFirst(mounts: readonly Mount[]): readonly Mount[] {
  return mounts.toSorted((one, other) => depthOf(one.target) - depthOf(other.target));
}

function depthOf(path: string): number {
  return path === "/" ? 0 : path.split("/").length;
}

/** What is mounted on in a place that belongs to commands, by its path there. */
interface PrivateMountPoint {
  readonly path: string;
  /** Something else is mounted further down. */
  readonly isParent: boolean;
}

/**
 * In a home and a temporary directory that are theirs commands could exchange what others are mounted on, and lead
 * bubblewrap elsewhere. So the directories above are mounted as well: nobody can rename those.
 */
export function pinPrivateMountPoints(
  meant: readonly Mount[],
  { home, temporary }: Pick<PrivateDirectories, "home" | "temporary">,
): { readonly mounts: readonly Mount[]; readonly points: readonly PrivateMountPoint[] } {
  const mounts: Mount[] = [];
  const points: PrivateMountPoint[] = [];
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
export function clearPrivateMountPoints(points: readonly PrivateMountPoint[], aside: string): boolean {
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

/**
 * Who exchanges a directory for a link in the moment in which it is mounted could have something else shown. So the mounts
 * that were really made are compared with those that were meant, before the program begins. Gives the first place that is
 * not as it should be. `inside` and `outside` are mount tables as /proc/PID/mountinfo tells them.
 */
export function findStrayMount(
  meant: readonly Mount[],
  tables: { readonly inside: string; readonly outside: string },
): string | undefined {
  const outside = placesIn(tables.outside);
  const meantAt = new Map(meant.map((mount) => [mount.target, mount]));
  const isOutside = new Set(outside.map(({ point }) => point));
  // Of several at one place only the last is seen.
  const seen = new Map(placesIn(tables.inside).map((place) => [place.point, place]));
  return [...seen.values()].find((place) => {
    if (liesInside(place.point, "/dev") || liesInside(place.point, "/proc")) return false;
    const mount = meantAt.get(place.point);
    if (mount === undefined) return !isOutside.has(place.point);
    if (!("source" in mount) || mount.source !== mount.target || isOutside.has(place.point)) return false;
    return place.identity !== identityOf(place.point, outside);
  })?.point;
}

interface Place {
  readonly point: string;
  readonly device: string;
  /** What of the file system is mounted there. */
  readonly root: string;
  readonly identity: string;
}

function placesIn(table: string): readonly Place[] {
  return table
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [, , device = "", root = "", point = ""] = line.split(" ").map(unescaped);
      return { device, root, point, identity: `${device} ${root}` };
    });
}

/** Where a path lies, by the innermost mount around it; of several at one place the last is seen. */
function identityOf(path: string, places: readonly Place[]): string {
  const around = places.filter(({ point }) => liesInside(path, point));
  const { device, root, point } = around.reduce((best, next) =>
    next.point.length >= best.point.length ? next : best,
  );
  const below = path.slice(point === "/" ? 0 : point.length);
  return `${device} ${root === "/" ? "" : root}${below}`;
}

/** Blanks and the like are told by their numbers. */
function unescaped(field: string): string {
  if (!field.includes("\\")) return field;
  const bytes = field.replace(/\\([0-7]{3})/g, (_, octal) => String.fromCharCode(Number.parseInt(octal, 8)));
  return bytes;
}
