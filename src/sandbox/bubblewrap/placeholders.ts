import { randomBytes } from "node:crypto";
import {
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
import { makePrivateDirectory, namesIn } from "../../system/directories.ts";
import { asToolError, errnoOf } from "../../system/file-errors.ts";
import { atPinnedPath, changeAt, contentAt } from "../../system/pinned-path.ts";
import { isGone, thisProcess } from "../../system/process-identity.ts";

/** An empty file or directory in place of something that must not be created: a mount needs a mount point. */
export interface Placeholder {
  readonly path: string;
  readonly kind: "file" | "directory";
  /** Of a file that may not be empty. */
  readonly content?: string;
}

/** The folder of their records in the state directory of a sandbox. */
export function placeholdersFolder(directory: string): string {
  return join(directory, "stubs");
}

/**
 * The placeholders in a workspace. A folder that all processes share has a record of each use: the last user removes a
 * placeholder, or the next process after a crash. A placeholder that has content by then stays.
 */
export class Placeholders {
  readonly #folder: string;
  readonly #removal: DelayedRemoval | undefined;

  constructor(folder: string, removal?: DelayedRemoval) {
    this.#folder = folder;
    this.#removal = removal;
  }

  /**
   * Creates those that are missing, with their directories. `standing` are those that exist as placeholders now, not
   * those where something real exists.
   */
  use(wanted: readonly Placeholder[]): PlaceholderUse {
    let recorded: ReadonlySet<string> | undefined;
    const isMissing = (path: string) => {
      if (!isThere(path)) return true;
      recorded ??= this.#recorded();
      return recorded.has(path);
    };
    const missing = wanted.filter(({ path }) => isMissing(path));
    if (missing.length === 0) return { standing: [], end: () => {} };
    const placeholders = [...missing.flatMap(({ path }) => missingParents(path, isMissing)), ...missing];
    const record = join(this.#folder, `${thisProcess()}.${randomBytes(6).toString("hex")}`);
    this.#write(record, placeholders);
    const end = () => {
      forget(record);
      const left = this.#remove(placeholders);
      if (left.length > 0) this.#write(record, left);
    };
    try {
      const made = new Set(placeholders.filter(make));
      return { standing: missing.filter((one) => made.has(one)), end };
    } catch (error) {
      end();
      throw error;
    }
  }

  /** The paths of all placeholders that exist now, of this process or another. */
  standing(): readonly string[] {
    const recorded = namesIn(this.#folder).flatMap((name) => placeholdersIn(join(this.#folder, name)));
    // A directory that contains only placeholders is one.
    const kept = new Set<string>();
    for (const placeholder of recorded.toReversed()) {
      const isNothing = (name: string) => kept.has(join(placeholder.path, name));
      if (atPinnedPath(placeholder.path, (place) => isPlaceholder(place, placeholder, isNothing)))
        kept.add(placeholder.path);
    }
    return [...kept];
  }

  /** Those of processes that have ended. */
  removeAbandoned(): void {
    const abandoned = namesIn(this.#folder).filter((name) => isGone(name.split(".")[0] ?? "", 0, unseenMs));
    const placeholders = abandoned.flatMap((name) => placeholdersIn(join(this.#folder, name)));
    for (const name of abandoned) forget(join(this.#folder, name));
    const left = placeholders.length > 0 ? this.#remove(placeholders) : [];
    if (left.length > 0) this.#write(join(this.#folder, abandoned[0]!), left);
  }

  #write(record: string, placeholders: readonly Placeholder[]): void {
    const write = () => writeFileSync(record, JSON.stringify(placeholders), { mode: 0o600 });
    try {
      write();
    } catch (error) {
      if (errnoOf(error) !== "ENOENT") throw error;
      makePrivateDirectory(this.#folder);
      write();
    }
  }

  #recorded(): ReadonlySet<string> {
    const records = namesIn(this.#folder).flatMap((name) => placeholdersIn(join(this.#folder, name)));
    return new Set(records.map(({ path }) => path));
  }

  /** Returns those that could not be removed. */
  #remove(placeholders: readonly Placeholder[]): readonly Placeholder[] {
    const used = this.#recorded();
    return placeholders
      .toReversed()
      .filter((placeholder) => !used.has(placeholder.path) && !remove(placeholder, this.#removal));
  }
}

export interface PlaceholderUse {
  readonly standing: readonly Placeholder[];
  end(): void;
}

// Processes in other containers cannot be seen, and may run for days.
const unseenMs = 30 * 24 * 60 * 60 * 1000;

/** The outermost first. */
function missingParents(path: string, isMissing: (path: string) => boolean): readonly Placeholder[] {
  const parent = dirname(path);
  if (parent === path || !isMissing(parent)) return [];
  return [...missingParents(parent, isMissing), { path: parent, kind: "directory" }];
}

/** Whether the placeholder exists now. Throws where it cannot be created although a command perhaps could. */
function make(placeholder: Placeholder): boolean {
  const { path, kind, content = "" } = placeholder;
  const made = atPinnedPath(path, (place) => {
    try {
      changeAt(place, () => {
        if (kind === "directory") mkdirSync(place);
        else writeFileSync(place, content, { flag: "wx", mode: 0o444 });
      });
      return true;
    } catch (error) {
      const why = errnoOf(error) ?? "";
      // It may be a placeholder by now, of this process or another.
      if (why === "EEXIST") return isPlaceholder(place, placeholder);
      if (closedToAll.includes(why)) return false;
      throw asToolError(error, path);
    }
  });
  return made === true;
}

// The directory belongs to another user, or has just vanished: commands cannot create anything there either.
const closedToAll = ["EACCES", "EPERM", "EROFS", "ENOENT", "ENOTDIR", "ELOOP", "ENAMETOOLONG"];

/** Whether the placeholder is gone now. */
function remove(placeholder: Placeholder, removal: DelayedRemoval | undefined): boolean {
  try {
    atPinnedPath(placeholder.path, (place) => {
      if (isPlaceholder(place, placeholder)) changeAt(place, () => take(placeholder, place, removal));
    });
    return true;
  } catch (error) {
    // It has content by now, or is gone already.
    return !["EACCES", "EPERM", "EROFS", "EBUSY"].includes(errnoOf(error) ?? "");
  }
}

function take(placeholder: Placeholder, place: string, removal: DelayedRemoval | undefined): void {
  const moved = removal?.take(place);
  // It got content at the last moment.
  if (moved !== undefined && !isPlaceholder(moved, placeholder)) renameSync(moved, place);
  if (moved !== undefined) return;
  if (placeholder.kind === "directory") rmdirSync(place);
  else unlinkSync(place);
}

/** `isNothing`: whether an entry of a directory does not count. */
function isPlaceholder(
  place: string,
  { kind, content = "" }: Placeholder,
  isNothing: (name: string) => boolean = () => false,
): boolean {
  try {
    const stats = lstatSync(place);
    if (kind === "directory") return stats.isDirectory() && readdirSync(place).every(isNothing);
    if (!stats.isFile() || stats.size !== content.length) return false;
    return (
      content === "" || Buffer.from(contentAt(place, content.length) ?? []).toString("latin1") === content
    );
  } catch {
    return false;
  }
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // Where nothing can be seen, nothing can be created either.
    return true;
  }
}

function placeholdersIn(record: string): readonly Placeholder[] {
  try {
    return JSON.parse(readFileSync(record, "utf8"));
  } catch {
    // Gone, or of a process that died while it wrote: then it has created no placeholder.
    return [];
  }
}

function forget(record: string): void {
  try {
    unlinkSync(record);
  } catch {
    // Another process has removed it.
  }
}

// By then the kernel has released the mounts.
const pauseMs = 1000;

/**
 * Removes entries from a workspace. Removing what was a mount point a moment ago takes the kernel milliseconds; moving it
 * elsewhere on the same disk takes none. So entries are moved to a folder and removed later.
 */
export class DelayedRemoval {
  readonly #folder: string;
  #count = 0;
  #isAwaited = false;

  /** `folder` is private and created on first use. Its owner removes it. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Returns the new path; undefined when it cannot be moved. */
  take(path: string): string | undefined {
    const place = join(this.#folder, String(this.#count++));
    const move = () => renameSync(path, place);
    try {
      try {
        move();
      } catch (error) {
        if (errnoOf(error) !== "ENOENT") throw error;
        mkdirSync(this.#folder, { mode: 0o700 });
        move();
      }
    } catch {
      return undefined;
    }
    this.#emptySoon();
    return place;
  }

  #emptySoon(): void {
    if (this.#isAwaited) return;
    this.#isAwaited = true;
    setTimeout(() => {
      this.#isAwaited = false;
      void this.#empty();
    }, pauseMs).unref();
  }

  async #empty(): Promise<void> {
    // The folder may be gone with the session.
    const names = await readdir(this.#folder).catch(() => []);
    for (const name of names) {
      const path = join(this.#folder, name);
      await rmdir(path).catch(() => unlink(path).catch(() => {}));
    }
  }
}
