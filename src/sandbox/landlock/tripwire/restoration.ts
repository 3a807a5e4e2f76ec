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
import {
  type EntryReader,
  type EntryRecord,
  isOpen,
  linkAbove,
  modeOf,
  pinDirectory,
  setMode,
} from "../../../engine/sandbox/entry-record.ts";
import type { HeldBack } from "../../../engine/sandbox/held-back.ts";
import { pinOrMake, type Quarantine } from "../../../engine/sandbox/quarantine.ts";
import { attempt } from "../../../system/attempt.ts";
import { isHash } from "../../../system/blob-store.ts";
import { namesIfReadable } from "../../../system/directories.ts";
import type { PinnedDirectory } from "../../../system/pinning.ts";
import { newTemporaryId, temporaryName } from "../../../system/temporary-file.ts";

/** A change by a command, and whether it could be undone. */
export interface Repair {
  readonly path: string;
  readonly what: "made" | "removed" | "changed" | "moved away";
  /** The reason why the change could not be undone. */
  readonly failure?: string;
}

/** Restores recorded entries. Follows no links and reads no new entries, because a command may have created them. */
export class Restoration {
  readonly repairs: Repair[] = [];
  /** The entries that the command had put in place of protected ones. */
  readonly taken: HeldBack[] = [];
  readonly #reader: EntryReader;
  readonly #contents: string;
  readonly #quarantine: Quarantine;
  readonly #was: ReadonlyMap<string, EntryRecord>;
  readonly #inside: ReadonlyMap<string, readonly EntryRecord[]>;

  /** `contents` is the folder of stored contents, named by their hashes. */
  constructor(
    entries: readonly EntryRecord[],
    { reader, contents, quarantine }: { reader: EntryReader; contents: string; quarantine: Quarantine },
  ) {
    this.#reader = reader;
    this.#contents = contents;
    this.#quarantine = quarantine;
    this.#was = new Map(entries.map((entry) => [entry.path, entry]));
    this.#inside = Map.groupBy(entries, ({ path }) => dirname(path));
  }

  /** Restores the old name of a renamed directory. */
  moveBack(from: string | undefined, to: string): void {
    this.#do(to, "moved away", () => {
      if (from === undefined) throw new Error("it was not found in the workspace");
      const target = this.#pinOrMake(dirname(to));
      const source = this.#pinOrMake(dirname(from));
      try {
        const isTaken = lstatSync(target.at(basename(to)), { throwIfNoEntry: false }) !== undefined;
        if (isTaken) this.#take(target, basename(to), to);
        renameSync(source.at(basename(from)), target.at(basename(to)));
      } finally {
        target.close();
        source.close();
      }
    });
  }

  /** Restores a path: it may contain only recorded entries, and no link may lead to it. */
  settle(path: string, workspace: string): void {
    const mustBeThere = this.#was.has(path);
    const link = linkAbove(path, workspace);
    if (link !== undefined && !mustBeThere) this.#quarantineAt(link, "made");
    const parent = mustBeThere ? attempt(() => this.#pinOrMake(dirname(path))) : pinDirectory(dirname(path));
    if (parent !== undefined) {
      this.#settleIn(parent, basename(path), path);
      parent.close();
    } else if (mustBeThere) {
      this.repairs.push({ path, what: "removed", failure: "its directory cannot be created" });
    }
  }

  #quarantineAt(path: string, what: Repair["what"]): void {
    const parent = pinDirectory(dirname(path));
    if (parent === undefined) return;
    this.#do(path, what, () => this.#take(parent, basename(path), path));
    parent.close();
  }

  #settleIn(parent: PinnedDirectory, name: string, path: string): void {
    const was = this.#was.get(path);
    const is = this.#reader.readOne(parent, name, path);
    if (was === undefined) {
      if (is !== undefined) this.#do(path, "made", () => this.#take(parent, name, path));
      return;
    }
    const isStillDirectory = was.kind === "directory" && is?.kind === "directory";
    if (!isStillDirectory && !isDeepStrictEqual(was, is)) {
      this.#do(path, is === undefined ? "removed" : "changed", () => {
        if (was.kind === "file" && !isHash(was.hash)) throw new Error("it was too large to store");
        if (was.kind === "other") throw new Error("it was not a file");
        if (is !== undefined) this.#take(parent, name, path);
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
    const directory = attempt(() => parent.child(name));
    if (directory === undefined) return;
    const mode = modeOf(directory);
    const open = () => setMode(directory, was.mode | 0o700);
    if (mode !== was.mode && !wasMade) this.#do(was.path, "changed", open);
    else if (mode !== was.mode || !isOpen(mode)) attempt(open);
    if (was.isUnread !== true) {
      const recorded = (this.#inside.get(was.path) ?? []).map(({ path }) => basename(path));
      for (const child of [...new Set([...recorded, ...namesIfReadable(directory.at("."))])].sort())
        this.#settleIn(directory, child, `${was.path}/${child}`);
    }
    if (!isOpen(was.mode)) attempt(() => setMode(directory, was.mode));
    directory.close();
  }

  #make(parent: PinnedDirectory, name: string, was: EntryRecord): void {
    if (was.kind === "directory") mkdirSync(parent.at(name), 0o700);
    if (was.kind === "link") symlinkSync(was.target, parent.at(name));
    if (was.kind === "file") writeIn(parent, name, was, readFileSync(join(this.#contents, was.hash)));
  }

  #pinOrMake(path: string): PinnedDirectory {
    return pinOrMake(path, (...entry) => this.#take(...entry));
  }

  #take(parent: PinnedDirectory, name: string, path: string): void {
    this.taken.push(this.#quarantine.take(parent, name, path));
  }

  #do(path: string, what: Repair["what"], act: () => void): void {
    try {
      act();
      this.repairs.push({ path, what });
    } catch (error) {
      this.repairs.push({ path, what, failure: error instanceof Error ? error.message : String(error) });
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
