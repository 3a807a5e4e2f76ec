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
import type { PinnedDirectory } from "../../../system/pinning/pinning.ts";
import { newTemporaryId, temporaryName } from "../../../system/temporary-file.ts";
import { type Aside, holdOrMake } from "./aside.ts";
import { type EntryReader, type EntryRecord, hold, namesInside, quietly } from "./entry-record.ts";
import { linkOnTheWay } from "./link-on-the-way.ts";
import { isOpen, modeOf, setMode } from "./open-up.ts";

/** What had to be done at a path. */
export interface Deed {
  readonly path: string;
  readonly what: "made" | "removed" | "changed" | "moved away";
  /** Why it could not be done. */
  readonly failure?: string;
}

export interface RestorationOptions {
  readonly entries: readonly EntryRecord[];
  readonly reader: EntryReader;
  /** The folder of contents by their hashes. */
  readonly contents: string;
  readonly aside: Aside;
}

/**
 * Makes what was there stand there again. It follows no link, for whoever changed things may have laid one, and it does
 * not look into what was not there before, which may be endless.
 */
export class Restoration {
  readonly deeds: Deed[] = [];
  readonly #reader: EntryReader;
  readonly #contents: string;
  readonly #aside: Aside;
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
    const parent = mustBeThere ? quietly(() => this.#holdOrMake(dirname(path))) : hold(dirname(path));
    if (parent !== undefined) {
      this.#settleIn(parent, basename(path), path);
      parent.close();
    } else if (mustBeThere) {
      this.deeds.push({ path, what: "removed", failure: "its directory cannot be made" });
    }
  }

  #takeAside(path: string, what: Deed["what"]): void {
    const parent = hold(dirname(path));
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
    return holdOrMake(path, (...place) => this.#aside.take(...place));
  }

  #do(path: string, what: Deed["what"], act: () => void): void {
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
