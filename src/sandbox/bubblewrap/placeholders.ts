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
import { makePrivateDirectory } from "../../system/directories.ts";
import { asToolError, errnoOf } from "../../system/failures.ts";
import { namesIn } from "../../system/names-in.ts";
import { atRealPlace, changeAt, contentAt } from "../../system/pinning/at-real-place.ts";
import { isGone, thisProcess } from "../../system/process-owner.ts";

/** What stands for something that must not come into being: a mount needs a place. */
export interface Placeholder {
  readonly path: string;
  readonly kind: "file" | "directory";
  /** Of a file, for those that may not be empty. */
  readonly content?: string;
}

/** Where their records are, below the directory of a sandbox. */
export function placeholdersFolder(directory: string): string {
  return join(directory, "stubs");
}

/**
 * The stubs in a workspace, with a record of each use in a folder that all processes share: the last user removes them,
 * or after a crash whoever comes next. What somebody has put into one meanwhile stays.
 */
export class Placeholders {
  readonly #folder: string;
  readonly #aside: DelayedRemoval | undefined;

  constructor(folder: string, aside?: DelayedRemoval) {
    this.#folder = folder;
    this.#aside = aside;
  }

  /**
   * Makes those that are missing, with their directories, and says for which a stub stands now: not where there is
   * something real.
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
    const stubs = [...missing.flatMap(({ path }) => missingParents(path, isMissing)), ...missing];
    const record = join(this.#folder, `${thisProcess()}.${randomBytes(6).toString("hex")}`);
    this.#write(record, stubs);
    const end = () => {
      forget(record);
      const left = this.#remove(stubs);
      if (left.length > 0) this.#write(record, left);
    };
    try {
      const made = new Set(stubs.filter(make));
      return { standing: missing.filter((stub) => made.has(stub)), end };
    } catch (error) {
      end();
      throw error;
    }
  }

  /** The paths where a stub stands right now, of this process or another. */
  standing(): readonly string[] {
    const recorded = namesIn(this.#folder).flatMap((name) => placeholdersIn(join(this.#folder, name)));
    // A directory that holds only stubs is one.
    const kept = new Set<string>();
    for (const stub of recorded.toReversed()) {
      const isNothing = (name: string) => kept.has(join(stub.path, name));
      if (atRealPlace(stub.path, (place) => isPlaceholder(place, stub, isNothing))) kept.add(stub.path);
    }
    return [...kept];
  }

  /** Those of processes that are gone. */
  removeAbandoned(): void {
    const abandoned = namesIn(this.#folder).filter((name) => isGone(name.split(".")[0] ?? "", 0, unseenMs));
    const stubs = abandoned.flatMap((name) => placeholdersIn(join(this.#folder, name)));
    for (const name of abandoned) forget(join(this.#folder, name));
    const left = stubs.length > 0 ? this.#remove(stubs) : [];
    if (left.length > 0) this.#write(join(this.#folder, abandoned[0]!), left);
  }

  #write(record: string, stubs: readonly Placeholder[]): void {
    const write = () => writeFileSync(record, JSON.stringify(stubs), { mode: 0o600 });
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

  /** Gives those that could not be removed. */
  #remove(stubs: readonly Placeholder[]): readonly Placeholder[] {
    const used = this.#recorded();
    return stubs.toReversed().filter((stub) => !used.has(stub.path) && !remove(stub, this.#aside));
  }
}

export interface PlaceholderUse {
  readonly standing: readonly Placeholder[];
  end(): void;
}

// Processes in other containers cannot be seen, and may run for days.
const unseenMs = 30 * 24 * 60 * 60 * 1000;

/** From the top. */
function missingParents(path: string, isMissing: (path: string) => boolean): readonly Placeholder[] {
  const parent = dirname(path);
  if (parent === path || !isMissing(parent)) return [];
  return [...missingParents(parent, isMissing), { path: parent, kind: "directory" }];
}

/** Whether one stands there now. Throws where none could be made although a command perhaps could. */
function make(stub: Placeholder): boolean {
  const { path, kind, content = "" } = stub;
  const made = atRealPlace(path, (place) => {
    try {
      changeAt(place, () => {
        if (kind === "directory") mkdirSync(place);
        else writeFileSync(place, content, { flag: "wx", mode: 0o444 });
      });
      return true;
    } catch (error) {
      const why = errnoOf(error) ?? "";
      // There by now: a stub of another process, or of ours.
      if (why === "EEXIST") return isPlaceholder(place, stub);
      if (closedToAll.includes(why)) return false;
      throw asToolError(error, path);
    }
  });
  return made === true;
}

// Of others, or gone in this moment.
const closedToAll = ["EACCES", "EPERM", "EROFS", "ENOENT", "ENOTDIR", "ELOOP", "ENAMETOOLONG"];

/** Whether none stands there now. */
function remove(stub: Placeholder, aside: DelayedRemoval | undefined): boolean {
  try {
    atRealPlace(stub.path, (place) => {
      if (isPlaceholder(place, stub)) changeAt(place, () => take(stub, place, aside));
    });
    return true;
  } catch (error) {
    // Somebody has put something into it, or was quicker.
    return !["EACCES", "EPERM", "EROFS", "EBUSY"].includes(errnoOf(error) ?? "");
  }
}

function take(stub: Placeholder, place: string, aside: DelayedRemoval | undefined): void {
  const moved = aside?.take(place);
  // At the last moment somebody has put something into it.
  if (moved !== undefined && !isPlaceholder(moved, stub)) renameSync(moved, place);
  if (moved !== undefined) return;
  if (stub.kind === "directory") rmdirSync(place);
  else unlinkSync(place);
}

/** `isNothing`: of a name in a directory. */
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
    // What cannot be seen cannot be made either.
    return true;
  }
}

function placeholdersIn(record: string): readonly Placeholder[] {
  try {
    return JSON.parse(readFileSync(record, "utf8"));
  } catch {
    // Gone, or of a process that died while it wrote: then no stub was made.
    return [];
  }
}

function forget(record: string): void {
  try {
    unlinkSync(record);
  } catch {
    // Somebody else was quicker.
  }
}

// By then the kernel has let go of the mounts that stood on them.
const pauseMs = 1000;

/**
 * For what is to vanish from a workspace. To remove what a mount stood on a moment ago takes the kernel milliseconds, to
 * move it elsewhere on the same disk none: it is removed later, while nobody waits.
 */
export class DelayedRemoval {
  readonly #folder: string;
  #count = 0;
  #isAwaited = false;

  /** Private; made when it is needed, and removed by whoever named it. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Where it is now; undefined where it cannot be moved to. */
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
    // Gone with the session, perhaps.
    const names = await readdir(this.#folder).catch(() => []);
    for (const name of names) {
      const path = join(this.#folder, name);
      await rmdir(path).catch(() => unlink(path).catch(() => {}));
    }
  }
}
