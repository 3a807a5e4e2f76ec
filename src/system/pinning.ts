import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync,
} from "node:fs";
import { dirname } from "node:path";
import { BoundedCache } from "../lib/bounded-cache.ts";
import { LeadsOutside, systemError } from "./file-errors.ts";
import type { PathChecker } from "./path-checker.ts";
import { liesInside, withSlash } from "./workspace-path.ts";

/** Pins directories while their entries are used. Throws system errors, and LeadsOutside outside the root. */
export interface Pinning {
  readonly root: string;
  /** Checks every resolved path before it is read or changed. */
  readonly checker: PathChecker;
  /** Pins the directory at an absolute path. Follows links. */
  pin(path: string): PinnedDirectory;
  /** Opens a file for reading in one step. Throws when the path contains a link or the system cannot do this safely. */
  openDirectly?(path: string): number;
  close(): void;
}

/** A directory whose entries can be used safely while other processes replace parts of its path. */
export interface PinnedDirectory {
  /** The path of the directory when it was pinned. */
  readonly realPath: string;
  /** Whether the directory is held by a handle, so that `at` always refers to it. */
  readonly isHandle: boolean;
  /** Returns device and inode. */
  identity(): string;
  /** Returns a path to `name` in this directory, valid for one system call that does not follow a link at its end. */
  at(name: string): string;
  /** Like `at`, for names that may not be valid UTF-8. */
  bytesAt(name: Uint8Array): Buffer;
  /** Sets the permissions of the directory, even when the current ones forbid to enter it. */
  setMode(mode: number): void;
  /** Throws when the directory was replaced since it was pinned. Never throws for a directory held by a handle. */
  confirm(): void;
  /** Pins a subdirectory. Fails on a link. */
  child(name: string | Uint8Array): PinnedDirectory;
  /** Pins the current parent directory. Compare its identity. */
  parent(): PinnedDirectory;
  /** Releases one use. Call it once for each time the directory was returned. */
  close(): void;
}

// This macOS flag forbids links anywhere in the path. It replaces O_NOFOLLOW, which only checks the last part.
const noFollow = process.platform === "darwin" ? 0x20000000 : constants.O_NOFOLLOW;

/** Opens an entry of a pinned directory for reading, without following a link. */
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

/** Checks that the opened file is the expected one, because without a handle the path could change before. */
export function confirmOpened(directory: PinnedDirectory, name: string, handle: number): void {
  if (directory.isHandle) return;
  const opened = fstatSync(handle);
  const current = lstatSync(directory.at(name));
  if (opened.ino !== current.ino || opened.dev !== current.dev) throw systemError("ESTALE", name);
}

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_DIRECTORY } = constants;

// Node does not define this flag. A handle opened with it only identifies an entry: it reads nothing and cannot block.
const O_PATH = 0o10000000;

const maxKept = 16;

/**
 * Pins by handle, on Linux: `/proc/self/fd/N/name` works like openat(). The kernel reports the directory's path after
 * it was opened, so earlier changes of the path do not matter.
 */
export class ProcPinning implements Pinning {
  readonly root: string;
  readonly checker: PathChecker;
  /** The most recently pinned directories by path, least recently used first. */
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
    if (kept.currentPath() === path) return kept.share();
    this.#kept.delete(path);
    kept.close();
    return this.#open(path);
  }

  openDirectly(path: string): number {
    // With O_NONBLOCK, opening a FIFO without a writer does not block.
    const handle = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    // The kernel reports another path when the given path contains a link or the directory was deleted.
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
    // When the path contains a link, the handle alone does not show whether the path still leads there.
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

  /** Returns the same handle for one more user. Every user closes it. */
  share(): ProcDirectory {
    this.#users += 1;
    return this;
  }

  /** Returns the current path of the directory. The kernel marks the path of a deleted one. */
  currentPath(): string {
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

  setMode(mode: number): void {
    chmodSync(this.#link, mode);
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
 * Pins by checking before and after, on systems without /proc. Opening is safe on macOS, where a flag forbids links
 * anywhere in the path. On other systems, a swap and swap back within microseconds can go unnoticed.
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

  setMode(mode: number): void {
    this.confirm();
    chmodSync(this.realPath, mode);
  }

  confirm(): void {
    const realPath = realpathSync.native(this.realPath);
    if (!liesInside(realPath, this.#root)) throw new LeadsOutside(this.#root);
    if (realPath === this.realPath && identify(realPath) === this.#identity) return;
    throw systemError("ESTALE", this.realPath);
  }

  child(name: string | Uint8Array): PinnedDirectory {
    // A path cannot express names that are not valid UTF-8, so the system will not find this one.
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
