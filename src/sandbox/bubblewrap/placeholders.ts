import { lstatSync, mkdirSync, readdirSync, renameSync, rmdirSync, unlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { asToolError, errnoOf } from "../../system/file-errors.ts";
import { atPinnedPath, changeAt, contentAt } from "../../system/pinned-path.ts";
import type { DelayedRemoval } from "./delayed-removal.ts";
import { type Placeholder, PlaceholderRecords } from "./placeholder-records.ts";

/**
 * The placeholders in a workspace. The last command that uses a placeholder removes it, or after a crash the next process
 * does, unless it has other content.
 */
export class Placeholders {
  readonly #records: PlaceholderRecords;
  readonly #removal: DelayedRemoval | undefined;

  /** `folder` is shared by all processes, see PlaceholderRecords. */
  constructor(folder: string, removal?: DelayedRemoval) {
    this.#records = new PlaceholderRecords(folder);
    this.#removal = removal;
  }

  /** Creates missing placeholders, with their directories. `standing` are those that exist as placeholders now. */
  async use(wanted: readonly Placeholder[]): Promise<PlaceholderUse> {
    try {
      return await this.#records.keeping(() => this.#use(wanted));
    } catch (error) {
      await this.removeAbandoned();
      throw error;
    }
  }

  #use(wanted: readonly Placeholder[]): PlaceholderUse {
    const there = new Set(wanted.flatMap(({ path }) => withParents(path)));
    for (const path of there) if (!isThere(path)) there.delete(path);
    // The records are read last: another process records a placeholder before it creates it.
    const recorded = new Set(this.#records.all().map((placeholder) => placeholder.path));
    const isMissing = (path: string) => !there.has(path) || recorded.has(path);
    const missing = wanted.filter(({ path }) => isMissing(path));
    if (missing.length === 0) return { standing: [], end: async () => {} };
    const placeholders = [...missing.flatMap(({ path }) => missingParents(path, isMissing)), ...missing];
    const record = this.#records.add(placeholders);
    try {
      const made = new Set(placeholders.filter(make));
      const end = async () => {
        this.#records.release(record);
        await this.removeAbandoned();
      };
      return { standing: missing.filter((one) => made.has(one)), end };
    } catch (error) {
      this.#records.release(record);
      throw error;
    }
  }

  /**
   * Begins to watch the workspace. `seen` returns the placeholders of all processes that existed at any time since, except
   * those that were replaced or got content. `end` must be called.
   */
  watch(): { seen(): readonly Placeholder[]; end(): void } {
    const watch = this.#records.watch();
    return { seen: () => withoutReplaced(watch.seen()), end: () => watch.end() };
  }

  /** Removes the placeholders of commands and processes that have ended. */
  async removeAbandoned(): Promise<void> {
    await this.#records.removeUnused((placeholders) => {
      const used = this.#records.used();
      const unused = placeholders
        .filter(({ path }) => !used.has(path))
        .toSorted((one, other) => one.path.length - other.path.length);
      const left = unused.toReversed().filter((placeholder) => !remove(placeholder, used, this.#removal));
      return left.toReversed();
    });
  }
}

export interface PlaceholderUse {
  readonly standing: readonly Placeholder[];
  end(): Promise<void>;
}

/** Returns the placeholders that exist or do not exist, but not those where another entry exists. */
function withoutReplaced(placeholders: readonly Placeholder[]): readonly Placeholder[] {
  const deepestFirst = placeholders.toSorted((one, other) => other.path.length - one.path.length);
  // A directory that contains only placeholders counts as a placeholder.
  const kept = new Set<string>();
  return deepestFirst.filter((placeholder) => {
    const isNothing = (name: string) => kept.has(join(placeholder.path, name));
    const isKept = (pinned: string) => !isThere(pinned) || isPlaceholder(pinned, placeholder, isNothing);
    if (!(atPinnedPath(placeholder.path, isKept) ?? true)) return false;
    kept.add(placeholder.path);
    return true;
  });
}

function withParents(path: string): readonly string[] {
  return path === dirname(path) ? [path] : [path, ...withParents(dirname(path))];
}

/** Returns the missing directories above a path, outermost first. */
function missingParents(path: string, isMissing: (path: string) => boolean): readonly Placeholder[] {
  const parent = dirname(path);
  if (parent === path || !isMissing(parent)) return [];
  return [...missingParents(parent, isMissing), { path: parent, kind: "directory" }];
}

/**
 * Creates a placeholder. Returns whether it exists now. Throws if it failed although a command could create the path.
 */
function make(placeholder: Placeholder): boolean {
  const { path, kind, content = "" } = placeholder;
  const made = atPinnedPath(path, (pinned) => {
    try {
      changeAt(pinned, () => {
        if (kind === "directory") mkdirSync(pinned);
        else writeFileSync(pinned, content, { flag: "wx", mode: 0o444 });
      });
      return true;
    } catch (error) {
      const why = errnoOf(error) ?? "";
      // The existing entry may be a placeholder of this process or another.
      if (why === "EEXIST") return isPlaceholder(pinned, placeholder);
      if (closedToAll.includes(why)) return false;
      throw asToolError(error, path);
    }
  });
  return made === true;
}

// The directory belongs to another user, or has just vanished. Commands cannot create anything there either.
const closedToAll = ["EACCES", "EPERM", "EROFS", "ENOENT", "ENOTDIR", "ELOOP", "ENAMETOOLONG"];

/** Removes a placeholder. Returns whether no further attempt is needed. `used` are those of running commands. */
function remove(
  placeholder: Placeholder,
  used: ReadonlySet<string>,
  removal: DelayedRemoval | undefined,
): boolean {
  const isUsed = (name: string) => used.has(join(placeholder.path, name));
  try {
    const isOver = atPinnedPath(placeholder.path, (pinned) => {
      if (isPlaceholder(pinned, placeholder)) changeAt(pinned, () => take(placeholder, pinned, removal));
      else return !isPlaceholder(pinned, placeholder, isUsed);
      return true;
    });
    return isOver ?? true;
  } catch (error) {
    // After any other error, the entry has content or was already removed.
    return !["EACCES", "EPERM", "EROFS", "EBUSY"].includes(errnoOf(error) ?? "");
  }
}

function take(placeholder: Placeholder, pinned: string, removal: DelayedRemoval | undefined): void {
  const moved = removal?.take(pinned);
  // An entry that got content at the last moment is moved back.
  if (moved !== undefined && !isPlaceholder(moved, placeholder)) renameSync(moved, pinned);
  if (moved !== undefined) return;
  if (placeholder.kind === "directory") rmdirSync(pinned);
  else unlinkSync(pinned);
}

/** Whether an entry is still a placeholder. Entries of a directory that `isNothing` accepts do not count. */
function isPlaceholder(
  pinned: string,
  { kind, content = "" }: Placeholder,
  isNothing: (name: string) => boolean = () => false,
): boolean {
  try {
    const stats = lstatSync(pinned);
    if (kind === "directory") return stats.isDirectory() && readdirSync(pinned).every(isNothing);
    if (!stats.isFile()) return false;
    // Another process may have created the file without having written its content yet.
    if (stats.size === 0 && (stats.mode & 0o222) === 0) return true;
    if (stats.size !== content.length) return false;
    return (
      content === "" || Buffer.from(contentAt(pinned, content.length) ?? []).toString("latin1") === content
    );
  } catch {
    return false;
  }
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // A directory that cannot be examined is closed to commands too.
    return true;
  }
}
