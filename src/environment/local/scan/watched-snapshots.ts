import { existsSync, readFileSync, statfsSync } from "node:fs";
import type { IgnoreFileOutside } from "../../../contract/environment.ts";
import {
  figure,
  isSettled,
  kindOfMode,
  type Snapshot,
  type SnapshotOptions,
} from "../../../contract/snapshot.ts";
import { monotonicMs } from "../../../lib/clock.ts";
import type { ChangedDirectories } from "../../../sandbox/sandbox.ts";
import { attemptQuietly, statsAt } from "../../../system/attempt.ts";
import { type MountTableEntry, readMountTable } from "../../../system/mount-table.ts";
import type { Pinning } from "../../../system/pinning.ts";
import { liesInside, withSlash } from "../../../system/workspace-path.ts";
import { placesWith } from "../../entry-columns.ts";
import { readSmallFile } from "../files/read-file.ts";
import { watchableTypes } from "./known-names.ts";
import { takeSnapshot } from "./take-snapshot.ts";
import type { TreeChanges, TreeWatch } from "./tree-watch.ts";
import { MustLookAgain, type Taken } from "./unchanged.ts";

/** When snapshots use a watch. */
export interface WatchLimits {
  /** Smaller workspaces are scanned faster than a watch answers. */
  readonly minEntries: number;
  /**
   * How many snapshots are taken before the first watch starts. Two are those around the first command. If an earlier
   * snapshot or git's index shows that the workspace is large, the watch starts before the first one.
   */
  readonly snapshotsBefore: number;
  /** Each directory takes about a kilobyte of the kernel's memory. */
  readonly maxDirectories: number;
  /** The watches that all programs of the user may have. A process uses at most half of them. */
  readonly maxUserWatches: () => number;
  /** A scan of everything is repeated after this time. */
  readonly maxAgeMs: number;
  /** The type of the file system at a path, as `statfs` returns it. */
  readonly typeAt: (path: string) => number;
  /** The mounts of this process. */
  readonly mounts: () => string;
}

const usualLimits: WatchLimits = {
  minEntries: 5000,
  snapshotsBefore: 2,
  maxDirectories: 100_000,
  maxUserWatches: () =>
    Number(attemptQuietly(() => readFileSync("/proc/sys/fs/inotify/max_user_watches", "utf8")) ?? 0),
  maxAgeMs: 300_000,
  typeAt: (path) => statfsSync(path).type,
  mounts: () => attemptQuietly(() => readFileSync("/proc/self/mountinfo", "utf8")) ?? "",
};

/** The programs that ran since the last call of `WatchedOptions.programs`. */
export interface ProgramsRun {
  /** How many run now. */
  readonly now: number;
  /** The largest number that ran at the same time. */
  readonly atOnce: number;
  /** Whether none of them could link a file of the workspace to a directory outside. */
  readonly areConfined: boolean;
}

interface WatchedSnapshotsOptions {
  readonly pinning: Pinning;
  readonly programs: () => ProgramsRun;
  /** How often this process has created the placeholders of sandboxes, by their absolute paths. */
  readonly placeholders: () => ReadonlyMap<string, number>;
  readonly findPerl: () => Promise<string>;
  readonly limits?: Partial<WatchLimits> | undefined;
}

/**
 * Takes the snapshots of one instance. In a large workspace, it watches the directories, and scans only those with
 * events. It scans everything when the watch cannot prove that the other directories are unchanged. The sandbox asks the
 * same watch which names may have changed.
 */
export class WatchedSnapshots {
  readonly #options: WatchedSnapshotsOptions;
  readonly #limits: WatchLimits;
  readonly #prefix: string;
  #watch: TreeWatch | undefined;
  #base: Base | undefined;
  #last: Snapshot | undefined;
  /** Since the last snapshot. */
  #changes: TreeChanges = noChanges;
  /** Whether the changes do not prove that directories without events are unchanged. */
  #mustLook = false;
  /** The directories with events since the last call of `changedDirectories`; undefined when they are not all known. */
  #named: Set<string> | undefined;
  #namedMs = 0;
  /** Placeholders that were created before the last question. */
  #placeholders: ReadonlyMap<string, number> = new Map();
  /** Whether a running program may have opened a file by a name that is gone, and may still write to it. */
  #mayHoldFiles = false;
  /** The inodes of files with several names in the last snapshot. */
  #linked: ReadonlySet<number> = new Set();
  /** Whether one of them has lost its other names since. A program may have opened it by such a name. */
  #hasLostName = false;
  /** Whether the last snapshot had to be one of everything. After commands in other sandboxes than bubblewrap it has. */
  #wasWhole = false;
  /** The mounts and the workspace when the watch started. */
  #mounts = "";
  #watched = "";
  #snapshots = 0;
  /** The number of snapshots until the next watch starts, and how many to wait after a watch that was useless. */
  #rest: number;
  #nextRest = 2;
  #turn: Promise<unknown> = Promise.resolve();
  #asked: Promise<unknown> = Promise.resolve();

  constructor(options: WatchedSnapshotsOptions) {
    this.#options = options;
    this.#limits = { ...usualLimits, ...options.limits };
    this.#rest = this.#limits.snapshotsBefore;
    this.#prefix = withSlash(options.pinning.root);
  }

  /** The number of directories that the last snapshot has read, for tests. */
  lastRead = 0;

  /** The process of the watch, for tests. */
  get pid(): number | undefined {
    return this.#watch?.pid;
  }

  take(outside: readonly IgnoreFileOutside[], options: SnapshotOptions): Promise<Snapshot> {
    const turn = this.#turn.then(() => this.#take(outside, options));
    this.#turn = turn.catch(() => {});
    return turn;
  }

  /**
   * Returns the absolute paths of the directories with events since the last call; "unknown" when they are not all known,
   * and undefined without a watch. In all other directories, no entry was added, removed or replaced, and no permissions
   * have changed.
   */
  async changedDirectories(): Promise<ChangedDirectories> {
    await this.#ask("names");
    if (this.#watch === undefined) return undefined;
    const now = monotonicMs();
    const named = now - this.#namedMs < this.#limits.maxAgeMs ? this.#named : undefined;
    if (named === undefined) this.#namedMs = now;
    this.#named = new Set();
    if (named === undefined) return "unknown";
    return new Set(Array.from(named, (path) => (path === "" ? this.#root : this.#prefix + path)));
  }

  async close(): Promise<void> {
    this.#rest = Number.POSITIVE_INFINITY;
    await this.#turn;
    await this.#asked;
    await this.#endWatch();
  }

  async #take(outside: readonly IgnoreFileOutside[], options: SnapshotOptions): Promise<Snapshot> {
    this.#snapshots += 1;
    if (this.#watch === undefined) await this.#start(options);
    else await this.#ask(options.ignoreFilesInUse ? "names" : "files");
    const [changes, mustLook] = [this.#changes, this.#mustLook];
    this.#changes = noChanges;
    this.#mustLook = false;
    try {
      return await this.#takeAfter(changes, mustLook, outside, options);
    } catch (error) {
      // An interrupted snapshot leaves its changes to the next one.
      this.#changes = merged(changes, this.#changes);
      this.#mustLook ||= mustLook;
      throw error;
    }
  }

  async #takeAfter(
    changes: TreeChanges,
    mustLook: boolean,
    outside: readonly IgnoreFileOutside[],
    options: SnapshotOptions,
  ): Promise<Snapshot> {
    const about = this.#about(outside, options);
    const base = this.#base;
    const isUsable =
      base !== undefined &&
      !mustLook &&
      !options.again &&
      (options.like === undefined ? base.isPlain : enterSame(base.snapshot, options.like)) &&
      base.about === about &&
      monotonicMs() - base.provenMs < this.#limits.maxAgeMs;
    const taken =
      (isUsable ? await this.#takeFrom(base, changes, outside, options) : undefined) ??
      (await this.#takeWhole(outside, options));
    this.lastRead = taken.read.length;
    this.#last = taken.snapshot;
    this.#wasWhole = options.again === true;
    if (this.#watch === undefined) return taken.snapshot;
    const isPart = taken.snapshot.shared !== undefined;
    const linked = new Set(taken.linked.map((place) => inodeAt(taken.snapshot, place)));
    this.#hasLostName = Array.from(this.#linked).some((inode) => !linked.has(inode));
    this.#linked = linked;
    this.#nextRest = isPart ? 2 : this.#nextRest;
    this.#base = {
      ...taken,
      about,
      provenMs: isPart ? base!.provenMs : monotonicMs(),
    };
    return taken.snapshot;
  }

  async #takeWhole(outside: readonly IgnoreFileOutside[], options: SnapshotOptions): Promise<Taken> {
    this.#base = undefined;
    return takeSnapshot(this.#options.pinning, outside, options);
  }

  /** Returns undefined when everything must be scanned. */
  async #takeFrom(
    base: Base,
    { directories, inUse }: TreeChanges,
    outside: readonly IgnoreFileOutside[],
    options: SnapshotOptions,
  ): Promise<Taken | undefined> {
    // Snapshots leave out some of the watched directories.
    const isCovered = (path: string) => base.snapshot.contents.has(path);
    const changed = new Set([...directories].filter(isCovered));
    for (const path of this.#unproven(base, inUse)) changed.add(path);
    const unchanged = { ...base, changed };
    try {
      return await takeSnapshot(this.#options.pinning, outside, options, unchanged);
    } catch (error) {
      if (!(error instanceof MustLookAgain)) throw error;
      return undefined;
    }
  }

  /**
   * Lists the directories with entries that may have changed without an event: files in use, those with several hard
   * links, and skipped directories.
   */
  *#unproven({ snapshot, linked }: Base, inUse: ReadonlySet<number>): Generator<string> {
    const { entries } = snapshot;
    for (const place of [...linked, ...snapshot.leftOut.keys()]) {
      const stats = statsAt(this.#prefix + entries.pathAt(place));
      const is = (column: number, value: number | undefined) => entries.figureAt(place, column) === value;
      const isSame =
        is(figure.changed, stats?.ctimeMs) && is(figure.inode, stats?.ino) && is(figure.device, stats?.dev);
      const isFile = kindOfMode(entries.figureAt(place, figure.mode)) === "file";
      if (!isSame || (isFile && !isSettled(snapshot, place))) yield parentOf(entries.pathAt(place));
    }
    for (const place of placesWith(entries, figure.inode, inUse)) yield parentOf(entries.pathAt(place));
  }

  /** Asks the watch, and ends it when it does not know all changes. */
  #ask(about: "names" | "files"): Promise<void> {
    const asked = this.#asked.then(async () => {
      if (this.#watch === undefined) return;
      const placeholders = new Map(this.#options.placeholders());
      const changes = await this.#watch.changes(about);
      const isSame = this.#limits.mounts() === this.#mounts && this.#identity() === this.#watched;
      if (changes !== undefined && isSame) this.#add(changes, placeholders);
      else await this.#endWatch();
    });
    this.#asked = asked.catch(() => {});
    return asked;
  }

  async #start(options: SnapshotOptions): Promise<void> {
    const { without = [], again = false, signal } = options;
    const isFirst = this.#last === undefined;
    if (isFirst ? !this.#isKnownToBeLarge(options) : this.#snapshots <= this.#rest) return;
    if (this.#wasWhole || again) return;
    const placeholders = new Map(this.#options.placeholders());
    this.#mounts = this.#limits.mounts();
    this.#watched = this.#identity();
    const { pinning, findPerl } = this.#options;
    const perl = this.#mayWatch(without) ? await findPerl().catch(() => undefined) : undefined;
    if (perl !== undefined) {
      const watches = await import("./tree-watch.ts");
      const { maxDirectories, maxUserWatches } = this.#limits;
      const most = Math.min(maxDirectories, Math.floor(maxUserWatches() / 2));
      this.#watch = await watches.TreeWatch.start(perl, pinning.root, most, signal);
      this.#named = undefined;
    }
    if (this.#watch === undefined && !isFirst) this.#rest = Number.POSITIVE_INFINITY;
    this.#placeholders = placeholders;
    this.#mayHoldFiles = this.#options.programs().now > 0;
  }

  /** Returns whether a watch is useful from the first snapshot on. */
  #isKnownToBeLarge({ known }: SnapshotOptions): boolean {
    const { minEntries } = this.#limits;
    const bytes = statsAt(`${this.#prefix}.git/index`)?.size ?? 0;
    const isLarge = known !== undefined && known.entries.count >= minEntries;
    return isLarge || bytes > minEntries * indexBytesPerFile;
  }

  /**
   * A new name may be a hard link to a file in a directory without events, by which the file was changed. A program that
   * has opened the file by that name can change it until the program ends.
   */
  #add(changes: TreeChanges, placeholders: ReadonlyMap<string, number>): void {
    const { now, atOnce, areConfined } = this.#options.programs();
    const made = (path: string) =>
      (placeholders.get(this.#prefix + path) ?? 0) - (this.#placeholders.get(this.#prefix + path) ?? 0);
    // A sandbox covers its placeholders by mounts, but not those of another.
    const isPlaceholder = ([path, count]: readonly [string, number]) =>
      atOnce <= 1 && count > 0 && count === made(path);
    const isProven = Array.from(changes.unproven).every(isPlaceholder);
    const mayHoldFiles = this.#mayHoldFiles || (this.#hasLostName && atOnce > 0);
    if (!isProven || mayHoldFiles || !areConfined) this.#mustLook = true;
    this.#mayHoldFiles = now > 0 && (mayHoldFiles || !isProven);
    this.#hasLostName = false;
    this.#placeholders = placeholders;
    this.#changes = merged(this.#changes, changes);
    // In a directory that was moved, names may have changed before it was watched again.
    if (!isProven) this.#named = undefined;
    for (const path of changes.directories) this.#named?.add(path);
  }

  #mayWatch(without: readonly string[]): boolean {
    if (process.platform !== "linux" || this.#rest === Number.POSITIVE_INFINITY) return false;
    // Toolcrib creates and removes files of its own all the time, and the kernel's directories are endless.
    if (without.some((path) => path.startsWith(this.#prefix) && existsSync(path))) return false;
    if (this.#last !== undefined) {
      const { entries, contents, leftOut } = this.#last;
      const { minEntries, maxDirectories } = this.#limits;
      if (entries.count < minEntries || contents.size > maxDirectories) return false;
      if (Array.from(leftOut.values()).includes("system")) return false;
    }
    const mounts = readMountTable(this.#mounts);
    if (isMountedTwice(this.#root, mounts)) return false;
    const inside = mounts.map(({ point }) => point).filter((point) => point.startsWith(this.#prefix));
    return [this.#root, ...inside].every((path) => {
      const type = attemptQuietly(() => this.#limits.typeAt(path));
      return type !== undefined && watchableTypes.has(type);
    });
  }

  /** Changes when another directory gets the path of the workspace. */
  #identity(): string {
    const stats = statsAt(this.#root);
    return `${stats?.dev} ${stats?.ino}`;
  }

  get #root(): string {
    return this.#options.pinning.root;
  }

  /** Ends a watch that no longer knows all changes. One that helped is replaced soon, others after more and more snapshots. */
  async #endWatch(): Promise<void> {
    const watch = this.#watch;
    if (watch === undefined) return;
    this.#watch = undefined;
    this.#base = undefined;
    this.#changes = noChanges;
    this.#mustLook = false;
    this.#named = undefined;
    this.#linked = new Set();
    this.#rest = Math.max(this.#rest, this.#snapshots + this.#nextRest - 1);
    this.#nextRest = Math.min(this.#nextRest * 2, 64);
    await watch.close();
  }

  /** Everything else that a snapshot depends on: its options, ignore files elsewhere and the workspace itself. */
  #about(outside: readonly IgnoreFileOutside[], { without, ignored, known }: SnapshotOptions): string {
    const repositories = (this.#last ?? known)?.repositories.map(({ path }) => path) ?? [];
    const excluded = Array.from(new Set(["", ...repositories]), (path) => [
      path,
      readSmallFile(`${this.#prefix}${path}/.git/info/exclude`)?.toString(),
    ]);
    return JSON.stringify([outside, without, ignored, this.#identity(), excluded]);
  }
}

/** The last snapshot, if a watch has proved which of its directories are unchanged. */
interface Base extends Taken {
  readonly about: string;
  /** When everything was last scanned. */
  readonly provenMs: number;
}

/** About 60 bytes and the path. */
const indexBytesPerFile = 110;

const noChanges: TreeChanges = { directories: new Set(), inUse: new Set(), unproven: new Map() };

/** The later changes list all files that are in use now. */
function merged(one: TreeChanges, other: TreeChanges): TreeChanges {
  return { ...other, directories: new Set([...one.directories, ...other.directories]) };
}

/** Whether another mount shows files of a directory, so that they could be linked to a directory outside it. */
function isMountedTwice(path: string, mounts: readonly MountTableEntry[]): boolean {
  const around = mounts.filter(({ point }) => liesInside(path, point));
  const innermost = around.toSorted((one, other) => one.point.length - other.point.length).at(-1);
  const below = path.slice(innermost?.point === "/" ? 0 : innermost?.point.length);
  return mounts
    .filter((mount) => mount === innermost || liesInside(mount.point, path))
    .some((mount) => {
      const shown =
        mount === innermost && below !== "" ? `${mount.root === "/" ? "" : mount.root}${below}` : mount.root;
      return mounts.some(
        (other) =>
          other !== mount &&
          other.device === mount.device &&
          (liesInside(shown, other.root) || liesInside(other.root, shown)),
      );
    });
}

/** Whether no directory was scanned in one snapshot and skipped in the other. */
function enterSame(one: Snapshot, other: Snapshot): boolean {
  const entersSkipped = (entering: Snapshot, { leftOut, entries }: Snapshot) =>
    [...leftOut.keys()].some((place) => entering.contents.has(entries.pathAt(place)));
  return !entersSkipped(one, other) && !entersSkipped(other, one);
}

function inodeAt({ entries }: Snapshot, place: number): number {
  return entries.figureAt(place, figure.inode);
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}
