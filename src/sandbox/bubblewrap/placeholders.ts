import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { readdir, rmdir, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { attempt } from "../../system/attempt.ts";
import { inPrivateDirectory, namesIn } from "../../system/directories.ts";
import { asToolError, errnoOf } from "../../system/file-errors.ts";
import { atPinnedPath, changeAt, contentAt } from "../../system/pinned-path.ts";
import {
  longAbandonedMs,
  newRecordName,
  ownerHasEnded,
  removeRecord,
} from "../../system/process-identity.ts";

/** A file or directory at a path that commands must not create. It is the mount point of the mount that prevents it. */
export interface Placeholder {
  readonly path: string;
  readonly kind: "file" | "directory";
  readonly content?: string;
}

/**
 * The placeholders in a workspace. All processes share a folder with a record of each use. The last command that uses a
 * placeholder removes it, or after a crash the next process does, unless it has other content.
 */
export class Placeholders {
  readonly #folder: string;
  readonly #removal: DelayedRemoval | undefined;

  constructor(folder: string, removal?: DelayedRemoval) {
    this.#folder = folder;
    this.#removal = removal;
  }

  /** Creates missing placeholders, with their directories. `standing` are those that exist as placeholders now. */
  use(wanted: readonly Placeholder[]): { readonly standing: readonly Placeholder[]; end(): void } {
    let recorded: ReadonlySet<string> | undefined;
    const isMissing = (path: string) => {
      if (!isThere(path)) return true;
      recorded ??= new Set(this.#recorded().map((placeholder) => placeholder.path));
      return recorded.has(path);
    };
    const missing = wanted.filter(({ path }) => isMissing(path));
    if (missing.length === 0) return { standing: [], end: () => {} };
    const placeholders = [...missing.flatMap(({ path }) => missingParents(path, isMissing)), ...missing];
    const record = join(this.#folder, newRecordName());
    this.#write(record, placeholders);
    const end = () => {
      // The record stays until its placeholders are removed, in case of a crash.
      attempt(() => renameSync(record, `${record}${ending}`));
      this.removeAbandoned();
    };
    try {
      const made = new Set(placeholders.filter(make));
      return { standing: missing.filter((one) => made.has(one)), end };
    } catch (error) {
      end();
      throw error;
    }
  }

  /** Returns the paths of all existing placeholders, of this process or another. */
  standing(): readonly string[] {
    // A directory that contains only placeholders counts as a placeholder.
    const kept = new Set<string>();
    for (const placeholder of this.#recorded().toReversed()) {
      const isNothing = (name: string) => kept.has(join(placeholder.path, name));
      if (atPinnedPath(placeholder.path, (pinned) => isPlaceholder(pinned, placeholder, isNothing)))
        kept.add(placeholder.path);
    }
    return [...kept];
  }

  /** Removes the placeholders of commands and processes that have ended. */
  removeAbandoned(): void {
    const names = namesIn(this.#folder).filter(isUnused);
    if (names.length === 0) return;
    const placeholders = this.#recorded(names).toSorted((one, other) => one.path.length - other.path.length);
    const left = this.#remove(placeholders);
    const [first, ...others] = names.map((name) => join(this.#folder, name));
    if (left.length > 0) this.#write(first!, left);
    for (const record of left.length > 0 ? others : [first!, ...others]) removeRecord(record);
  }

  #write(record: string, placeholders: readonly Placeholder[]): void {
    const text = JSON.stringify(placeholders);
    inPrivateDirectory(this.#folder, () => writeFileSync(record, text, { mode: 0o600 }));
  }

  #recorded(names: readonly string[] = namesIn(this.#folder)): readonly Placeholder[] {
    return names.flatMap((name): readonly Placeholder[] => {
      // A process that died while it wrote its record has created no placeholder.
      return attempt(() => JSON.parse(readFileSync(join(this.#folder, name), "utf8"))) ?? [];
    });
  }

  /** Returns the placeholders that could not be removed yet. */
  #remove(placeholders: readonly Placeholder[]): readonly Placeholder[] {
    const used = this.#used();
    const unused = placeholders.filter(({ path }) => !used.has(path));
    const left = unused.toReversed().filter((placeholder) => !remove(placeholder, used, this.#removal));
    // Another process may have begun to use a placeholder just before its removal.
    const usedNow = unused.length === 0 ? used : this.#used();
    for (const placeholder of unused) if (usedNow.has(placeholder.path)) make(placeholder);
    return left.toReversed();
  }

  #used(): ReadonlySet<string> {
    const names = namesIn(this.#folder).filter((name) => !isUnused(name));
    return new Set(this.#recorded(names).map(({ path }) => path));
  }
}

// The name of a record whose command has ended ends with this.
const ending = ".ending";

function isUnused(name: string): boolean {
  return name.endsWith(ending) || ownerHasEnded(name, 0, longAbandonedMs);
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
    if (!stats.isFile() || stats.size !== content.length) return false;
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

// After this time the kernel has released the mounts.
const pauseMs = 1000;

/**
 * Removes entries from a workspace by moving them to a folder, which is emptied later, because removing a former mount
 * point takes the kernel milliseconds.
 */
export class DelayedRemoval {
  readonly #folder: string;
  #count = 0;
  #isScheduled = false;

  /** `folder` is private and created on first use. Its owner removes it. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Moves an entry to the folder. Returns its new path; undefined when it cannot be moved. */
  take(path: string): string | undefined {
    const moved = join(this.#folder, String(this.#count++));
    try {
      // Parents are not created, because they are missing when the session is closed.
      if (!existsSync(this.#folder)) mkdirSync(this.#folder, { mode: 0o700 });
      renameSync(path, moved);
    } catch {
      return undefined;
    }
    this.#emptySoon();
    return moved;
  }

  #emptySoon(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setTimeout(() => {
      this.#isScheduled = false;
      void this.#empty();
    }, pauseMs).unref();
  }

  async #empty(): Promise<void> {
    // The folder may have been removed with the session.
    const names = await readdir(this.#folder).catch(() => []);
    for (const name of names) {
      const path = join(this.#folder, name);
      await rmdir(path).catch(() => unlink(path).catch(() => {}));
    }
  }
}
