import { statSync } from "node:fs";
import { errnoOf } from "../system/failures.ts";

/** Tells whether files have changed, by a look at each that takes a few microseconds. */
export class FileMarks {
  readonly #paths: readonly string[];
  #seen: readonly string[] = [];

  /** Those that are not there count as well: they may come. */
  constructor(paths: readonly string[]) {
    this.#paths = paths;
    this.note();
  }

  /** Whether none has changed since they were noted. */
  get areSame(): boolean {
    return this.#paths.every((path, index) => markOf(path) === this.#seen[index]);
  }

  /** What they look like now is what later looks are compared with. */
  note(): void {
    this.#seen = this.#paths.map(markOf);
  }
}

function markOf(path: string): string {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return "";
    const { ino, size, mtimeMs, ctimeMs, mode } = stats;
    return `${ino} ${size} ${mtimeMs} ${ctimeMs} ${mode}`;
  } catch (error) {
    return errnoOf(error) ?? "?";
  }
}
