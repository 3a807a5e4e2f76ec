import type { Stats } from "node:fs";
import { figure, figureCount, isSettled, type Snapshot } from "../../../contract/snapshot.ts";
import { tellsChanges } from "./file-system-types.ts";

/** The names in directories, as an earlier snapshot tells them, as long as they hold. */
export class KnownNames {
  readonly #earlier: Snapshot | undefined;
  /** By device: whether its directories can be relied on. */
  readonly #isReliable = new Map<number, boolean>();

  constructor(earlier: Snapshot | undefined) {
    this.#earlier = earlier;
  }

  /** The paths in a directory that looks as it did, undefined when it does not: then it has to be read. */
  in(path: string, stats: Stats, at: string): readonly string[] | undefined {
    const contents = this.#earlier?.contents.get(path);
    if (contents === undefined || !this.#isUnchanged(contents.place, stats)) return undefined;
    if (!this.#tellsChanges(stats.dev, at)) return undefined;
    return this.#earlier!.paths.slice(contents.first, contents.end);
  }

  /** A directory changes its times when a name in it comes or goes. */
  #isUnchanged(place: number, stats: Stats): boolean {
    if (place < 0) return false;
    const earlier = this.#earlier!;
    const is = (column: number, value: number) => earlier.figures[place * figureCount + column] === value;
    return (
      is(figure.changed, stats.ctimeMs) &&
      is(figure.modified, stats.mtimeMs) &&
      is(figure.inode, stats.ino) &&
      is(figure.device, stats.dev) &&
      isSettled(earlier, place)
    );
  }

  #tellsChanges(device: number, at: string): boolean {
    const known = this.#isReliable.get(device);
    if (known !== undefined) return known;
    const isReliable = tellsChanges(at);
    this.#isReliable.set(device, isReliable);
    return isReliable;
  }
}
