import { lstatSync, mkdirSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { makePrivateDirectory } from "../../../system/directories.ts";
import { errnoOf } from "../../../system/failures.ts";
import type { PinnedDirectory } from "../../../system/pinning/pinning.ts";
import { holdRoot } from "./entry-record.ts";
import { openUp } from "./open-up.ts";

/** Where goes what a command has put in the place of something protected, for a person to look at. */
export class Aside {
  readonly #own: string;
  readonly #near: readonly string[];
  readonly #used = new Set<string>();

  /** `near`: folders to be made on the disk of the workspace, for where that is another than that of `own`. */
  constructor({ own, near }: { readonly own: string; readonly near: readonly string[] }) {
    this.#own = own;
    this.#near = near;
  }

  /** The folders that hold something now. */
  get used(): readonly string[] {
    return [...this.#used];
  }

  /** By its name alone, so that nothing in it is met, however much it is and whatever it is. */
  take(parent: PinnedDirectory, name: string, path: string): void {
    // A directory that is closed to us cannot be moved into another.
    if (lstatSync(parent.at(name)).isDirectory()) openUp(parent, name);
    const target = join(this.#own, path);
    makePrivateDirectory(dirname(target));
    try {
      renameSync(parent.at(name), target);
      this.#used.add(this.#own);
    } catch (error) {
      if (errnoOf(error) !== "EXDEV") throw error;
      this.#takeNear(parent, name, path);
    }
  }

  #takeNear(parent: PinnedDirectory, name: string, path: string): void {
    for (const [index, folder] of this.#near.entries()) {
      try {
        const target = holdOrMake(join(folder, dirname(path)));
        try {
          renameSync(parent.at(name), target.at(name));
        } finally {
          target.close();
        }
        this.#used.add(folder);
        return;
      } catch (error) {
        if (index === this.#near.length - 1) throw error;
      }
    }
  }
}

/** Holds a directory, and makes what is missing on the way to it; `clear` takes away what is no directory. */
export function holdOrMake(
  path: string,
  clear: (parent: PinnedDirectory, name: string, path: string) => void = () => {},
): PinnedDirectory {
  let directory = holdRoot();
  let reached = "";
  for (const name of path.split("/").filter((part) => part !== "")) {
    const parent = directory;
    reached += `/${name}`;
    try {
      const stats = lstatSync(parent.at(name), { throwIfNoEntry: false });
      if (stats?.isDirectory() === false) clear(parent, name, reached);
      if (stats?.isDirectory() !== true) mkdirSync(parent.at(name));
      directory = parent.child(name);
    } finally {
      parent.close();
    }
  }
  return directory;
}
