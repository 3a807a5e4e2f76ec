import { closeSync, constants, openSync, readdirSync, type Stats } from "node:fs";
import { join } from "node:path";
import { TimeSlice } from "../lib/async/time-slice.ts";
import { monotonicMs } from "../lib/clock.ts";
import { attempt, statsAt } from "../system/attempt.ts";
import { namesIfReadable } from "../system/directories.ts";
import { withSlash } from "../system/workspace-path.ts";

/** The entries that a sandbox must hide or protect in a directory tree. */
export interface ScanResult {
  readonly hidden: readonly TreeEntry[];
  readonly readOnly: readonly string[];
  /** Every `.git` in the tree: file, link or directory. */
  readonly repositories: readonly string[];
  /** Directories that git treats as repositories, although they have no `.git`. */
  readonly bare: readonly string[];
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
  readonly isHidden: (path: string) => boolean;
  readonly isReadOnly: (path: string) => boolean;
}

export function rulesOf({ isHidden = never, isReadOnly = never }: Partial<PathRules>): PathRules {
  return { isHidden, isReadOnly };
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
  #rules: PathRules | undefined;
  #known = new Map<string, Known>();
  #latest: { readonly covered: Promise<ScanResult>; until: number } | undefined;

  constructor(top: string, options: ScanOptions = {}) {
    this.#top = top;
    this.#options = options;
  }

  /**
   * Scans the tree. Concurrent calls share one scan, and so do calls shortly after a slow scan. With `fresh`, a scan
   * that has begun before is not used.
   */
  scan(rules: PathRules, { fresh = false }: { readonly fresh?: boolean } = {}): Promise<ScanResult> {
    const isSame = this.#rules?.isHidden === rules.isHidden && this.#rules.isReadOnly === rules.isReadOnly;
    const begun = monotonicMs();
    if (isSame && !fresh && this.#latest !== undefined && begun < this.#latest.until)
      return this.#latest.covered;
    if (!isSame) this.#known = new Map();
    this.#rules = rules;
    const latest = { covered: this.#look(rules), until: Number.POSITIVE_INFINITY };
    this.#latest = latest;
    const end = () => {
      const tookMs = monotonicMs() - begun;
      latest.until = begun + (tookMs < quickMs ? 0 : tookMs * 2);
    };
    latest.covered.then(end, end);
    return latest.covered;
  }

  async #look(rules: PathRules): Promise<ScanResult> {
    const timeSlice = new TimeSlice();
    const before = this.#known;
    const known = new Map<string, Known>();
    const found = new FoundEntries();
    const queue: { path: string; isReadOnly: boolean }[] = [{ path: this.#top, isReadOnly: false }];
    const {
      leaveOut = [],
      maxDirectories = mostDirectories,
      maxMs = Number.POSITIVE_INFINITY,
    } = this.#options;
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
      const directory = look(path, isReadOnly, rules, remembered);
      if (directory === undefined) continue;
      if (directory === "closed") {
        found.hidden.push({ path, kind: "directory" });
        continue;
      }
      if (known.size < mostRemembered) known.set(path, directory);
      for (const kind of ["hidden", "readOnly", "repositories", "bare", "unnameable"] as const)
        found[kind].push(...(directory[kind] as never[]));
      for (const below of directory.below) if (!leftOut.has(below.path)) queue.push(below);
    }
    if (this.#rules === rules) this.#known = known;
    return { ...found, isWhole };
  }
}

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
}

interface Known extends FoundEntries {
  readonly changed: number;
  readonly inode: number;
  readonly wasReadOnly: boolean;
  readonly below: readonly { readonly path: string; readonly isReadOnly: boolean }[];
}

/** Scans one directory; undefined when it is missing, or so deep that no path can name it. */
function look(
  path: string,
  isReadOnly: boolean,
  rules: PathRules,
  known: Known | undefined,
): Known | "closed" | undefined {
  const now = Date.now();
  const stats = statsAt(path);
  if (stats === undefined || !stats.isDirectory()) return undefined;
  // A closed directory is hidden, because any command could make it accessible again.
  if (isClosed(stats)) return "closed";
  if (known?.changed === stats.ctimeMs && known.inode === stats.ino && known.wasReadOnly === isReadOnly)
    return known;
  // File system clocks are coarse, so a directory that just changed may change again with the same time.
  const isSettled = now - stats.ctimeMs >= settledMs;
  const { isDeep, ...sorted } = sort(path, isReadOnly, rules);
  const changed = isSettled && !isDeep ? stats.ctimeMs : Number.NaN;
  return { ...sorted, changed, inode: stats.ino, wasReadOnly: isReadOnly };
}

const settledMs = 100;

// System calls do not accept longer paths, and sandboxes add a prefix.
const longestPath = 4000;

function sort(
  directory: string,
  isReadOnly: boolean,
  rules: PathRules,
): Omit<Known, "changed" | "inode" | "wasReadOnly"> & { readonly isDeep: boolean } {
  let isDeep = false;
  const prefix = withSlash(directory);
  const sorted = { ...new FoundEntries(), below: [] as { path: string; isReadOnly: boolean }[] };
  // A directory that is missing, or inaccessible to this user and so to every command, has no entries.
  const entries = attempt(() => readdirSync(directory, { withFileTypes: true })) ?? [];
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
    const isProtected = !isReadOnly && rules.isReadOnly(path);
    if (isProtected) sorted.readOnly.push(path);
    if (kind === "directory" && entry.name !== "node_modules")
      sorted.below.push({ path, isReadOnly: isReadOnly || isProtected });
  }
  // Commands reach entries step by step that no mount can name. Without secrets among them, commands keep their access.
  if (isDeep && hidesBelow(directory, directory, rules, { entriesLeft: mostDeepEntries }))
    return { ...new FoundEntries(), hidden: [{ path: directory, kind: "directory" }], below: [], isDeep };
  return { ...sorted, isDeep };
}

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

/** Finds hidden entries at the top of tool chains, and only there, such as `credentials.toml` of cargo. */
export class CacheSecrets {
  #isHidden: PathRules["isHidden"] | undefined;
  readonly #known = new Map<string, Pick<Known, "changed" | "inode" | "hidden">>();

  in(caches: readonly string[], { isHidden }: PathRules): readonly TreeEntry[] {
    if (this.#isHidden !== isHidden) this.#known.clear();
    this.#isHidden = isHidden;
    return caches.flatMap((cache) => this.#look(cache, isHidden));
  }

  #look(cache: string, isHidden: PathRules["isHidden"]): readonly TreeEntry[] {
    const stats = statsAt(cache);
    if (stats?.isDirectory() !== true) return [];
    const known = this.#known.get(cache);
    if (known?.changed === stats.ctimeMs && known.inode === stats.ino) return known.hidden;
    const paths = namesIfReadable(cache).map((name) => join(cache, name));
    const hidden = paths.filter(isHidden).flatMap((path): TreeEntry[] => {
      const entry = statsAt(path);
      return entry === undefined ? [] : [{ path, kind: entry.isDirectory() ? "directory" : "file" }];
    });
    if (Date.now() - stats.ctimeMs >= settledMs)
      this.#known.set(cache, { changed: stats.ctimeMs, inode: stats.ino, hidden });
    return hidden;
  }
}

/** Whether a directory belongs to this user, but its mode denies reading or entering it. */
export function isClosed({ uid, mode }: Pick<Stats, "uid" | "mode">): boolean {
  return uid === process.geteuid?.() && (mode & 0o500) !== 0o500;
}
