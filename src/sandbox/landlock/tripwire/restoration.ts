import {
  closeSync,
  fchmodSync,
  fchownSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { isHash } from "../../../system/blobs/blob-files.ts";
import { makePrivateDirectory } from "../../../system/directories.ts";
import { errnoOf } from "../../../system/failures.ts";
import type { PinnedDirectory } from "../../../system/pinning/pinning.ts";
import { newTemporaryId, temporaryName } from "../../../system/temporary-file.ts";
import {
  type EntryReader,
  type EntryRecord,
  isOpen,
  linkOnTheWay,
  modeOf,
  namesInside,
  openUp,
  pinDirectory,
  pinRoot,
  quietly,
  setMode,
} from "./entry-record.ts";

/** What had to be done at a path. */
export interface Repair {
  readonly path: string;
  readonly what: "made" | "removed" | "changed" | "moved away";
  /** Why it could not be done. */
  readonly failure?: string;
}

interface RestorationOptions {
  readonly entries: readonly EntryRecord[];
  readonly reader: EntryReader;
  /** The folder of contents by their hashes. */
  readonly contents: string;
  readonly aside: Quarantine;
}

/**
 * Makes what was there stand there again. It follows no link, for whoever changed things may have laid one, and it does
 * not look into what was not there before, which may be endless.
 */
export class Restoration {
  readonly deeds: Repair[] = [];
  readonly #reader: EntryReader;
  readonly #contents: string;
  readonly #aside: Quarantine;
  readonly #was: ReadonlyMap<string, EntryRecord>;
  readonly #inside: ReadonlyMap<string, readonly EntryRecord[]>;

  constructor({ entries, reader, contents, aside }: RestorationOptions) {
    this.#reader = reader;
    this.#contents = contents;
    this.#aside = aside;
    this.#was = new Map(entries.map((entry) => [entry.path, entry]));
    this.#inside = Map.groupBy(entries, ({ path }) => dirname(path));
  }

  /** Gives a directory that was renamed its old name again. */
  moveBack(from: string | undefined, to: string): void {
    this.#do(to, "moved away", () => {
      if (from === undefined) throw new Error("it is not found in the workspace");
      const target = this.#holdOrMake(dirname(to));
      const source = this.#holdOrMake(dirname(from));
      try {
        const isTaken = lstatSync(target.at(basename(to)), { throwIfNoEntry: false }) !== undefined;
        if (isTaken) this.#aside.take(target, basename(to), to);
        renameSync(source.at(basename(from)), target.at(basename(to)));
      } finally {
        target.close();
        source.close();
      }
    });
  }

  /** A path that may hold nothing but what was recorded, and led there without a link. */
  settle(path: string, workspace: string): void {
    const mustBeThere = this.#was.has(path);
    const link = linkOnTheWay(path, workspace);
    if (link !== undefined && !mustBeThere) this.#takeAside(link, "made");
    const parent = mustBeThere ? quietly(() => this.#holdOrMake(dirname(path))) : pinDirectory(dirname(path));
    if (parent !== undefined) {
      this.#settleIn(parent, basename(path), path);
      parent.close();
    } else if (mustBeThere) {
      this.deeds.push({ path, what: "removed", failure: "its directory cannot be made" });
    }
  }

  #takeAside(path: string, what: Repair["what"]): void {
    const parent = pinDirectory(dirname(path));
    if (parent === undefined) return;
    this.#do(path, what, () => this.#aside.take(parent, basename(path), path));
    parent.close();
  }

  #settleIn(parent: PinnedDirectory, name: string, path: string): void {
    const was = this.#was.get(path);
    const is = this.#reader.readOne(parent, name, path);
    if (was === undefined) {
      if (is !== undefined) this.#do(path, "made", () => this.#aside.take(parent, name, path));
      return;
    }
    const isStillDirectory = was.kind === "directory" && is?.kind === "directory";
    if (!isStillDirectory && !isDeepStrictEqual(was, is)) {
      this.#do(path, is === undefined ? "removed" : "changed", () => {
        if (was.kind === "file" && !isHash(was.hash)) throw new Error("it was too large to keep");
        if (was.kind === "other") throw new Error("it was no file");
        if (is !== undefined) this.#aside.take(parent, name, path);
        this.#make(parent, name, was);
      });
    }
    if (was.kind === "directory") this.#settleDirectory(parent, name, was, { wasMade: !isStillDirectory });
  }

  #settleDirectory(
    parent: PinnedDirectory,
    name: string,
    was: Extract<EntryRecord, { readonly kind: "directory" }>,
    { wasMade }: { readonly wasMade: boolean },
  ): void {
    const directory = quietly(() => parent.child(name));
    if (directory === undefined) return;
    const mode = modeOf(directory);
    const open = () => setMode(directory, was.mode | 0o700);
    if (mode !== was.mode && !wasMade) this.#do(was.path, "changed", open);
    else if (mode !== was.mode || !isOpen(mode)) quietly(open);
    if (was.isUnread !== true) {
      const recorded = (this.#inside.get(was.path) ?? []).map(({ path }) => basename(path));
      for (const child of [...new Set([...recorded, ...namesInside(directory)])].sort())
        this.#settleIn(directory, child, `${was.path}/${child}`);
    }
    if (!isOpen(was.mode)) quietly(() => setMode(directory, was.mode));
    directory.close();
  }

  #make(parent: PinnedDirectory, name: string, was: EntryRecord): void {
    if (was.kind === "directory") mkdirSync(parent.at(name), 0o700);
    if (was.kind === "link") symlinkSync(was.target, parent.at(name));
    if (was.kind === "file") writeIn(parent, name, was, readFileSync(join(this.#contents, was.hash)));
  }

  #holdOrMake(path: string): PinnedDirectory {
    return pinOrMake(path, (...place) => this.#aside.take(...place));
  }

  #do(path: string, what: Repair["what"], act: () => void): void {
    try {
      act();
      this.deeds.push({ path, what });
    } catch (error) {
      this.deeds.push({ path, what, failure: error instanceof Error ? error.message : String(error) });
    }
  }
}

function writeIn(
  parent: PinnedDirectory,
  name: string,
  { mode, owner }: Extract<EntryRecord, { readonly kind: "file" }>,
  content: Uint8Array,
): void {
  const temporary = parent.at(temporaryName(newTemporaryId()));
  const handle = openSync(temporary, "wx", 0o600);
  try {
    for (let written = 0; written < content.length; ) written += writeSync(handle, content, written);
    if (process.getuid?.() === 0) fchownSync(handle, ...owner);
    fchmodSync(handle, mode);
    renameSync(temporary, parent.at(name));
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  } finally {
    closeSync(handle);
  }
}

/** Where goes what a command has put in the place of something protected, for a person to look at. */
export class Quarantine {
  readonly #own: string;
  readonly #near: readonly string[];
  readonly #used = new Set<string>();

  /** `near`: folders to be made on the disk of the workspace, for where that is another than that of `own`. */
  constructor({ own, near }: { readonly own: string; readonly near: readonly string[] }) {
    this.#own = own;
    this.#near = near;
  }

  /** The folders that hold something now. */
  get used(): readonly string[] {
    return [...this.#used];
  }

  /** By its name alone, so that nothing in it is met, however much it is and whatever it is. */
  take(parent: PinnedDirectory, name: string, path: string): void {
    // A directory that is closed to us cannot be moved into another.
    if (lstatSync(parent.at(name)).isDirectory()) openUp(parent, name);
    const target = join(this.#own, path);
    makePrivateDirectory(dirname(target));
    try {
      renameSync(parent.at(name), target);
      this.#used.add(this.#own);
    } catch (error) {
      if (errnoOf(error) !== "EXDEV") throw error;
      this.#takeNear(parent, name, path);
    }
  }

  #takeNear(parent: PinnedDirectory, name: string, path: string): void {
    for (const [index, folder] of this.#near.entries()) {
      try {
        const target = pinOrMake(join(folder, dirname(path)));
        try {
          renameSync(parent.at(name), target.at(name));
        } finally {
          target.close();
        }
        this.#used.add(folder);
        return;
      } catch (error) {
        if (index === this.#near.length - 1) throw error;
      }
    }
  }
}

/** Holds a directory, and makes what is missing on the way to it; `clear` takes away what is no directory. */
function pinOrMake(
  path: string,
  clear: (parent: PinnedDirectory, name: string, path: string) => void = () => {},
): PinnedDirectory {
  let directory = pinRoot();
  let reached = "";
  for (const name of path.split("/").filter((part) => part !== "")) {
    const parent = directory;
    reached += `/${name}`;
    try {
      const stats = lstatSync(parent.at(name), { throwIfNoEntry: false });
      if (stats?.isDirectory() === false) clear(parent, name, reached);
      if (stats?.isDirectory() !== true) mkdirSync(parent.at(name));
      directory = parent.child(name);
    } finally {
      parent.close();
    }
  }
  return directory;
}
