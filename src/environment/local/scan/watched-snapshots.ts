import { lstatSync, readFileSync, statfsSync } from "node:fs";
import type { IgnoreFileOutside } from "../../../contract/environment.ts";
import {
  figure,
  figureCount,
  isSettled,
  kindOfMode,
  type Snapshot,
  type SnapshotOptions,
} from "../../../contract/snapshot.ts";
import { monotonicMs } from "../../../lib/clock.ts";
import { attemptQuietly, statsAt } from "../../../system/attempt.ts";
import type { Pinning } from "../../../system/pinning.ts";
import { withSlash } from "../../../system/workspace-path.ts";
import { watchableTypes } from "./known-names.ts";
import { takeSnapshot } from "./take-snapshot.ts";
import type { TreeChanges, TreeWatch } from "./tree-watch.ts";
import { MustLookAgain, type Taken } from "./unchanged.ts";

/** When snapshots use a watch. */
export interface WatchLimits {
  /** Smaller workspaces are scanned faster than a watch answers. */
  readonly minEntries: number;
  /** Each directory takes a watch of the user and about a kilobyte of the kernel's memory. */
  readonly maxDirectories: number;
  /** A scan of everything is repeated after this time. */
  readonly maxAgeMs: number;
  /** The type of the file system at a path, as `statfs` returns it. */
  readonly typeAt: (path: string) => number;
  /** The mounts of this process. */
  readonly mounts: () => string;
}

const usualLimits: WatchLimits = {
  minEntries: 5000,
  maxDirectories: 100_000,
  maxAgeMs: 300_000,
  typeAt: (path) => statfsSync(path).type,
  mounts: () => readFileSync("/proc/self/mountinfo", "utf8"),
};

interface WatchedSnapshotsOptions {
  readonly pinning: Pinning;
  readonly findPerl: () => Promise<string>;
  readonly limits?: Partial<WatchLimits> | undefined;
}

/**
 * Takes the snapshots of one instance. From the third one on, it watches the directories, and scans only those with
 * events. It scans everything when the watch cannot prove that the other directories are unchanged.
 */
export class WatchedSnapshots {
  readonly #options: WatchedSnapshotsOptions;
  readonly #limits: WatchLimits;
  readonly #prefix: string;
  #watch: TreeWatch | undefined;
  #base: Base | undefined;
  #last: Snapshot | undefined;
  #changes: TreeChanges = noChanges;
  #snapshots = 0;
  /** The number of snapshots until the next watch starts, and how many to wait after a watch that was useless. */
  #rest = 2;
  #nextRest = 2;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: WatchedSnapshotsOptions) {
    this.#options = options;
    this.#limits = { ...usualLimits, ...options.limits };
    this.#prefix = withSlash(options.pinning.root);
  }

  /** The number of directories that the last snapshot has read, for tests. */
  lastRead = 0;

  /** `placeholders` returns the paths that sandboxes have covered so far. They may come and go unnoticed. */
  take(
    outside: readonly IgnoreFileOutside[],
    options: SnapshotOptions,
    placeholders: () => ReadonlySet<string>,
  ): Promise<Snapshot> {
    const turn = this.#turn.then(() => this.#take(outside, options, placeholders));
    this.#turn = turn.catch(() => {});
    return turn;
  }

  async close(): Promise<void> {
    this.#rest = Number.POSITIVE_INFINITY;
    await this.#turn;
    await this.#endWatch();
  }

  async #take(
    outside: readonly IgnoreFileOutside[],
    options: SnapshotOptions,
    placeholders: () => ReadonlySet<string>,
  ): Promise<Snapshot> {
    await this.#startOrAsk();
    const about = this.#about(outside, options);
    const base = this.#base;
    const isUsable =
      base !== undefined &&
      !options.again &&
      this.#changes.fleeting.every((path) => placeholders().has(path)) &&
      (base.isPlain || options.like !== undefined) &&
      base.about === about &&
      monotonicMs() - base.provenMs < this.#limits.maxAgeMs;
    const taken =
      (isUsable ? await this.#takeFrom(base, outside, options) : undefined) ??
      (await this.#takeWhole(outside, options));
    this.lastRead = taken.read.length;
    this.#last = taken.snapshot;
    this.#changes = noChanges;
    if (this.#watch === undefined) return taken.snapshot;
    // A directory that was scanned before it was watched may have changed in between.
    const unwatched = taken.read.filter((path) => !this.#watch!.directories.has(path));
    if (!unwatched.every((path) => placeholders().has(path))) {
      await this.#endWatch();
      return taken.snapshot;
    }
    const isPart = taken.snapshot.shared !== undefined;
    this.#nextRest = isPart ? 2 : this.#nextRest;
    this.#base = {
      ...taken,
      about,
      unwatched,
      isPlain: isPart ? base!.isPlain : options.like === undefined,
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
    outside: readonly IgnoreFileOutside[],
    options: SnapshotOptions,
  ): Promise<Taken | undefined> {
    const changed = new Set([...this.#changes.directories, ...base.unwatched]);
    for (const path of this.#unproven(base)) changed.add(path);
    const unchanged = { ...base, changed };
    try {
      return await takeSnapshot(this.#options.pinning, outside, options, unchanged);
    } catch (error) {
      if (!(error instanceof MustLookAgain)) throw error;
      return undefined;
    }
  }

  /** Lists the directories with entries that may have changed without an event: mapped files, those with several hard links, and skipped directories. */
  *#unproven({ snapshot, linked }: Base): Generator<string> {
    const { paths, figures } = snapshot;
    for (const place of [...linked, ...snapshot.leftOut.keys()]) {
      const stats = statsAt(this.#prefix + paths[place]!);
      const is = (column: number, value: number | undefined) =>
        figures[place * figureCount + column] === value;
      const isSame =
        is(figure.changed, stats?.ctimeMs) && is(figure.inode, stats?.ino) && is(figure.device, stats?.dev);
      const isFile = kindOfMode(figures[place * figureCount + figure.mode]!) === "file";
      if (!isSame || (isFile && !isSettled(snapshot, place))) yield parentOf(paths[place]!);
    }
    const { mapped } = this.#changes;
    if (mapped.size === 0) return;
    for (let place = 0; place < paths.length; place += 1)
      if (mapped.has(figures[place * figureCount + figure.inode]!)) yield parentOf(paths[place]!);
  }

  async #startOrAsk(): Promise<void> {
    this.#snapshots += 1;
    if (this.#watch !== undefined) {
      const changes = await this.#watch.changes();
      if (changes === undefined) await this.#endWatch();
      else this.#changes = merged(this.#changes, changes);
      return;
    }
    if (this.#snapshots <= this.#rest || this.#last === undefined) return;
    const { pinning, findPerl } = this.#options;
    const directories = new Set(this.#last.contents.keys());
    const perl = this.#mayWatch(this.#last) ? await findPerl().catch(() => undefined) : undefined;
    if (perl !== undefined) {
      const watches = await import("./tree-watch.ts");
      this.#watch = await watches.TreeWatch.start(perl, pinning.root, directories);
    }
    if (this.#watch === undefined) this.#rest = Number.POSITIVE_INFINITY;
  }

  #mayWatch({ paths, contents, figures }: Snapshot): boolean {
    if (process.platform !== "linux" || this.#rest === Number.POSITIVE_INFINITY) return false;
    if (paths.length < this.#limits.minEntries || contents.size > this.#limits.maxDirectories) return false;
    const devices = new Map<number, string>();
    for (const [path, { place }] of contents) {
      const device = place < 0 ? -1 : figures[place * figureCount + figure.device]!;
      if (!devices.has(device)) devices.set(device, path);
    }
    return Array.from(devices.values()).every((path) => {
      const type = attemptQuietly(() => this.#limits.typeAt(this.#prefix + path));
      return type !== undefined && watchableTypes.has(type);
    });
  }

  /** Ends a watch that no longer knows all changes. One that helped is replaced soon, others after more and more snapshots. */
  async #endWatch(): Promise<void> {
    const watch = this.#watch;
    this.#watch = undefined;
    this.#base = undefined;
    this.#changes = noChanges;
    this.#rest = this.#snapshots + this.#nextRest - 1;
    this.#nextRest = Math.min(this.#nextRest * 2, 64);
    await watch?.close();
  }

  /** Everything else that a snapshot depends on: its options, ignore files elsewhere, mounts and the workspace itself. */
  #about(outside: readonly IgnoreFileOutside[], { without, ignored }: SnapshotOptions): string {
    const { ino, dev } = lstatSync(this.#options.pinning.root);
    const excluded = this.#last?.repositories.map(({ path }) =>
      attemptQuietly(() => readFileSync(`${this.#prefix}${path}/.git/info/exclude`, "utf8")),
    );
    const mounts = attemptQuietly(this.#limits.mounts);
    return JSON.stringify([outside, without, ignored, ino, dev, mounts, excluded]);
  }
}

/** The last snapshot, if a watch has proved which of its directories are unchanged. */
interface Base extends Taken {
  readonly about: string;
  /** Directories that are always read. */
  readonly unwatched: readonly string[];
  /** Whether the choice of skipped directories is that of the current ignore files. */
  readonly isPlain: boolean;
  /** When everything was last scanned. */
  readonly provenMs: number;
}

const noChanges: TreeChanges = { directories: new Set(), mapped: new Set(), fleeting: [] };

/** An interrupted snapshot leaves its changes to the next one. */
function merged(one: TreeChanges, other: TreeChanges): TreeChanges {
  const directories = new Set([...one.directories, ...other.directories]);
  return { ...other, directories, fleeting: [...one.fleeting, ...other.fleeting] };
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}
