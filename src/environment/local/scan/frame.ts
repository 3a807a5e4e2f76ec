import type { Stats } from "node:fs";
import { IgnoreLevels } from "../../../lib/ignore/ignore-rules.ts";
import type { PinnedDirectory } from "../../../system/pinning.ts";

export interface Entering {
  readonly place: number;
  /** Undefined for a directory that was not looked at. */
  readonly stats: Stats | undefined;
  /** The position of the same directory in the earlier snapshot, -1 for the workspace. */
  readonly earlier: number | undefined;
}

interface Waiting extends Entering {
  readonly path: string;
  readonly isIgnored: () => boolean;
}

/** A directory that is being scanned, pinned from first use until everything below it is scanned. */
export class Frame {
  /** The path relative to the workspace, which itself is "". */
  readonly path: string;
  /** Set when the directory is entered. */
  readLevels: () => IgnoreLevels = () => new IgnoreLevels([]);
  /** Subdirectories that are still to be entered, last first. */
  readonly waiting: Waiting[] = [];
  readonly #hold: () => PinnedDirectory;
  readonly #decideIgnored: () => boolean;
  #held: PinnedDirectory | undefined;
  #isIgnored: boolean | undefined;
  #levels: IgnoreLevels | undefined;

  constructor(hold: () => PinnedDirectory, path: string, isIgnored: () => boolean) {
    this.#hold = hold;
    this.path = path;
    this.#decideIgnored = isIgnored;
  }

  /** Whether ignore files match the directory or one above it. */
  get isIgnored(): boolean {
    this.#isIgnored ??= this.#decideIgnored();
    return this.#isIgnored;
  }

  get levels(): IgnoreLevels {
    this.#levels ??= this.readLevels();
    return this.#levels;
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
