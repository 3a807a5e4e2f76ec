import { closeSync, constants, openSync, readdirSync, type Stats } from "node:fs";
import type { Confinement } from "../contract/confinement.ts";
import { TimeSlice } from "../lib/async/time-slice.ts";
import { monotonicMs } from "../lib/clock.ts";
import { mayBePublicKeys } from "../lib/public-keys.ts";
import { attempt, statsAt } from "../system/attempt.ts";
import { ReliableTimes } from "../system/reliable-times.ts";
import { withSlash } from "../system/workspace-path.ts";
import { hasBareNames } from "./git-repair.ts";

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

/** Tests for paths. */
export interface PathRules {
  /** Equal only for rules that decide the same. Without it, results are not remembered. */
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
}

/**
 * Finds the entries that rules hide or protect in a directory tree. Later scans read only changed directories. By
 * default there is no time limit: a command that creates very many directories only makes the next commands wait.
 */
export class TreeScan {
  readonly #top: string;
  readonly #options: ScanOptions;
  /** The entries that the last scan found in each directory, by the rules with this key. */
  #known: { readonly key: string; readonly directories: Map<string, KnownDirectory> } | undefined;
  readonly #reliable = new ReliableTimes();
  #running: { readonly key: string | undefined; readonly result: Promise<ScanResult> } | undefined;

  constructor(top: string, options: ScanOptions = {}) {
    this.#top = top;
    this.#options = options;
  }

  /** Scans the tree. Concurrent calls share one scan. With `fresh`, a scan that has begun before is not used. */
  scan(rules: PathRules, { fresh = false }: { readonly fresh?: boolean } = {}): Promise<ScanResult> {
    const { key } = rules;
    if (!fresh && key !== undefined && this.#running?.key === key) return this.#running.result;
    const running = { key, result: this.#look(rules) };
    this.#running = running;
    const end = () => {
      if (this.#running === running) this.#running = undefined;
    };
    running.result.then(end, end);
    return running.result;
  }

  async #look(rules: PathRules): Promise<ScanResult> {
    const timeSlice = new TimeSlice();
    const { key } = rules;
    const { leaveOut, maxDirectories = mostDirectories, maxMs = Number.POSITIVE_INFINITY } = this.#options;
    const isKnown = key !== undefined && this.#known?.key === key;
    const before = isKnown ? this.#known!.directories : new Map<string, KnownDirectory>();
    const known = new Map<string, KnownDirectory>();
    const found = new FoundEntries();
    const queue: { readonly path: string; readonly isReadOnly: boolean }[] = [
      { path: this.#top, isReadOnly: false },
    ];
    const leftOut = new Set(leaveOut);
    const until = monotonicMs() + maxMs;
    let isWhole = true;
    for (let next = 0; next < queue.length; next++) {
      if (timeSlice.isOver) await timeSlice.next();
      const { path, isReadOnly } = queue[next]!;
      const remembered = before.get(path);
      if (next >= maxDirectories || (remembered === undefined && monotonicMs() > until)) {
        isWhole = false;
        continue;
      }
      const directory = look(path, isReadOnly, rules, remembered, this.#reliable);
      if (directory === undefined) continue;
      if (directory === "closed") {
        found.hidden.push({ path, kind: "directory" });
        continue;
      }
      if (known.size < mostRemembered) known.set(path, directory);
      for (const kind of ["hidden", "readOnly", "repositories", "bare", "unnameable", "sockets"] as const)
        found[kind].push(...(directory[kind] as never[]));
      for (const below of directory.below) if (!leftOut.has(below.path)) queue.push(below);
    }
    if (key !== undefined) this.#known = { key, directories: known };
    return { ...found, isWhole };
  }
}

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

/** Scans one directory; undefined when it is missing, or so deep that no path can name it. */
function look(
  path: string,
  isReadOnly: boolean,
  rules: PathRules,
  known: KnownDirectory | undefined,
  reliable: ReliableTimes,
): KnownDirectory | "closed" | undefined {
  const now = Date.now();
  const stats = statsAt(path);
  if (stats === undefined || !stats.isDirectory()) return undefined;
  // A closed directory is hidden, because any command could make it accessible again.
  if (isClosed(stats)) return "closed";
  if (hasStamp(stats, known?.stamp) && known?.wasReadOnly === isReadOnly) return known;
  const { isCertain, ...sorted } = sort(path, isReadOnly, rules);
  const isReliable = isCertain && attempt(() => reliable.of(stats.dev, path)) === true;
  return { ...sorted, stamp: isReliable ? stampOf(stats, now) : undefined, wasReadOnly: isReadOnly };
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
  if (hasBareNames((wanted) => entries.some(({ name }) => name === wanted))) sorted.bare.push(directory);
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
    // The directory does not change when the content of such a file does.
    isCertain: listed !== undefined && !isDeep && !entries.some(({ name }) => mayBePublicKeys(name)),
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
