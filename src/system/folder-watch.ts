import { type FSWatcher, watch } from "node:fs";
import { errnoOf } from "./file-errors.ts";

/**
 * Tells when something changes in a group of folders, but only once: the group is then no longer watched. So a busy folder
 * does not wake this process for every write. The listener looks at the folders itself until they are quiet, and watches
 * them again.
 */
export class FolderWatch {
  readonly #groups = new Map<string, readonly FSWatcher[]>();
  readonly #onChange: (group: string) => void;

  constructor(onChange: (group: string) => void) {
    this.#onChange = onChange;
  }

  has(group: string): boolean {
    return this.#groups.has(group);
  }

  /** Watches these folders, without missing ones. They are not watched when the system cannot watch more. */
  add(group: string, folders: readonly string[]): void {
    this.remove(group);
    const watchers: FSWatcher[] = [];
    const changed = () => {
      if (this.#groups.get(group) !== watchers) return;
      this.remove(group);
      this.#onChange(group);
    };
    try {
      for (const folder of folders) {
        const watcher = watchIfThere(folder, changed);
        if (watcher !== undefined) watchers.push(watcher.on("error", changed));
      }
    } catch {
      for (const watcher of watchers) watcher.close();
      return;
    }
    if (watchers.length > 0) this.#groups.set(group, watchers);
  }

  remove(group: string): void {
    for (const watcher of this.#groups.get(group) ?? []) watcher.close();
    this.#groups.delete(group);
  }

  close(): void {
    for (const group of [...this.#groups.keys()]) this.remove(group);
  }
}

function watchIfThere(folder: string, changed: () => void): FSWatcher | undefined {
  try {
    return watch(folder, { persistent: false }, changed);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined;
    throw error;
  }
}
