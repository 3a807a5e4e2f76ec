import { randomInt } from "node:crypto";
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { ToolError } from "../../contract/error.ts";
import { contentHash } from "../../lib/bytes/content-hash.ts";
import { attempt, statsAt } from "../../system/attempt.ts";
import { isHash } from "../../system/blob-store.ts";
import { makePrivateDirectory } from "../../system/directories.ts";
import { errnoOf } from "../../system/file-errors.ts";
import { atPinnedPath, changeAt, contentAt } from "../../system/pinned-path.ts";
import type { PinnedDirectory } from "../../system/pinning.ts";
import { temporaryName } from "../../system/temporary-file.ts";
import { liesInside } from "../../system/workspace-path.ts";
import { EntryReader, type EntryRecord, openUp, pinRoot } from "./entry-record.ts";
import { allowedFile, findHeldBack, type HeldBack, heldBackFile, listHeldBack } from "./held-back.ts";

/** One entry of `HeldBack`, for display. */
export interface HeldEntry {
  readonly path: string;
  readonly kind: EntryRecord["kind"];
  /** The target of a link. */
  readonly target: string | null;
  /** The content of a text file that is not large. */
  readonly text: string | null;
}

interface QuarantineOptions {
  /** Private and created on first use. */
  readonly folder: string;
  readonly workspace: string;
  readonly isAfterCrash?: boolean;
}

/**
 * The entries that were held back in a workspace. They are moved, never copied or deleted, so that neither a large file
 * nor a swapped link changes what happens. They wait in the state directory, which no command sees and git does not
 * know. On another file system they wait at the top of that, in a folder that git ignores.
 */
export class Quarantine {
  readonly #folder: string;
  readonly #workspace: string;
  readonly #isAfterCrash: boolean;

  constructor({ folder, workspace, isAfterCrash = false }: QuarantineOptions) {
    this.#folder = folder;
    this.#workspace = workspace;
    this.#isAfterCrash = isAfterCrash;
  }

  /** The same quarantine, which marks what it takes as left by a Toolcrib that was killed. */
  afterCrash(): Quarantine {
    return new Quarantine({ folder: this.#folder, workspace: this.#workspace, isAfterCrash: true });
  }

  /** Takes the entry `name` of a directory. `path` is its absolute path. */
  take(parent: PinnedDirectory, name: string, path: string): HeldBack {
    // A directory that cannot be entered cannot be moved either.
    if (lstatSync(parent.at(name)).isDirectory()) openUp(parent, name);
    const { id, folder } = this.#newFolder();
    let at = join(folder, "entry");
    try {
      renameSync(parent.at(name), at);
    } catch (error) {
      if (errnoOf(error) !== "EXDEV") throw error;
      at = this.#moveOnSameDisk(parent, name, path, id);
    }
    const entries = entriesAt(at);
    const kind = entries[0]?.kind ?? "other";
    const crash = this.#isAfterCrash ? { isAfterCrash: true as const } : {};
    const held = {
      id,
      path,
      kind,
      heldAt: Date.now(),
      at,
      returned: null,
      allowedAt: null,
      entries,
      ...crash,
    };
    this.#write(held);
    return held;
  }

  /** Records that the file from before the command is back at the path. */
  noteReturned(held: HeldBack, content: Uint8Array): void {
    this.#write({ ...held, returned: contentHash(content) });
  }

  /** Returns what was held back, latest last. */
  list(): readonly HeldBack[] {
    return listHeldBack(this.#folder);
  }

  find(id: string): HeldBack | undefined {
    return findHeldBack(this.#folder, id);
  }

  /** Returns the entries of what was held back, with the texts of its files. */
  show({ at, entries }: HeldBack): readonly HeldEntry[] {
    return entries.map((entry) => {
      const { kind, path } = entry;
      const target = kind === "link" ? entry.target : null;
      return { path, kind, target, text: kind === "file" ? textAt(join(at, path)) : null };
    });
  }

  /**
   * Puts exactly what was held back at its path, once. Throws when it has changed since, or when something else is at the
   * path now.
   */
  allow(held: HeldBack): void {
    const { id, at, path, entries } = held;
    const isExact = entries.length > 0 && entries.every(canBeApplied);
    if (!isExact)
      throw new ToolError("unsupported", `${id} cannot be applied: it is not only files, or very large`, {
        hint: `Look at it, and copy what you need from ${at}`,
      });
    if (!isDeepStrictEqual(entriesAt(at), entries)) throw changedSince(id, at);
    this.#claim(id);
    try {
      this.#apply(held, path);
    } catch (error) {
      rmSync(allowedFile(this.#folder, id), { force: true });
      throw error;
    }
  }

  #apply(held: HeldBack, path: string): void {
    const parent = pinOrMake(dirname(path));
    const name = basename(path);
    const temporary = temporaryName();
    try {
      const there = statsAt(parent.at(name));
      const isReturned = held.returned !== null && hashAt(parent.at(name)) === held.returned;
      if (there !== undefined && !isReturned)
        throw new ToolError("already-exists", `${path} exists now, and is not what was there before`, {
          hint: `Move it away, or copy what you need from ${held.at}`,
        });
      mkdirSync(parent.at(temporary), { mode: 0o700 });
      const draft = parent.child(temporary);
      try {
        copyEntries(held, draft);
        if (isReturned) renameSync(draft.at("entry"), parent.at(name));
        else placeNew(draft, parent, name);
      } finally {
        draft.close();
      }
    } finally {
      attempt(() => rmSync(parent.at(temporary), { recursive: true, force: true }));
      parent.close();
    }
  }

  /** Lets one process apply it, once. */
  #claim(id: string): void {
    try {
      writeFileSync(allowedFile(this.#folder, id), "", { flag: "wx", mode: 0o600 });
    } catch (error) {
      if (errnoOf(error) !== "EEXIST") throw error;
      throw new ToolError("stale", `${id} was already allowed`, {
        hint: "List what is held back: toolcrib quarantine list",
      });
    }
  }

  #newFolder(): { readonly id: string; readonly folder: string } {
    makePrivateDirectory(this.#folder);
    for (;;) {
      const id = newId();
      const folder = join(realpathSync.native(this.#folder), id);
      if (existsSync(folder)) continue;
      mkdirSync(folder, { mode: 0o700 });
      return { id, folder };
    }
  }

  /** Moves the entry to a new folder at the top of its file system, or of the workspace. */
  #moveOnSameDisk(parent: PinnedDirectory, name: string, path: string, id: string): string {
    const { dev } = statSync(parent.at("."));
    let top = dirname(path);
    while (top !== this.#workspace && liesInside(dirname(top), this.#workspace)) {
      if (statSync(dirname(top)).dev !== dev) break;
      top = dirname(top);
    }
    const folder = join(top, `.toolcrib-quarantine-${id}`);
    const moved = atPinnedPath(folder, (pinned) => {
      changeAt(pinned, () => mkdirSync(pinned, { mode: 0o700 }));
      writeFileSync(join(pinned, ".gitignore"), "*\n");
      renameSync(parent.at(name), join(pinned, "entry"));
      return join(folder, "entry");
    });
    if (moved === undefined) throw new Error(`${top} is not reachable without links`);
    return moved;
  }

  #write(held: HeldBack): void {
    const record = heldBackFile(this.#folder, held.id);
    writeFileSync(`${record}.new`, JSON.stringify(held), { mode: 0o600 });
    renameSync(`${record}.new`, record);
  }
}

const letters = "23456789abcdefghjkmnpqrstuvwxyz";

function newId(): string {
  return Array.from({ length: 6 }, () => letters[randomInt(letters.length)]).join("");
}

function changedSince(id: string, at: string): ToolError {
  return new ToolError("stale", `${id} has changed since it was held back`, {
    hint: `Look at it, and copy what you need from ${at}`,
  });
}

/** Reads an entry and everything in it, with relative paths. */
function entriesAt(at: string): readonly EntryRecord[] {
  const { entries } = new EntryReader().read([at], () => {});
  return entries.map((entry) => ({ ...entry, path: relative(at, entry.path) }));
}

function canBeApplied(entry: EntryRecord): boolean {
  if (entry.kind === "file") return isHash(entry.hash);
  return entry.kind === "link" || (entry.kind === "directory" && entry.isUnread !== true);
}

// Settings of editors and agents are far smaller.
const mostBytes = 8 * 1024 * 1024;
const mostShownBytes = 64 * 1024;

function textAt(path: string): string | null {
  const content = atPinnedPath(path, (pinned) => contentAt(pinned, mostShownBytes));
  return content === undefined || content.includes(0) ? null : Buffer.from(content).toString();
}

function hashAt(pinned: string): string | undefined {
  const content = contentAt(pinned, mostBytes);
  return content && contentHash(content);
}

/** Copies the entries to `entry` in a new directory. Every byte that is written was compared with its hash. */
function copyEntries({ id, at, entries }: HeldBack, draft: PinnedDirectory): void {
  const made = (path: string) => draft.at(join("entry", path));
  for (const entry of entries) {
    if (entry.kind === "directory") mkdirSync(made(entry.path), { mode: entry.mode | 0o700 });
    if (entry.kind === "link") symlinkSync(entry.target, made(entry.path));
    if (entry.kind !== "file") continue;
    const content = atPinnedPath(join(at, entry.path), (pinned) => contentAt(pinned, mostBytes));
    if (content === undefined || contentHash(content) !== entry.hash) throw changedSince(id, at);
    writeFileSync(made(entry.path), content, { flag: "wx", mode: entry.mode & 0o777 });
  }
}

/** Moves `entry` to a name, which must be free. */
function placeNew(draft: PinnedDirectory, parent: PinnedDirectory, name: string): void {
  const isDirectory = lstatSync(draft.at("entry")).isDirectory();
  // Renaming would replace a file that has come to exist in between. A directory can only replace an empty one.
  if (isDirectory) renameSync(draft.at("entry"), parent.at(name));
  else linkSync(draft.at("entry"), parent.at(name));
}

/** Pins a directory and creates missing directories in its path. `clear` removes entries that are not directories. */
export function pinOrMake(
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
      if (lstatSync(parent.at(name), { throwIfNoEntry: false }) === undefined) mkdirSync(parent.at(name));
      directory = parent.child(name);
    } finally {
      parent.close();
    }
  }
  return directory;
}
