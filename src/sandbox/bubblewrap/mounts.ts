import { randomBytes } from "node:crypto";
import { lstatSync, mkdirSync, renameSync } from "node:fs";
import { join, relative } from "node:path";
import type { Shown } from "../../engine/sandbox/visible.ts";
import { statsAt } from "../../system/attempt.ts";
import { type MountTableEntry, readMountTable } from "../../system/mount-table.ts";
import { foldersAbove } from "../../system/package-file.ts";
import { atPinnedPath } from "../../system/pinned-path.ts";
import { liesInside } from "../../system/workspace-path.ts";
import type { PrivateDirectories } from "../private-directories.ts";
import type { TreeEntry } from "../tree-scan.ts";

export type Mount =
  /** Shows `source` from outside at `target`. A source that has vanished is skipped. */
  | { readonly show: "writable" | "read-only"; readonly source: string; readonly target: string }
  /** Shows an empty directory, which is five times cheaper than a mount from outside. */
  | { readonly show: "blank"; readonly target: string; readonly permissions: "755" | "000" }
  | { readonly show: "link"; readonly target: string; readonly to: string }
  | { readonly show: "devices" | "plain devices" | "processes"; readonly target: string };

/** The view of a command, by path. All other paths are missing. */
export interface SandboxView {
  readonly workspace: string;
  readonly isWorkspaceReadOnly: boolean;
  /** Whether everything else on the machine can be read. */
  readonly isMachineVisible: boolean;
  readonly links: readonly { readonly path: string; readonly to: string }[];
  /** Files with which root could change the whole machine. */
  readonly kernelSettings: readonly string[];
  /** Directories (`target`) that are replaced by others (`source`), which can be written. */
  readonly replaced: readonly Shown[];
  /** Directories (`target`) of `readable` that are replaced by others (`source`), which can be written. */
  readonly copies: readonly Shown[];
  /** Directories that appear empty. */
  readonly blank: readonly string[];
  readonly readable: readonly Shown[];
  readonly writable: readonly string[];
  /** Paths inside writable directories that cannot be renamed or replaced. */
  readonly held: readonly string[];
  readonly readOnly: readonly string[];
  readonly substitutes: readonly Shown[];
  readonly hidden: readonly TreeEntry[];
  /** The files that replace hidden files. Default: a device that cannot be opened. */
  readonly covers: ReadonlyMap<string, string>;
}

/** Returns the mounts in order, a directory before its contents. */
export function mountsOf(view: SandboxView): readonly Mount[] {
  const workspace = view.isWorkspaceReadOnly ? "read-only" : "writable";
  const directories: Mount[] = [
    ...view.blank.map(blank("755")),
    ...view.replaced.map((paths) => ({ show: "writable", ...paths }) as const),
    ...view.readable.map((paths) => ({ show: "read-only", ...paths }) as const),
    ...view.copies.map((paths) => ({ show: "writable", ...paths }) as const),
    ...view.writable.map(asOutside("writable")),
    ...[view.workspace].filter((path) => path !== "/").map(asOutside(workspace)),
  ];
  const kept: Mount[] = [
    ...view.held.map(asOutside("writable")),
    ...view.readOnly.map(asOutside("read-only")),
    ...view.substitutes.map((paths) => ({ show: "read-only", ...paths }) as const),
  ];
  const isRootShown = view.workspace === "/" || view.isMachineVisible;
  return [
    ...(isRootShown ? [asOutside(view.workspace === "/" ? workspace : "read-only")("/")] : []),
    ...(isRootShown ? [] : view.links.map(({ path, to }): Mount => ({ show: "link", target: path, to }))),
    { show: "devices", target: "/dev" },
    { show: "processes", target: "/proc" },
    ...view.kernelSettings.map(asOutside("read-only")),
    ...outermostFirst(directories),
    ...outermostFirst(kept),
    ...view.hidden.map(({ path, kind }): Mount => {
      if (kind === "directory") return blank("000")(path);
      return { show: "read-only", source: view.covers.get(path) ?? "/dev/null", target: path };
    }),
  ];
}

/** Returns the outermost directories that commands can write. bubblewrap itself must not write anywhere else. */
export function writableSources(mounts: readonly Mount[]): readonly string[] {
  const sources = new Set(mounts.flatMap((mount) => (mount.show === "writable" ? [mount.source] : [])));
  return [...sources].filter((path) => !foldersAbove(path).some((folder) => sources.has(folder)));
}

function asOutside(show: "writable" | "read-only"): (path: string) => Mount {
  return (path) => ({ show, source: path, target: path });
}

function blank(permissions: "755" | "000"): (path: string) => Mount {
  return (target) => ({ show: "blank", target, permissions });
}

/** Sorts mounts by depth. Mounts on the same path keep their order, because the last one is visible. */
function outermostFirst(mounts: readonly Mount[]): readonly Mount[] {
  const depthOf = ({ target }: Mount) => (target === "/" ? 0 : target.split("/").length);
  return mounts.toSorted((one, other) => depthOf(one) - depthOf(other));
}

/**
 * Prepares the mount points in the private home and temporary directory, where commands may have left links or files:
 * they are moved away. Returns false on failure.
 */
export function clearPrivateMountPoints(
  planned: readonly Mount[],
  { home, temporary, own }: Pick<PrivateDirectories, "home" | "temporary" | "own">,
): boolean {
  const made = new Map<string, Mount>();
  return planned.every((mount) => {
    const { target } = mount;
    const around = foldersAbove(target).find((folder) => made.has(folder));
    const isOver = made.has(target);
    made.set(target, mount);
    const outer = around === undefined ? undefined : made.get(around);
    if (isOver || outer === undefined || !("source" in outer)) return true;
    if (![home, temporary].includes(outer.source)) return true;
    const names = relative(outer.target, target).split("/");
    return names.every((_, index) => {
      const isParent = index < names.length - 1;
      return clearMountPoint(join(outer.source, ...names.slice(0, index + 1)), isParent, own);
    });
  });
}

function clearMountPoint(path: string, isParent: boolean, aside: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  const isFit = stats === undefined ? !isParent : isParent ? stats.isDirectory() : !stats.isSymbolicLink();
  if (isFit) return true;
  return (
    atPinnedPath(path, (pinned) => {
      if (stats !== undefined) renameSync(pinned, join(aside, `found-${randomBytes(6).toString("hex")}`));
      if (isParent) mkdirSync(pinned, { mode: 0o700 });
      return true;
    }) ?? false
  );
}

/**
 * Compares the actual mounts with the planned ones, because a directory that is replaced by a link while it is mounted
 * would show something else, and because the kernel removes a mount from a file that is replaced. Returns the first path
 * that differs. The tables are texts of /proc/PID/mountinfo.
 */
export function findStrayMount(
  planned: readonly Mount[],
  tables: { readonly inside: string; readonly outside: string },
): string | undefined {
  const outside = readMountTable(tables.outside);
  const plannedAt = new Map(planned.map((mount) => [mount.target, mount]));
  const writable = new Set(writableSources(planned));
  const isOutside = new Set(outside.map(({ point }) => point));
  // If there are several mounts on one path, only the last is visible.
  const seen = new Map(readMountTable(tables.inside).map((mounted) => [mounted.point, mounted]));
  const missing = planned.find(
    (mount) =>
      mount.show !== "link" &&
      !seen.has(mount.target) &&
      (!("source" in mount) || statsAt(mount.source) !== undefined),
  );
  if (missing !== undefined) return missing.target;
  return [...seen.values()].find(({ point, device, root }) => {
    if (liesInside(point, "/dev") || liesInside(point, "/proc")) return false;
    const mount = plannedAt.get(point);
    const isSame = () => `${device} ${root}` === identityOf(point, outside);
    // A mount of a directory around it shows it, too, because bubblewrap starts with a mount of its own for it.
    if (mount === undefined) return !isOutside.has(point) && !(writable.has(point) && isSame());
    if (!("source" in mount) || mount.source !== mount.target || isOutside.has(point)) return false;
    return !isSame();
  })?.point;
}

/** Returns the device of a path and the path on it, by the innermost and latest mount around it. */
function identityOf(path: string, mounts: readonly MountTableEntry[]): string {
  const around = mounts.filter(({ point }) => liesInside(path, point));
  const { device, root, point } = around.reduce((best, next) =>
    next.point.length >= best.point.length ? next : best,
  );
  const below = path.slice(point === "/" ? 0 : point.length);
  return `${device} ${root === "/" ? "" : root}${below}`;
}
