import { closeSync, constants, openSync, readlinkSync } from "node:fs";
import { LeadsOutside } from "../../failures.ts";
import { liesInside } from "../../workspace-path.ts";
import type { PinnedDirectory, Pinning } from "./pinning.ts";

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_DIRECTORY } = constants;

// Node does not name this flag. A handle opened with it only stands for a place: nothing is read, nothing can block.
const O_PATH = 0o10000000;

/**
 * Pinning by handle, for Linux: `/proc/self/fd/N/name` is a full openat() in plain Node. What a handle stands for
 * is asked from the kernel after opening, so nothing that happens to the path in between matters.
 */
export class ProcPinning implements Pinning {
  readonly root: string;

  constructor(root: string) {
    this.root = root;
  }

  pin(path: string): PinnedDirectory {
    return this.#checked(openSync(path, O_PATH | O_DIRECTORY));
  }

  openDirectly(path: string): number {
    // O_NONBLOCK: a FIFO nobody writes to must not hold us.
    const handle = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    if (liesInside(readlinkSync(`/proc/self/fd/${handle}`), this.root)) return handle;
    closeSync(handle);
    throw new LeadsOutside(this.root);
  }

  close(): void {}

  #checked(handle: number): PinnedDirectory {
    const realPath = readlinkSync(`/proc/self/fd/${handle}`);
    if (liesInside(realPath, this.root)) return new ProcDirectory(handle, realPath);
    closeSync(handle);
    throw new LeadsOutside(this.root);
  }
}

class ProcDirectory implements PinnedDirectory {
  readonly realPath: string;
  readonly isHandle = true;
  readonly #handle: number;
  readonly #prefix: string;
  #open = true;

  constructor(handle: number, realPath: string) {
    this.#handle = handle;
    this.#prefix = `/proc/self/fd/${handle}/`;
    this.realPath = realPath;
  }

  at(name: string): string {
    return this.#prefix + name;
  }

  bytesAt(name: Uint8Array): Buffer {
    return Buffer.concat([Buffer.from(this.#prefix), name]);
  }

  confirm(): void {}

  child(name: string): PinnedDirectory {
    const handle = openSync(this.at(name), O_PATH | O_DIRECTORY | O_NOFOLLOW);
    return new ProcDirectory(handle, `${this.realPath}/${name}`);
  }

  close(): void {
    // Closing twice could close somebody else's handle of the same number.
    if (!this.#open) return;
    this.#open = false;
    closeSync(this.#handle);
  }
}
