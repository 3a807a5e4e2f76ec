import { mkdirSync, renameSync } from "node:fs";
import { readdir, rmdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { errnoOf } from "../../system/failures.ts";

// By then the kernel has let go of the mounts that stood on them.
const pauseMs = 1000;

/**
 * For what is to vanish from a workspace. To remove what a mount stood on a moment ago takes the kernel milliseconds, to
 * move it elsewhere on the same disk none: it is removed later, while nobody waits.
 */
export class SetAside {
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
