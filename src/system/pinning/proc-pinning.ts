import { closeSync, constants, fstatSync, openSync, readlinkSync } from "node:fs";
import { dirname } from "node:path";
import { BoundedCache } from "../../lib/bounded-cache.ts";
import { LeadsOutside, systemError } from "../failures.ts";
import type { Gate } from "../gate.ts";
import { liesInside, withSlash } from "../workspace-path.ts";
import type { PinnedDirectory, Pinning } from "./pinning.ts";

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_DIRECTORY } = constants;

// Node does not name this flag. A handle opened with it only stands for a place: nothing is read, nothing can block.
const O_PATH = 0o10000000;

const maxKept = 16;

/**
 * Pinning by handle, for Linux: `/proc/self/fd/N/name` is a full openat() in plain Node. What a handle stands for
 * is asked from the kernel after opening, so nothing that happens to the path in between matters.
 */
export class ProcPinning implements Pinning {
  readonly root: string;
  readonly gate: Gate;
  /** The directories pinned last, by path, least recently used first. */
  readonly #kept = new BoundedCache<string, ProcDirectory>({
    maxEntries: maxKept,
    dispose: (directory) => directory.close(),
  });

  constructor(root: string, gate: Gate) {
    this.root = root;
    this.gate = gate;
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
    // O_NONBLOCK: a FIFO nobody writes to must not hold us.
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
    // Where a link is part of the path, the handle alone cannot tell whether the path still leads there.
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
