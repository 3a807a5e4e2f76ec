import { existsSync, mkdirSync, renameSync } from "node:fs";
import { readdir, rmdir, unlink } from "node:fs/promises";
import { join } from "node:path";

// After this time the kernel has released the mounts.
const pauseMs = 1000;

/**
 * Removes entries from a workspace by moving them to a folder, which is emptied later, because removing a former mount
 * point takes the kernel milliseconds.
 */
export class DelayedRemoval {
  readonly #folder: string;
  #count = 0;
  #isScheduled = false;

  /** `folder` is private and created on first use. Its owner removes it. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Moves an entry to the folder. Returns its new path; undefined when it cannot be moved. */
  take(path: string): string | undefined {
    const moved = join(this.#folder, String(this.#count++));
    try {
      // Parents are not created, because they are missing when the session is closed.
      if (!existsSync(this.#folder)) mkdirSync(this.#folder, { mode: 0o700 });
      renameSync(path, moved);
    } catch {
      return undefined;
    }
    this.#emptySoon();
    return moved;
  }

  #emptySoon(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setTimeout(() => {
      this.#isScheduled = false;
      void this.#empty();
    }, pauseMs).unref();
  }

  async #empty(): Promise<void> {
    // The folder may have been removed with the session.
    const names = await readdir(this.#folder).catch(() => []);
    for (const name of names) {
      const path = join(this.#folder, name);
      await rmdir(path).catch(() => unlink(path).catch(() => {}));
    }
  }
}
