import { lstatSync, readdirSync, readlinkSync, type Stats, statfsSync } from "node:fs";
import type { IgnoreFileOutside } from "../../../contract/environment.ts";
import { ToolError } from "../../../contract/error.ts";
import {
  type Entry,
  isUnchanged,
  type LeftOut,
  type ListedDirectory,
  type Repository,
  type Snapshot,
  type SnapshotOptions,
  typeBits,
  unchangedSince,
} from "../../../contract/snapshot.ts";
import { TimeSlice } from "../../../lib/async/time-slice.ts";
import { isExhaustion } from "../../../lib/exhaustion.ts";
import {
  type IgnoreFileName,
  type IgnoreLevel,
  IgnoreLevels,
  ignoreLevel,
  outsideLevel,
} from "../../../lib/ignore/ignore-rules.ts";
import { errnoOf, LeadsOutside, systemError } from "../../../system/file-errors.ts";
import type { PinnedDirectory, Pinning } from "../../../system/pinning.ts";
import { ReliableTimes } from "../../../system/reliable-times.ts";
import { isTemporaryName } from "../../../system/temporary-file.ts";
import { withSlash } from "../../../system/workspace-path.ts";
import { IgnoredBudget, namesBelow, smallFileBytes, tooManyEntries } from "../../ignored-budget.ts";
import { readSmallFile } from "../files/read-file.ts";
import { repositoryAbove, repositoryIn } from "./repository.ts";

/**
 * Implements Environment.snapshot: one walk with a look at every entry. A directory is pinned while its names are read, so
 * that no link is entered. The calls are synchronous, which is as fast as many concurrent calls and uses only one core.
 */
export async function takeSnapshot(
  pinning: Pinning,
  outside: readonly IgnoreFileOutside[],
  options: SnapshotOptions,
): Promise<Snapshot> {
  const timeSlice = new TimeSlice(options.signal);
  const walk = new Walk(pinning, options);
  walk.start(
    new IgnoreLevels(
      outside.map(outsideLevel).filter(({ files }) => !files.has(".ignore") && !files.has(".rgignore")),
    ),
  );
  while (walk.step()) if (timeSlice.isOver) await timeSlice.next();
  return walk.snapshot;
}

/** A directory that is still to be listed. */
interface Waiting {
  readonly path: string;
  readonly entry: Entry;
  readonly isIgnored: boolean;
  /** The ignore rules of the directories above. */
  readonly above: () => IgnoreLevels;
}

/** A directory whose entries are looked at. */
interface OpenDirectory {
  readonly path: string;
  readonly device: number;
  readonly isIgnored: boolean;
  /** The ignore rules for its entries. They are read when they are first needed. */
  readonly levels: () => IgnoreLevels;
  /** Its subdirectories that are still to be listed. */
  readonly below: Waiting[];
}

class Walk {
  readonly #takenMs = Date.now();
  readonly #entries = new Map<string, Entry>();
  readonly #listed = new Map<string, ListedDirectory>();
  readonly #leftOut = new Map<string, LeftOut>();
  readonly #repositories: Repository[] = [];
  readonly #pinning: Pinning;
  readonly #prefix: string;
  readonly #without: ReadonlySet<string>;
  readonly #like: Snapshot | undefined;
  readonly #known: Snapshot | undefined;
  readonly #maxEntries: number;
  readonly #ignored: IgnoredBudget;
  readonly #reliable = new ReliableTimes();
  /** The next directory is the last. */
  readonly #waiting: Waiting[] = [];

  constructor(
    pinning: Pinning,
    { without = [], like, known = like, maxEntries = Number.POSITIVE_INFINITY, ignored }: SnapshotOptions,
  ) {
    this.#pinning = pinning;
    this.#prefix = withSlash(pinning.root);
    this.#without = namesBelow(this.#prefix, without);
    this.#like = like;
    this.#known = known;
    this.#maxEntries = maxEntries;
    this.#ignored = new IgnoredBudget(ignored);
  }

  get snapshot(): Snapshot {
    return {
      takenMs: this.#takenMs,
      entries: this.#entries,
      leftOut: this.#leftOut,
      repositories: this.#repositories,
      listed: this.#listed,
    };
  }

  start(levels: IgnoreLevels): void {
    const { root } = this.#pinning;
    const above = repositoryAbove(root);
    if (above !== undefined) this.#repositories.push(above);
    this.#enter({ path: "", entry: entryOf(lstatSync(root)), isIgnored: false, above: () => levels });
  }

  /** Scans one directory; false when none is left. */
  step(): boolean {
    const next = this.#waiting.pop();
    if (next === undefined) return false;
    try {
      this.#enter(next);
    } catch (error) {
      if (error instanceof ToolError || isExhaustion(error)) throw error;
      if (!(error instanceof LeadsOutside) && errnoOf(error) === undefined) throw error;
      this.#removeMissing(next.path);
    }
    return true;
  }

  #enter({ path, entry, isIgnored, above }: Waiting): void {
    const paths = this.#knownPaths(path, entry) ?? this.#list(path);
    // A directory that the earlier snapshot entered is entered again, because the two are compared.
    if (isIgnored && !this.#ignored.takes(paths.length) && !this.#isDecided(path)) {
      this.#leftOut.set(path, "ignored");
      return;
    }
    const prefix = prefixOf(path);
    const isRepository = paths.includes(`${prefix}.git`);
    if (isRepository) this.#addRepository(path);
    let levels: IgnoreLevels | undefined;
    const hasRules = isRepository || paths.includes(`${prefix}.gitignore`);
    const readLevels = () =>
      (levels ??= above().with(
        hasRules ? this.#readLevel(path, isRepository) : ignoreLevel(path, new Map(), false),
      ));
    const open: OpenDirectory = { path, device: entry.dev, isIgnored, levels: readLevels, below: [] };
    for (const one of paths) {
      // Using a handle instead of the path would take a fifth longer. An attacker who swaps the directory for a link
      // right now could only cause a stat of another file of the same name.
      const found = lstatSync(this.#prefix + one, ifThere);
      if (found === undefined) this.#addMissing(one);
      else this.#add(open, one, found);
    }
    this.#leftOut.delete(path);
    this.#listed.set(path, { entry, paths });
    this.#waiting.push(...open.below.reverse());
  }

  /** Returns the paths in a directory that is unchanged since the known snapshot: names change only with its times. */
  #knownPaths(path: string, entry: Entry): readonly string[] | undefined {
    const known = this.#known?.listed?.get(path);
    if (known === undefined || !isUnchanged(known.entry, entry, this.#known!.takenMs)) return undefined;
    return this.#reliable.of(entry.dev, this.#prefix + path) ? known.paths : undefined;
  }

  #list(path: string): readonly string[] {
    const prefix = prefixOf(path);
    return this.#pinned(path, (directory) => {
      const names = readdirSync(directory.at("."));
      directory.confirm();
      const own = names.filter((name) => !(name.startsWith(".") && isTemporaryName(name)));
      return own.map((name) => prefix + name);
    });
  }

  /** Pins a directory for one use. Fails if its path contains a link by now. */
  #pinned<Result>(path: string, use: (directory: PinnedDirectory) => Result): Result {
    const realPath = path === "" ? this.#pinning.root : this.#prefix + path;
    const directory = this.#pinning.pin(realPath);
    try {
      if (directory.realPath !== realPath) throw systemError("ESTALE", realPath);
      return use(directory);
    } finally {
      directory.close();
    }
  }

  #add(parent: OpenDirectory, path: string, stats: Stats): void {
    if (this.#without.size > 0 && this.#without.has(path)) return;
    if (this.#entries.size >= this.#maxEntries) throw tooManyEntries(this.#maxEntries);
    const entry = unchangedSince(this.#known, path, stats) ?? entryOf(stats);
    const type = stats.mode & typeBits.all;
    if (type === typeBits.directory) {
      const isIgnored = parent.isIgnored || parent.levels().decide(path, "directory") === "ignore";
      const why = this.#isDecided(path)
        ? this.#like!.leftOut.get(path)
        : this.#whyNotEntered(path, entry, parent.device, isIgnored);
      this.#entries.set(path, entry);
      // It stays left out until all its entries are listed: a later snapshot must not take the others for new ones.
      this.#leftOut.set(path, why ?? "unreadable");
      if (why === undefined) parent.below.push({ path, entry, isIgnored, above: parent.levels });
    } else if (type === typeBits.link) {
      const isKnown = entry.target !== undefined;
      const target = isKnown ? entry.target : this.#targetOf(parent.path, path);
      if (target !== undefined) this.#entries.set(path, isKnown ? entry : { ...entry, target });
    } else {
      this.#entries.set(path, entry);
      const isIgnored =
        parent.isIgnored ||
        (stats.size > smallFileBytes && parent.levels().decide(path, "file") === "ignore");
      if (isIgnored && !this.#ignored.stores(stats.size)) this.#leftOut.set(path, "ignored");
    }
  }

  /** Whether the snapshot to be repeated has entered or skipped a directory. */
  #isDecided(path: string): boolean {
    const entry = this.#like?.entries.get(path);
    return entry !== undefined && (entry.mode & typeBits.all) === typeBits.directory;
  }

  #addRepository(path: string): void {
    const tree = path === "" ? this.#pinning.root : this.#prefix + path;
    this.#repositories.push(repositoryIn(tree, path));
  }

  #whyNotEntered(path: string, { dev }: Entry, device: number, isIgnored: boolean): LeftOut | undefined {
    if (path === ".git" || path.endsWith("/.git")) return "repository";
    if (isIgnored && !this.#ignored.enters(nameOf(path))) return "ignored";
    return dev !== device && isSystem(this.#prefix + path) ? "system" : undefined;
  }

  #readLevel(path: string, isRepository: boolean): IgnoreLevel | undefined {
    const texts = new Map<IgnoreFileName, string>();
    const take = (name: IgnoreFileName, text: string | undefined) =>
      text !== undefined && texts.set(name, text);
    this.#pinned(path, (directory) => {
      if (isRepository) take("exclude", readSmallFile(directory.at(".git/info/exclude"))?.toString());
      take(".gitignore", readRules(directory, ".gitignore"));
    });
    return ignoreLevel(path, texts, isRepository);
  }

  /** Returns the target of a link; undefined when the entry is no longer a link. */
  #targetOf(directory: string, path: string): string | undefined {
    try {
      return this.#pinned(directory, (pinned) => readlinkSync(pinned.at(nameOf(path))));
    } catch (error) {
      if (errnoOf(error) === undefined) throw error;
      return undefined;
    }
  }

  /** Removes a directory that was deleted after it was listed. */
  #removeMissing(path: string): void {
    if (lstatSync(this.#prefix + path, ifThere) !== undefined) return;
    this.#entries.delete(path);
    this.#leftOut.delete(path);
  }

  /** Adds an entry that was not found because its name is not valid UTF-8. Other missing entries no longer exist. */
  #addMissing(path: string): void {
    if (!path.includes("\ufffd")) return;
    this.#entries.set(path, unknownEntry);
    this.#leftOut.set(path, "unreadable");
  }
}

function entryOf({ mode, size, mtimeMs, ctimeMs, ino, dev }: Stats): Entry {
  return { mode, size, mtimeMs, ctimeMs, ino, dev };
}

function prefixOf(directory: string): string {
  return directory === "" ? "" : `${directory}/`;
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

const ifThere = { throwIfNoEntry: false } as const;

const unknownEntry: Entry = { mode: 0, size: 0, mtimeMs: 0, ctimeMs: 0, ino: 0, dev: 0 };

/** Reads an ignore file. Like git, it does not follow a link. */
function readRules(directory: PinnedDirectory, name: string): string | undefined {
  const stats = lstatSync(directory.at(name), ifThere);
  return stats?.isFile() ? readSmallFile(directory.at(name))?.toString() : undefined;
}

/** Whether the kernel generates the file system. Such file systems are endless and cannot be restored. */
function isSystem(path: string): boolean {
  return systemTypes.has(statfsSync(path).type);
}

// These are proc, sysfs, devpts, cgroup, cgroup2, debugfs, tracefs, securityfs, bpf, configfs, mqueue and fusectl.
const systemTypes = new Set([
  0x9fa0, 0x62656572, 0x1cd1, 0x27e0eb, 0x63677270, 0x64626720, 0x74726163, 0x73636673, 0xcafe4a11,
  0x62656570, 0x19800202, 0x65735543,
]);
