import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, realpathSync } from "node:fs";
import { dirname } from "node:path";
import { BoundedCache } from "../lib/bounded-cache.ts";
import { LeadsOutside, systemError } from "./file-errors.ts";
import type { PathChecker } from "./path-checker.ts";
import { liesInside, withSlash } from "./workspace-path.ts";

/**
 * How a directory is held while something is done in it. Methods throw plain system errors, and LeadsOutside when
 * what they reach does not lie below the root.
 */
export interface Pinning {
  readonly root: string;
  /** Checks every path that is reached before it is read or changed. */
  readonly checker: PathChecker;
  /** Holds the directory that an absolute path leads to, links followed. */
  pin(path: string): PinnedDirectory;
  /** Opens a file for reading in one go where its path is real and that is safe; any error else. */
  openDirectly?(path: string): number;
  close(): void;
}

/** A directory whose entries can be used safely while others may swap what its path leads to. */
export interface PinnedDirectory {
  /** Where it was when it was pinned. */
  readonly realPath: string;
  /** Held by handle: `at` cannot be led astray. */
  readonly isHandle: boolean;
  /** Device and inode. */
  identity(): string;
  /** A path to `name` in this very directory, good for one system call that does not follow a link at its end. */
  at(name: string): string;
  /** The same for names that are perhaps no valid UTF-8. */
  bytesAt(name: Uint8Array): Buffer;
  /** Throws when the directory was exchanged since it was pinned; nothing to do for a handle. */
  confirm(): void;
  /** Holds a directory in this one; fails on a link. */
  child(name: string | Uint8Array): PinnedDirectory;
  /** Holds the directory this one is in, wherever that is now: compare its identity. */
  parent(): PinnedDirectory;
  /** Once for each time it was handed out. */
  close(): void;
}

// One flag on macOS forbids links anywhere in the path; it replaces O_NOFOLLOW, which only guards the end.
const noFollow = process.platform === "darwin" ? 0x20000000 : constants.O_NOFOLLOW;

/** Opens a name in a held directory for reading, without following a link. */
export function openIn(directory: PinnedDirectory, name: string): number {
  const handle = openSync(directory.at(name), constants.O_RDONLY | noFollow | constants.O_NONBLOCK);
  try {
    confirmOpened(directory, name, handle);
    return handle;
  } catch (error) {
    closeSync(handle);
    throw error;
  }
}

/**
 * Without a handle the path had to be trusted for a moment: checks that the opened file is still the one at that
 * name.
 */
export function confirmOpened(directory: PinnedDirectory, name: string, handle: number): void {
  if (directory.isHandle) return;
  const opened = fstatSync(handle);
  const standing = lstatSync(directory.at(name));
  if (opened.ino !== standing.ino || opened.dev !== standing.dev) throw systemError("ESTALE", name);
}

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_DIRECTORY } = constants;

// Node does not name this flag. A handle opened with it only identifies an entry: nothing is read, nothing can block.
const O_PATH = 0o10000000;

const maxKept = 16;

/**
 * Pinning by handle, for Linux: `/proc/self/fd/N/name` is a full openat() in plain Node. The kernel is
 * asked after opening what the handle is, so nothing that happens to the path in between matters.
 */
export class ProcPinning implements Pinning {
  readonly root: string;
  readonly checker: PathChecker;
  /** The directories pinned last, by path, least recently used first. */
  readonly #kept = new BoundedCache<string, ProcDirectory>({
    maxEntries: maxKept,
    dispose: (directory) => directory.close(),
  });

  constructor(root: string, checker: PathChecker) {
    this.root = root;
    this.checker = checker;
  }

  pin(path: string): PinnedDirectory {
    const kept = this.#kept.use(path);
    if (kept === undefined) return this.#open(path);
    if (kept.whereabouts() === path) return kept.share();
    this.#kept.delete(path);
    kept.close();
    return this.#open(path);
  }

  openDirectly(path: string): number {
    // O_NONBLOCK: opening a FIFO without a writer must not block.
    const handle = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    // A link on the way, or a file that was deleted since, has another path.
    if (readlinkSync(`/proc/self/fd/${handle}`) === path) return handle;
    closeSync(handle);
    throw systemError("ESTALE", path);
  }

  close(): void {
    this.#kept.clear();
  }

  #open(path: string): PinnedDirectory {
    const handle = openSync(path, O_PATH | O_DIRECTORY);
    const directory = new ProcDirectory(handle, readlinkSync(`/proc/self/fd/${handle}`));
    if (!liesInside(directory.realPath, this.root)) {
      directory.close();
      throw new LeadsOutside(this.root);
    }
    // When a link is part of the path, the handle alone does not show whether the path still leads there.
    if (directory.realPath === path) this.#kept.set(path, directory.share());
    return directory;
  }
}

class ProcDirectory implements PinnedDirectory {
  readonly realPath: string;
  readonly isHandle = true;
  readonly #handle: number;
  readonly #link: string;
  readonly #prefix: string;
  #users = 1;

  constructor(handle: number, realPath: string) {
    this.#handle = handle;
    this.#link = `/proc/self/fd/${handle}`;
    this.#prefix = `${this.#link}/`;
    this.realPath = realPath;
  }

  /** The same handle for one more user; each of them closes it. */
  share(): ProcDirectory {
    this.#users += 1;
    return this;
  }

  /** Where the directory is now: its path as long as it was neither moved nor deleted. */
  whereabouts(): string {
    return readlinkSync(this.#link);
  }

  identity(): string {
    const { dev, ino } = fstatSync(this.#handle);
    return `${dev}:${ino}`;
  }

  at(name: string): string {
    return this.#prefix + name;
  }

  bytesAt(name: Uint8Array): Buffer {
    return Buffer.concat([Buffer.from(this.#prefix), name]);
  }

  confirm(): void {}

  child(name: string | Uint8Array): PinnedDirectory {
    const path = typeof name === "string" ? this.at(name) : this.bytesAt(name);
    const handle = openSync(path, O_PATH | O_DIRECTORY | O_NOFOLLOW);
    return new ProcDirectory(handle, withSlash(this.realPath) + name.toString());
  }

  parent(): PinnedDirectory {
    return new ProcDirectory(openSync(this.at(".."), O_PATH | O_DIRECTORY), dirname(this.realPath));
  }

  close(): void {
    this.#users -= 1;
    if (this.#users === 0) closeSync(this.#handle);
  }
}

/**
 * Pinning by looking before and after, for systems without /proc. Opening is safe on macOS, where one flag forbids
 * links anywhere in the path; elsewhere an exchange within a few microseconds, there and back, can go unseen.
 */
export class PortablePinning implements Pinning {
  readonly root: string;
  readonly checker: PathChecker;

  constructor(root: string, checker: PathChecker) {
    this.root = root;
    this.checker = checker;
  }

  pin(path: string): PinnedDirectory {
    const realPath = realpathSync.native(path);
    if (!liesInside(realPath, this.root)) throw new LeadsOutside(this.root);
    return new PortableDirectory(realPath, this.root);
  }

  close(): void {}
}

class PortableDirectory implements PinnedDirectory {
  readonly realPath: string;
  readonly isHandle = false;
  readonly #root: string;
  readonly #identity: string;

  constructor(realPath: string, root: string) {
    this.realPath = realPath;
    this.#root = root;
    this.#identity = identify(realPath);
    this.confirm();
  }

  identity(): string {
    return this.#identity;
  }

  at(name: string): string {
    this.confirm();
    return withSlash(this.realPath) + name;
  }

  bytesAt(name: Uint8Array): Buffer {
    this.confirm();
    return Buffer.concat([Buffer.from(withSlash(this.realPath)), name]);
  }

  confirm(): void {
    const realPath = realpathSync.native(this.realPath);
    if (!liesInside(realPath, this.#root)) throw new LeadsOutside(this.#root);
    if (realPath === this.realPath && identify(realPath) === this.#identity) return;
    throw systemError("ESTALE", this.realPath);
  }

  child(name: string | Uint8Array): PinnedDirectory {
    // Names that are not valid UTF-8 cannot be reached by path: the system will not find this one.
    const path = this.at(name.toString());
    if (lstatSync(path).isSymbolicLink()) throw systemError("ELOOP", path);
    return new PortableDirectory(path, this.#root);
  }

  parent(): PinnedDirectory {
    return new PortableDirectory(dirname(this.realPath), this.#root);
  }

  close(): void {}
}

function identify(path: string): string {
  const stats = lstatSync(path);
  if (!stats.isDirectory()) throw systemError("ENOTDIR", path);
  return `${stats.dev}:${stats.ino}`;
}
