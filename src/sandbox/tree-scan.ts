import { closeSync, constants, openSync, readdirSync, type Stats } from "node:fs";
import type { Confinement } from "../contract/confinement.ts";
import { TimeSlice } from "../lib/async/time-slice.ts";
import { withoutHeapGrowth } from "../lib/async/without-heap-growth.ts";
import { monotonicMs } from "../lib/clock.ts";
import { mayBePublicKeys } from "../lib/public-keys.ts";
import { attempt, statsAt } from "../system/attempt.ts";
import { withSlash } from "../system/workspace-path.ts";
import type { SandboxContext } from "./sandbox.ts";
import { StoredScan } from "./stored-scan.ts";

/** The entries that a sandbox must hide or protect in a directory tree. */
export interface ScanResult {
  readonly hidden: readonly TreeEntry[];
  readonly readOnly: readonly string[];
  /** Every `.git` in the tree: file, link or directory. */
  readonly repositories: readonly string[];
  /** Directories that git treats as repositories, although they have no `.git`. */
  readonly bare: readonly string[];
  /** Unix sockets. */
  readonly sockets: readonly string[];
  /** Entries that cannot be hidden, because no mount can name them: their names are not valid text. */
  readonly unnameable: readonly string[];
  /** False when the tree is too large to scan completely. */
  readonly isWhole: boolean;
}

export interface TreeEntry {
  readonly path: string;
  readonly kind: "file" | "directory";
}

/** Tests for paths. Scan results are cached as long as both functions are the same. */
export interface PathRules {
  /** Equal only for rules that decide the same. Without it, results are not stored for later processes. */
  readonly key?: string | undefined;
  readonly isHidden: (path: string) => boolean;
  readonly isReadOnly: (path: string) => boolean;
}

export function rulesOf({
  isHidden,
  isReadOnly,
  pathsKey,
}: Pick<Confinement, "isHidden" | "isReadOnly" | "pathsKey">): PathRules {
  const hasNone = isHidden === undefined && isReadOnly === undefined;
  return {
    isHidden: isHidden ?? never,
    isReadOnly: isReadOnly ?? never,
    key: hasNone ? "no rules" : pathsKey,
  };
}

const never = () => false;

interface ScanOptions {
  readonly leaveOut?: readonly string[];
  readonly maxDirectories?: number;
  /** The time limit for reading new directories. The next scan continues where this one stopped. */
  readonly maxMs?: number;
  /** The private folder in which results are stored for later processes. Default: they are not stored. */
  readonly store?: string | undefined;
  /** See `SandboxContext.changedDirectories`. */
  readonly changedDirectories?: SandboxContext["changedDirectories"];
}

/**
 * Finds the entries that rules hide or protect in a directory tree. Later scans read only changed directories. By
 * default there is no time limit: a command that creates very many directories only makes the next commands wait.
 */
export class TreeScan {
  readonly #top: string;
  readonly #options: ScanOptions;
  #rules: PathRules | undefined;
  /** Undefined until the stored results for these rules are read. */
  #known: Map<string, KnownDirectory> | undefined;
  /** The directories that may have changed since `#known`. */
  readonly #changed = new ChangesSince();
  /** The last result, of the directories in `#known`. */
  #last: LastScan | undefined;
  /** How many directories were read since the results were stored. */
  #unstored = 0;
  #latest: { readonly covered: Promise<ScanResult>; until: number } | undefined;
  #isWatched = false;

  constructor(top: string, options: ScanOptions = {}) {
    this.#top = top;
    this.#options = options;
  }

  /**
   * Scans the tree. Concurrent calls share one scan, and so do calls shortly after a slow scan, unless a watch makes the
   * next one fast. With `fresh`, a scan that has begun before is not used.
   */
  scan(rules: PathRules, { fresh = false }: { readonly fresh?: boolean } = {}): Promise<ScanResult> {
    const isSame = this.#hasRules(rules);
    const begun = monotonicMs();
    if (isSame && !fresh && this.#latest !== undefined && begun < this.#latest.until)
      return this.#latest.covered;
    if (!isSame) this.#known = undefined;
    this.#rules = rules;
    const latest = { covered: withoutHeapGrowth(() => this.#look(rules)), until: Number.POSITIVE_INFINITY };
    this.#latest = latest;
    const end = () => {
      const tookMs = monotonicMs() - begun;
      latest.until = begun + (this.#isWatched || tookMs < quickMs ? 0 : tookMs * 2);
    };
    latest.covered.then(end, end);
    return latest.covered;
  }

  #hasRules({ isHidden, isReadOnly }: PathRules): boolean {
    return this.#rules?.isHidden === isHidden && this.#rules.isReadOnly === isReadOnly;
  }

  async #look(rules: PathRules): Promise<ScanResult> {
    const timeSlice = new TimeSlice();
    const { store } = this.#options;
    const stored =
      store === undefined || rules.key === undefined
        ? undefined
        : new StoredScan(store, this.#top, rules.key);
    const reported = await this.#options.changedDirectories?.();
    this.#isWatched = reported !== undefined;
    const turn = this.#changed.add(reported === "unknown" ? undefined : reported);
    // Another scan may have begun meanwhile, with other rules.
    const latest = this.#hasRules(rules) ? this.#known : undefined;
    // Stored results may be older than the changes.
    const changed = latest === undefined ? undefined : turn.changed;
    const repeated = changed && latest && this.#repeat(latest, changed, rules);
    if (repeated !== undefined) {
      if (this.#rules === rules && this.#changed.areSeen(turn)) this.#keep(repeated, stored);
      return repeated.result;
    }
    const before = latest ?? stored?.read() ?? new Map<string, KnownDirectory>();
    const known = new Map<string, KnownDirectory>();
    const found = new FoundEntries();
    const queue: Waiting[] = [{ path: this.#top, isReadOnly: false, isInSame: changed !== undefined }];
    const { leaveOut, maxDirectories = mostDirectories, maxMs = Number.POSITIVE_INFINITY } = this.#options;
    const leftOut = new Set(leaveOut);
    const until = monotonicMs() + maxMs;
    let isWhole = true;
    for (let next = 0; next < queue.length; next++) {
      if (timeSlice.isOver) await timeSlice.next();
      const { path, isReadOnly, isInSame } = queue[next]!;
      const remembered = before.get(path);
      if (next >= maxDirectories || (remembered === undefined && monotonicMs() > until)) {
        isWhole = false;
        continue;
      }
      const isSame =
        isInSame &&
        changed?.has(path) === false &&
        remembered?.stamp &&
        remembered.wasReadOnly === isReadOnly;
      const directory = isSame ? remembered : look(path, isReadOnly, rules, remembered);
      if (directory === undefined) continue;
      if (directory === "closed") {
        found.hidden.push({ path, kind: "directory" });
        continue;
      }
      if (known.size < mostRemembered) known.set(path, directory);
      if (directory !== remembered && directory.stamp !== undefined) this.#unstored += 1;
      for (const kind of ["hidden", "readOnly", "repositories", "bare", "unnameable", "sockets"] as const)
        found[kind].push(...(directory[kind] as never[]));
      // A directory that was replaced has other directories below the same paths.
      const isBelowSame = changed !== undefined && directory === remembered;
      for (const below of directory.below)
        if (!leftOut.has(below.path)) queue.push({ ...below, isInSame: isBelowSame });
    }
    const result = { ...found, isWhole };
    const isEachKnown = isWhole && known.size === queue.length;
    const unsettled = Array.from(known).flatMap(([path, { stamp }]) => (stamp === undefined ? [path] : []));
    if (this.#rules === rules && this.#changed.areSeen(turn))
      this.#keep({ known, result, isEachKnown, unsettled }, stored);
    return result;
  }

  /**
   * Looks only at directories that may have changed. Returns undefined when something else must be hidden or scanned
   * now.
   */
  #repeat(
    known: Map<string, KnownDirectory>,
    changed: ReadonlySet<string>,
    rules: PathRules,
  ): LastScan | undefined {
    const last = this.#last;
    if (last?.known !== known || !last.isEachKnown) return undefined;
    const looked = new Map<string, KnownDirectory>();
    const leftOut = new Set(this.#options.leaveOut);
    const paths = new Set([...changed, ...last.unsettled]);
    const isKept = (path: string, isReadOnly: boolean): boolean => {
      const before = known.get(path);
      if (before === undefined) return false;
      const now = look(path, isReadOnly, rules, before);
      if (now === undefined || now === "closed" || entriesOf(now) !== entriesOf(before)) return false;
      if (now === before) return true;
      looked.set(path, now);
      // A directory that was replaced has other directories below the same paths.
      return now.below.every(
        (below) => leftOut.has(below.path) || paths.has(below.path) || isKept(below.path, below.isReadOnly),
      );
    };
    for (const path of paths) {
      const before = known.get(path);
      if (before !== undefined && !isKept(path, before.wasReadOnly)) return undefined;
    }
    for (const [path, directory] of looked) known.set(path, directory);
    this.#unstored += looked.size;
    const unsettled = Array.from(looked).flatMap(([path, { stamp }]) => (stamp === undefined ? [path] : []));
    return { ...last, unsettled };
  }

  /** Remembers the results, and stores them when enough has changed that a later process saves more time than this. */
  #keep(last: LastScan, stored: StoredScan | undefined): void {
    const { known } = last;
    this.#known = known;
    this.#last = last;
    if (stored === undefined || this.#unstored <= fewDirectories + known.size / 50) return;
    this.#unstored = 0;
    stored.write(known);
  }
}

interface LastScan {
  readonly known: Map<string, KnownDirectory>;
  readonly result: ScanResult;
  /** Whether `known` has every directory, also those that could not be entered. */
  readonly isEachKnown: boolean;
  /** Directories that must be read again anyway. */
  readonly unsettled: readonly string[];
}

interface Waiting {
  readonly path: string;
  readonly isReadOnly: boolean;
  /** Whether the directory above is the remembered one. */
  readonly isInSame: boolean;
}

/** A scan, and the directories that may have changed since the remembered results; undefined when any may have. */
interface ScanTurn {
  readonly number: number;
  readonly changed: ReadonlySet<string> | undefined;
}

/** Collects changed directories until a scan that has begun after them is remembered. Scans may overlap. */
class ChangesSince {
  /** The directories, with the number of the last scan before which they changed. */
  readonly #directories = new Map<string, number>();
  /** The last scan before which any directory may have changed. */
  #unknown = 0;
  #last = 0;
  #seen = -1;

  add(changed: ReadonlySet<string> | undefined): ScanTurn {
    this.#last += 1;
    if (changed === undefined) this.#unknown = this.#last;
    for (const path of changed ?? []) this.#directories.set(path, this.#last);
    const isKnown = this.#unknown <= this.#seen;
    return { number: this.#last, changed: isKnown ? new Set(this.#directories.keys()) : undefined };
  }

  /** Forgets the changes that a scan has seen. Returns false when a later scan has seen more. */
  areSeen({ number }: ScanTurn): boolean {
    if (number < this.#seen) return false;
    this.#seen = number;
    for (const [path, last] of this.#directories) if (last <= number) this.#directories.delete(path);
    return true;
  }
}

// Reading this many directories again is cheaper than storing the results.
const fewDirectories = 16;

// Scans faster than this are not shared with later calls.
const quickMs = 10;

const mostDirectories = 1_000_000;
const mostRemembered = 200_000;

class FoundEntries {
  readonly hidden: TreeEntry[] = [];
  readonly readOnly: string[] = [];
  readonly repositories: string[] = [];
  readonly bare: string[] = [];
  readonly unnameable: string[] = [];
  readonly sockets: string[] = [];
}

/** The entries that a scan found in one directory. */
export interface KnownDirectory extends Omit<ScanResult, "isWhole"> {
  /** Undefined when the directory must be read again anyway. */
  readonly stamp: Stamp | undefined;
  readonly wasReadOnly: boolean;
  /** Its subdirectories that are scanned too. */
  readonly below: readonly { readonly path: string; readonly isReadOnly: boolean }[];
}

/**
 * Identifies a directory and its names: adding, removing or renaming an entry sets both times, and no program can set
 * the time of change. The types of entries change only with their names. Nothing else is used from entries, but for the
 * content of those that may be public keys.
 */
export interface Stamp {
  readonly device: number;
  readonly inode: number;
  readonly modified: number;
  readonly changed: number;
}

export function hasStamp({ dev, ino, mtimeMs, ctimeMs }: Stats, stamp: Stamp | undefined): boolean {
  return (
    stamp?.changed === ctimeMs && stamp.modified === mtimeMs && stamp.inode === ino && stamp.device === dev
  );
}

/**
 * Returns the stamp of a directory that is read after this. Returns undefined for one that changed just now, because
 * file system clocks are coarse and it may change again with the same time, or whose time is in the future.
 */
export function stampOf({ dev, ino, mtimeMs, ctimeMs }: Stats, now: number): Stamp | undefined {
  const stepMs = ctimeMs % 1000 === 0 ? wholeSecondsMs : settledMs;
  if (now - ctimeMs < stepMs) return undefined;
  return { device: dev, inode: ino, modified: mtimeMs, changed: ctimeMs };
}

const settledMs = 100;
const wholeSecondsMs = 2100;

/** Describes everything in a directory that the result depends on. */
function entriesOf({ stamp: _, ...entries }: KnownDirectory): string {
  return JSON.stringify(entries);
}

/** Scans one directory; undefined when it is missing, or so deep that no path can name it. */
function look(
  path: string,
  isReadOnly: boolean,
  rules: PathRules,
  known: KnownDirectory | undefined,
): KnownDirectory | "closed" | undefined {
  const now = Date.now();
  const stats = statsAt(path);
  if (stats === undefined || !stats.isDirectory()) return undefined;
  // A closed directory is hidden, because any command could make it accessible again.
  if (isClosed(stats)) return "closed";
  if (hasStamp(stats, known?.stamp) && known?.wasReadOnly === isReadOnly) return known;
  const { isCertain, ...sorted } = sort(path, isReadOnly, rules);
  return { ...sorted, stamp: isCertain ? stampOf(stats, now) : undefined, wasReadOnly: isReadOnly };
}

// System calls do not accept longer paths, and sandboxes add a prefix.
const longestPath = 4000;

function sort(
  directory: string,
  isReadOnly: boolean,
  rules: PathRules,
): Omit<KnownDirectory, "stamp" | "wasReadOnly"> & { readonly isCertain: boolean } {
  let isDeep = false;
  const prefix = withSlash(directory);
  const sorted = { ...new FoundEntries(), below: [] as { path: string; isReadOnly: boolean }[] };
  // A directory that is missing, or inaccessible to this user and so to every command, has no entries.
  const listed = attempt(() => readdirSync(directory, { withFileTypes: true }));
  const entries = listed ?? [];
  const bareNames = entries.filter(({ name }) => name === "HEAD" || name === "objects" || name === "refs");
  if (bareNames.length === 3) sorted.bare.push(directory);
  for (const entry of entries) {
    const path = prefix + entry.name;
    if (Buffer.byteLength(path) > longestPath) {
      isDeep = true;
      continue;
    }
    if (entry.name === ".git") {
      sorted.repositories.push(path);
      continue;
    }
    // The target of a link is protected at its own path.
    if (entry.isSymbolicLink()) continue;
    const kind = entry.isDirectory() ? "directory" : "file";
    if (rules.isHidden(path)) {
      if (isText(path)) sorted.hidden.push({ path, kind });
      else sorted.unnameable.push(path);
      continue;
    }
    if (entry.isSocket()) sorted.sockets.push(path);
    const isProtected = !isReadOnly && rules.isReadOnly(path);
    if (isProtected) sorted.readOnly.push(path);
    if (kind === "directory" && entry.name !== "node_modules")
      sorted.below.push({ path, isReadOnly: isReadOnly || isProtected });
  }
  // Commands reach entries step by step that no mount can name. Without secrets among them, commands keep their access.
  if (isDeep && hidesBelow(directory, directory, rules, { entriesLeft: mostDeepEntries }))
    return {
      ...new FoundEntries(),
      hidden: [{ path: directory, kind: "directory" }],
      below: [],
      isCertain: false,
    };
  return {
    hidden: orShared(sorted.hidden),
    readOnly: orShared(sorted.readOnly),
    repositories: orShared(sorted.repositories),
    bare: orShared(sorted.bare),
    unnameable: orShared(sorted.unnameable),
    sockets: orShared(sorted.sockets),
    below: orShared(sorted.below),
    // The directory does not change when the content of such a file does. Sockets are not stored: a later process must
    // find them itself.
    isCertain:
      listed !== undefined &&
      !isDeep &&
      sorted.sockets.length === 0 &&
      !entries.some(({ name }) => mayBePublicKeys(name)),
  };
}

/** All directories share an empty list, because most of them have nothing to hide. */
function orShared<Entry>(list: readonly Entry[]): readonly Entry[] {
  return list.length === 0 ? noEntries : list;
}

const noEntries: readonly never[] = [];

/**
 * Whether a rule hides an entry at any depth below a directory, or there are too many to tell. `reached` is a short path
 * to it: through an open descriptor where its own path is too long.
 */
function hidesBelow(
  path: string,
  reached: string,
  rules: PathRules,
  budget: { entriesLeft: number },
): boolean {
  const entries = attempt(() => readdirSync(reached, { withFileTypes: true })) ?? [];
  budget.entriesLeft -= entries.length + 1;
  if (budget.entriesLeft < 0) return true;
  if (entries.some((entry) => !entry.isSymbolicLink() && rules.isHidden(`${path}/${entry.name}`)))
    return true;
  const directories = entries.filter((entry) => entry.isDirectory());
  const isLong = directories.some(({ name }) => Buffer.byteLength(`${reached}/${name}`) > longestPath);
  const opened = isLong
    ? attempt(() => openSync(reached, constants.O_RDONLY | constants.O_DIRECTORY))
    : undefined;
  try {
    const near = opened === undefined ? reached : `/proc/self/fd/${opened}`;
    return directories.some(({ name }) => hidesBelow(`${path}/${name}`, `${near}/${name}`, rules, budget));
  } finally {
    if (opened !== undefined) closeSync(opened);
  }
}

// Enough for every real tree at that depth, and it bounds the depth of the recursion.
const mostDeepEntries = 5_000;

/** Whether a path is valid text. U+FFFD replaces invalid bytes, but a valid name may contain it too. */
function isText(path: string): boolean {
  return !path.includes("\uFFFD") || statsAt(path) !== undefined;
}

/** Whether a directory belongs to this user, but its mode denies reading or entering it. */
export function isClosed({ uid, mode }: Pick<Stats, "uid" | "mode">): boolean {
  return uid === process.geteuid?.() && (mode & 0o500) !== 0o500;
}
