import type { Contents, Snapshot } from "../../../contract/snapshot.ts";

/** The directories of a snapshot in the order of the scan: each directory before those below it. */
export class ScanOrder {
  readonly #directories: readonly (readonly [path: string, contents: Contents])[];
  readonly #indexes = new Map<string, number>();

  constructor({ contents }: Snapshot) {
    this.#directories = [...contents];
    for (const [index, [path]] of this.#directories.entries()) this.#indexes.set(path, index);
  }

  /** Lists a directory and those below it; undefined when their entries are not next to each other. */
  below(path: string): readonly (readonly [path: string, contents: Contents])[] | undefined {
    const start = this.#indexes.get(path);
    if (start === undefined) return undefined;
    const prefix = `${path}/`;
    let next = this.#directories[start]![1].first;
    let end = start;
    do {
      const { first, end: after } = this.#directories[end]![1];
      if (first !== next) return undefined;
      next = after;
      end += 1;
    } while (end < this.#directories.length && this.#directories[end]![0].startsWith(prefix));
    return this.#directories.slice(start, end);
  }
}
