import type { Contents, DirectoryContents } from "../contract/snapshot.ts";
import { allocateBuffer } from "../lib/bytes/large-buffer.ts";

/**
 * The ranges of the directories of a snapshot as numbers. Snapshots with the same directories share the paths, because
 * strings and objects for each directory in every snapshot would take several times the memory.
 */
export class PackedContents implements DirectoryContents {
  readonly directories: Directories;
  /** Place, first and end of each directory, in the order of the scan. */
  readonly numbers: Int32Array;

  constructor(directories: Directories, numbers: Int32Array) {
    this.directories = directories;
    this.numbers = numbers;
  }

  static from(contents: Iterable<readonly [path: string, Contents]>): PackedContents {
    if (contents instanceof PackedContents) return contents;
    const columns = new ContentsColumns(undefined);
    for (const [path, range] of contents) columns.add(path, range);
    return columns.done();
  }

  get size(): number {
    return this.directories.paths.length;
  }

  get(path: string): Contents | undefined {
    const index = this.directories.indexes.get(path);
    return index === undefined ? undefined : this.#at(index);
  }

  has(path: string): boolean {
    return this.directories.indexes.has(path);
  }

  keys(): Iterable<string> {
    return this.directories.paths;
  }

  *[Symbol.iterator](): Generator<readonly [path: string, Contents]> {
    for (const [index, path] of this.directories.paths.entries()) yield [path, this.#at(index)];
  }

  /**
   * Returns the range of a directory and those below it, in the order of the scan; undefined when their entries are not
   * next to each other.
   */
  below(path: string): { readonly start: number; readonly end: number } | undefined {
    const { paths, indexes } = this.directories;
    const start = indexes.get(path);
    if (start === undefined) return undefined;
    const prefix = `${path}/`;
    let next = this.numbers[start * 3 + 1];
    let end = start;
    do {
      if (this.numbers[end * 3 + 1] !== next) return undefined;
      next = this.numbers[end * 3 + 2];
      end += 1;
    } while (end < paths.length && paths[end]!.startsWith(prefix));
    return { start, end };
  }

  #at(index: number): Contents {
    const { numbers } = this;
    const at = index * 3;
    return { place: numbers[at]!, first: numbers[at + 1]!, end: numbers[at + 2]! };
  }
}

/** The paths of directories, and their indexes. */
interface Directories {
  readonly paths: readonly string[];
  readonly indexes: ReadonlyMap<string, number>;
}

/** Collects the ranges of directories in the order of the scan. Each directory is added once. */
export class ContentsColumns {
  /** The directories of an earlier snapshot, as long as they are the same. */
  readonly #likely: Directories | undefined;
  #own: { readonly paths: string[]; readonly indexes: Map<string, number> } | undefined;
  #numbers: Int32Array;
  #count = 0;

  /** `earlier` are contents with mostly the same directories. */
  constructor(earlier: DirectoryContents | undefined) {
    this.#likely = earlier instanceof PackedContents ? earlier.directories : undefined;
    this.#numbers = newNumbers((this.#likely?.paths.length ?? 0) + fewDirectories);
  }

  add(path: string, { place, first, end }: Contents): void {
    const at = this.#count * 3;
    if (at === this.#numbers.length) {
      const more = newNumbers(this.#count * 2);
      more.set(this.#numbers);
      this.#numbers = more;
    }
    this.#numbers[at] = place;
    this.#numbers[at + 1] = first;
    this.#numbers[at + 2] = end;
    if (this.#own === undefined && this.#likely?.paths[this.#count] !== path) this.#differ();
    this.#own?.indexes.set(path, this.#count);
    this.#own?.paths.push(path);
    this.#count += 1;
  }

  /** Adds directories of an earlier snapshot, whose entries have moved by `offset`. The first one is at `place`. */
  share(
    earlier: PackedContents,
    { start, end }: { readonly start: number; readonly end: number },
    { place, offset }: { readonly place: number; readonly offset: number },
  ): void {
    for (let index = start; index < end; index += 1)
      this.add(earlier.directories.paths[index]!, {
        place: index === start ? place : earlier.numbers[index * 3]! + offset,
        first: earlier.numbers[index * 3 + 1]! + offset,
        end: earlier.numbers[index * 3 + 2]! + offset,
      });
  }

  done(): PackedContents {
    if (this.#own === undefined && this.#count !== this.#likely?.paths.length) this.#differ();
    const numbers = newNumbers(this.#count);
    numbers.set(this.#numbers.subarray(0, this.#count * 3));
    return new PackedContents(this.#own ?? this.#likely!, numbers);
  }

  /** Begins a list of its own with the directories that are the same. */
  #differ(): void {
    const paths = this.#likely?.paths.slice(0, this.#count) ?? [];
    this.#own = { paths, indexes: new Map(paths.map((path, index) => [path, index])) };
  }
}

const fewDirectories = 16;

function newNumbers(directories: number): Int32Array {
  return new Int32Array(allocateBuffer(directories * 12), 0, directories * 3);
}
