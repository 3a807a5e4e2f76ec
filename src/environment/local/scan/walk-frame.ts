import type { Stats } from "node:fs";
import { IgnoreLevels } from "../../../lib/ignore/ignore-levels.ts";
import type { PinnedDirectory } from "../../../system/pinning/pinning.ts";

/** A directory that waits to be entered. */
export interface Waiting {
  readonly place: number;
  readonly path: string;
  readonly stats: Stats;
}

/** A directory that is looked at, held from when that is needed until all below it are looked at. */
export class Frame {
  /** "" for the workspace. */
  readonly path: string;
  levels: IgnoreLevels = new IgnoreLevels([]);
  /** Directories in it that are still to be entered, last first. */
  readonly waiting: Waiting[] = [];
  readonly #hold: () => PinnedDirectory;
  #held: PinnedDirectory | undefined;

  constructor(hold: () => PinnedDirectory, path: string) {
    this.#hold = hold;
    this.path = path;
  }

  get directory(): PinnedDirectory {
    this.#held ??= this.#hold();
    return this.#held;
  }

  confirm(): void {
    this.#held?.confirm();
  }

  close(): void {
    this.#held?.close();
    this.#held = undefined;
  }
}
