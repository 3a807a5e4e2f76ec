import { lstatSync, readdirSync, readlinkSync, type Stats, statfsSync } from "node:fs";
import type { IgnoreFileOutside } from "../../../contract/environment.ts";
import { ToolError } from "../../../contract/error.ts";
import {
  type Entry,
  type LeftOut,
  type Repository,
  type Snapshot,
  type SnapshotOptions,
  typeBits,
} from "../../../contract/snapshot.ts";
import { TimeSlice } from "../../../lib/async/time-slice.ts";
import { isExhaustion } from "../../../lib/exhaustion.ts";
import {
  type IgnoreFileName,
  IgnoreLevels,
  ignoreLevel,
  outsideLevel,
} from "../../../lib/ignore/ignore-rules.ts";
import { errnoOf, LeadsOutside } from "../../../system/file-errors.ts";
import type { PinnedDirectory, Pinning } from "../../../system/pinning.ts";
import { isTemporaryName } from "../../../system/temporary-file.ts";
import { withSlash } from "../../../system/workspace-path.ts";
import { IgnoredBudget, namesBelow, smallFileBytes, tooManyEntries } from "../../ignored-budget.ts";
import { readSmallFile } from "../files/read-file.ts";
import { repositoryAbove, repositoryIn } from "./repository.ts";

/**
 * Implements Environment.snapshot: one walk with a look at every entry. Directories are pinned one after the other, so
 * that no link is entered. The calls are synchronous, which is as fast as many concurrent calls and uses only one core.
 */
export async function takeSnapshot(
  pinning: Pinning,
  outside: readonly IgnoreFileOutside[],
  options: SnapshotOptions,
): Promise<Snapshot> {
  const timeSlice = new TimeSlice(options.signal);
  const walk = new Walk(pinning, options);
  try {
    walk.start(
      new IgnoreLevels(
        outside.map(outsideLevel).filter(({ files }) => !files.has(".ignore") && !files.has(".rgignore")),
      ),
    );
    while (walk.step()) if (timeSlice.isOver) await timeSlice.next();
    return walk.snapshot;
  } finally {
    walk.close();
  }
}

/** A directory whose entries are listed and whose subdirectories are still to be entered, last first. */
interface OpenDirectory {
  readonly path: string;
  readonly directory: PinnedDirectory;
  readonly isIgnored: boolean;
  /** The ignore rules for its entries. They are read when they are first needed. */
  readonly levels: () => IgnoreLevels;
  readonly waiting: Waiting[];
}

interface Waiting {
  readonly path: string;
  readonly stats: Stats;
  readonly isIgnored: boolean;
}

class Walk {
  readonly #takenMs = Date.now();
  readonly #entries = new Map<string, Entry>();
  readonly #leftOut = new Map<string, LeftOut>();
  readonly #repositories: Repository[] = [];
  readonly #pinning: Pinning;
  readonly #prefix: string;
  readonly #without: ReadonlySet<string>;
  readonly #like: Snapshot | undefined;
  readonly #maxEntries: number;
  readonly #ignored: IgnoredBudget;
  readonly #open: OpenDirectory[] = [];

  constructor(
    pinning: Pinning,
    { without = [], like, maxEntries = Number.POSITIVE_INFINITY, ignored }: SnapshotOptions,
  ) {
    this.#pinning = pinning;
    this.#prefix = withSlash(pinning.root);
    this.#without = namesBelow(this.#prefix, without);
    this.#like = like;
    this.#maxEntries = maxEntries;
    this.#ignored = new IgnoredBudget(ignored);
  }

  get snapshot(): Snapshot {
    return {
      takenMs: this.#takenMs,
      entries: this.#entries,
      leftOut: this.#leftOut,
      repositories: this.#repositories,
    };
  }

  start(levels: IgnoreLevels): void {
    const { root } = this.#pinning;
    const above = repositoryAbove(root);
    if (above !== undefined) this.#repositories.push(above);
    const top = { path: "", stats: lstatSync(root), isIgnored: false };
    this.#enter(this.#pinning.pin(root), top, () => levels);
  }

  /** Scans one directory; false when none is left. */
  step(): boolean {
    const above = this.#open.at(-1);
    if (above === undefined) return false;
    const next = above.waiting.pop();
    if (next === undefined) {
      this.#open.pop();
      above.directory.close();
      return true;
    }
    try {
      this.#enter(above.directory.child(nameOf(next.path)), next, above.levels);
    } catch (error) {
      if (error instanceof ToolError || isExhaustion(error)) throw error;
      if (!(error instanceof LeadsOutside) && errnoOf(error) === undefined) throw error;
      this.#removeMissing(next.path);
    }
    return true;
  }

  close(): void {
    for (const { directory } of this.#open.splice(0)) directory.close();
  }

  #enter(directory: PinnedDirectory, { path, stats, isIgnored }: Waiting, above: () => IgnoreLevels): void {
    let isOpen = false;
    try {
      const names = readdirSync(directory.at("."));
      // A directory that the earlier snapshot entered is entered again, because the two are compared.
      if (isIgnored && !this.#ignored.takes(names.length) && !this.#isDecided(path)) {
        this.#leftOut.set(path, "ignored");
        return;
      }
      if (names.includes(".git")) this.#addRepository(path);
      let levels: IgnoreLevels | undefined;
      const readLevels = () => (levels ??= above().with(readLevel(directory, path, names)));
      const open: OpenDirectory = { path, directory, isIgnored, levels: readLevels, waiting: [] };
      const prefix = path === "" ? "" : `${path}/`;
      const at = this.#prefix + prefix;
      for (const name of names) {
        if (name.startsWith(".") && isTemporaryName(name)) continue;
        // Using the handle instead of the path would take a fifth longer. An attacker who swaps the directory for a link
        // right now could only cause a stat of another file of the same name.
        const found = lstatSync(at + name, ifThere);
        if (found === undefined) this.#addMissing(prefix + name);
        else this.#add(open, prefix + name, found, stats.dev);
      }
      directory.confirm();
      open.waiting.reverse();
      this.#leftOut.delete(path);
      this.#open.push(open);
      isOpen = true;
    } finally {
      if (!isOpen) directory.close();
    }
  }

  #add(parent: OpenDirectory, path: string, stats: Stats, device: number): void {
    if (this.#without.size > 0 && this.#without.has(path)) return;
    if (this.#entries.size >= this.#maxEntries) throw tooManyEntries(this.#maxEntries);
    const type = stats.mode & typeBits.all;
    if (type === typeBits.directory) {
      const isIgnored = parent.isIgnored || parent.levels().decide(path, "directory") === "ignore";
      const why = this.#isDecided(path)
        ? this.#like!.leftOut.get(path)
        : this.#whyNotEntered(path, stats, device, isIgnored);
      this.#entries.set(path, entryOf(stats));
      // It stays left out until all its entries are listed: a later snapshot must not take the others for new ones.
      this.#leftOut.set(path, why ?? "unreadable");
      if (why === undefined) parent.waiting.push({ path, stats, isIgnored });
    } else if (type === typeBits.link) {
      const target = targetOf(parent.directory, nameOf(path));
      if (target !== undefined) this.#entries.set(path, { ...entryOf(stats), target });
    } else {
      this.#entries.set(path, entryOf(stats));
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

  #whyNotEntered(path: string, stats: Stats, device: number, isIgnored: boolean): LeftOut | undefined {
    if (path === ".git" || path.endsWith("/.git")) return "repository";
    if (isIgnored && !this.#ignored.enters(nameOf(path))) return "ignored";
    return stats.dev !== device && isSystem(this.#prefix + path) ? "system" : undefined;
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

function readLevel(directory: PinnedDirectory, path: string, names: readonly string[]) {
  const texts = new Map<IgnoreFileName, string>();
  const take = (name: IgnoreFileName, text: string | undefined) =>
    text !== undefined && texts.set(name, text);
  const isRepository = names.includes(".git");
  if (isRepository) take("exclude", readSmallFile(directory.at(".git/info/exclude"))?.toString());
  if (names.includes(".gitignore")) take(".gitignore", readRules(directory, ".gitignore"));
  return ignoreLevel(path, texts, isRepository);
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

/** Returns the target of a link; undefined when the entry is no longer a link. */
function targetOf(directory: PinnedDirectory, name: string): string | undefined {
  try {
    return readlinkSync(directory.at(name));
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
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
