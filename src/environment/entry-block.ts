import { type EntryFigures, figure, figureCount } from "../contract/snapshot.ts";
import { allocateBuffer } from "../lib/bytes/large-buffer.ts";

/**
 * The paths and figures of some entries. The path of a directory is stored once for all of its entries that follow
 * each other, and each column of figures in the smallest type for its numbers. Entries are only added, until the block
 * is sealed.
 */
export class EntryBlock {
  readonly capacity: number;
  count = 0;
  #columns: Column[];
  /** Where the name of each entry ends in the text. It begins where the one before it ends, or after the directory. */
  #ends: Uint32Array;
  /** Three numbers for each directory: its first entry, and where its path begins and ends in the text. */
  #directories: number[] | Uint32Array = [];
  #text: Buffer;
  /** One piece of memory for all of them, in a sealed block. */
  #memory: ArrayBuffer | undefined;
  /** The directory that was used last, as an index in `#directories`, and its path. */
  #last = -1;
  #lastPath = "";
  /** The directory of the entry that was added last. */
  #addedTo: string | undefined;

  constructor(capacity: number) {
    this.capacity = capacity;
    this.#columns = Array.from({ length: figureCount }, () => new Float64Array(capacity));
    this.#ends = new Uint32Array(capacity);
    this.#text = Buffer.allocUnsafeSlow(capacity * likelyNameBytes);
  }

  /** Returns the block of which `pack` has returned the data. Throws a RangeError if they do not fit. */
  static unpack({ count, columns, directories, text, memory }: PackedBlock): EntryBlock {
    if (memory.byteLength !== sizeOf({ count, columns, directories, text }))
      throw new RangeError("The data of a block of entries have the wrong size");
    const block = new EntryBlock(0);
    block.count = count;
    block.#use(memory, { count, columns, directories, text });
    return block;
  }

  /** Adds an entry, and returns its index. */
  add(path: string, entry: EntryFigures): number {
    const index = this.count;
    const nameAt = path.lastIndexOf("/") + 1;
    let start = index === 0 ? 0 : this.#ends[index - 1]!;
    const most = start + path.length * 3;
    if (most > this.#text.length) this.#text = Buffer.concat([this.#text], most * 2);
    const directory = path.slice(0, nameAt);
    if (directory !== this.#addedTo) {
      const end = start + this.#text.write(directory, start);
      this.#addedTo = directory;
      (this.#directories as number[]).push(index, start, end);
      start = end;
    }
    this.#ends[index] = start + this.#text.write(nameAt === 0 ? path : path.slice(nameAt), start);
    const columns = this.#columns as Float64Array[];
    columns[figure.mode]![index] = entry.mode;
    columns[figure.bytes]![index] = entry.size;
    columns[figure.modified]![index] = entry.mtimeMs;
    columns[figure.changed]![index] = entry.ctimeMs;
    columns[figure.inode]![index] = entry.ino;
    columns[figure.device]![index] = entry.dev;
    this.count += 1;
    return index;
  }

  pathAt(index: number): string {
    this.#findDirectory(index);
    return this.#lastPath + this.#text.toString("utf8", this.#nameAt(index), this.#ends[index]);
  }

  figureAt(index: number, column: number): number {
    const figures = this.#columns[column]!;
    return typeof figures === "number" ? figures : figures[index]!;
  }

  /**
   * Returns the indexes of those of some entries whose figure is one of these. `mayBe` is 1 at the lower bits of all wanted
   * figures, in which most others differ already.
   */
  indexesWith(
    column: number,
    { from, end }: { readonly from: number; readonly end: number },
    { mayBe, wanted }: { readonly mayBe: Uint8Array; readonly wanted: ReadonlySet<number> },
  ): readonly number[] {
    const figures = this.#columns[column]!;
    const found: number[] = [];
    for (let index = from; index < end; index += 1) {
      const value = typeof figures === "number" ? figures : figures[index]!;
      // A remainder of a floating-point number would take several times as long.
      if (mayBe[value & lowerBits] === 1 && wanted.has(value)) found.push(index);
    }
    return found;
  }

  figuresAt(index: number): EntryFigures {
    return {
      mode: this.figureAt(index, figure.mode),
      size: this.figureAt(index, figure.bytes),
      mtimeMs: this.figureAt(index, figure.modified),
      ctimeMs: this.figureAt(index, figure.changed),
      ino: this.figureAt(index, figure.inode),
      dev: this.figureAt(index, figure.device),
    };
  }

  /** Returns the number of bytes of a path. */
  pathBytesAt(index: number): number {
    this.#findDirectory(index);
    const directory = this.#directories[this.#last + 2]! - this.#directories[this.#last + 1]!;
    return directory + this.#ends[index]! - this.#nameAt(index);
  }

  /** Returns about how much memory some entries take. Paths can be long. */
  bytesOf(from: number, end: number): number {
    const startOf = (index: number) => (index === 0 ? 0 : this.#ends[index - 1]!);
    return startOf(end) - startOf(from) + (end - from) * entryBytes;
  }

  /** Stores the entries in as little memory as possible. */
  seal(): void {
    if (this.#memory !== undefined) return;
    const { count } = this;
    const columns = this.#columns.map((column) => smallestType((column as Float64Array).subarray(0, count)));
    const text = count === 0 ? 0 : this.#ends[count - 1]!;
    const shape = { count, columns, directories: this.#directories.length, text };
    const [figures, ends, directories, bytes] = [this.#columns, this.#ends, this.#directories, this.#text];
    this.#use(allocateBuffer(sizeOf(shape)), shape);
    for (const [index, column] of this.#columns.entries())
      if (typeof column !== "number") column.set((figures[index] as Float64Array).subarray(0, count));
    this.#ends.set(ends.subarray(0, count));
    (this.#directories as Uint32Array).set(directories);
    bytes.copy(this.#text, 0, 0, text);
  }

  /** Returns a sealed block as data, without a copy. */
  pack(): PackedBlock {
    const columns = this.#columns.map((column) => {
      if (typeof column === "number") return column;
      return ({ 2: "uint16", 4: "uint32", 8: "float64" } as const)[column.BYTES_PER_ELEMENT as 2]!;
    });
    const { length: text } = this.#text;
    return { count: this.count, columns, directories: this.#directories.length, text, memory: this.#memory! };
  }

  /** Lays out the columns in one piece of memory, the largest numbers first. */
  #use(memory: ArrayBuffer, { count, columns, directories, text }: BlockShape): void {
    let end = 0;
    const take = (bytes: number) => {
      end += bytes;
      return end - bytes;
    };
    const laidOut: Column[] = columns.map((column) => (typeof column === "number" ? column : 0));
    for (const type of types)
      for (const [index, column] of columns.entries())
        if (column === type) {
          const View = viewsOf[type];
          laidOut[index] = new View(memory, take(count * View.BYTES_PER_ELEMENT), count);
        }
    // The last numbers are of four bytes again.
    end = Math.ceil(end / 4) * 4;
    this.#columns = laidOut;
    this.#ends = new Uint32Array(memory, take(count * 4), count);
    this.#directories = new Uint32Array(memory, take(directories * 4), directories);
    this.#text = Buffer.from(memory, take(text), text);
    this.#memory = memory;
    this.#last = -1;
  }

  /** Returns where the name of an entry begins. `#last` is its directory. */
  #nameAt(index: number): number {
    return index === this.#directories[this.#last]
      ? this.#directories[this.#last + 2]!
      : this.#ends[index - 1]!;
  }

  #findDirectory(index: number): void {
    const directories = this.#directories;
    const isLast = (at: number) =>
      at >= 0 && directories[at]! <= index && (at + 3 >= directories.length || directories[at + 3]! > index);
    if (isLast(this.#last)) return;
    let found = this.#last + 3;
    if (this.#last < 0 || found >= directories.length || !isLast(found)) {
      let [low, high] = [0, directories.length / 3];
      while (low < high) {
        const middle = (low + high) >>> 1;
        if (directories[middle * 3]! <= index) low = middle + 1;
        else high = middle;
      }
      found = (low - 1) * 3;
    }
    this.#last = found;
    this.#lastPath = this.#text.toString("utf8", directories[found + 1], directories[found + 2]);
  }
}

export const lowerBits = 0xffff;

/** The data of a sealed block. */
export interface PackedBlock extends BlockShape {
  readonly memory: ArrayBuffer;
}

interface BlockShape {
  readonly count: number;
  /** The type of each column of figures, or the number that all entries have. */
  readonly columns: readonly (ColumnType | number)[];
  /** The length of the list of directories. */
  readonly directories: number;
  /** The number of bytes of all names. */
  readonly text: number;
}

type Column = number | Uint16Array | Uint32Array | Float64Array;

const viewsOf = { float64: Float64Array, uint32: Uint32Array, uint16: Uint16Array } as const;
type ColumnType = keyof typeof viewsOf;
const types = ["float64", "uint32", "uint16"] as const;

function sizeOf({ count, columns, directories, text }: BlockShape): number {
  const bytes = columns.map((column) => (typeof column === "number" ? 0 : viewsOf[column].BYTES_PER_ELEMENT));
  const figures = bytes.reduce((sum, each) => sum + each, 0) * count;
  return Math.ceil(figures / 4) * 4 + (count + directories) * 4 + text;
}

function smallestType(numbers: Float64Array): ColumnType | number {
  const [first = 0] = numbers;
  if (numbers.every((number) => number === first)) return first;
  if (!numbers.every((number) => number >>> 0 === number)) return "float64";
  return numbers.every((number) => number < 65_536) ? "uint16" : "uint32";
}

const likelyNameBytes = 24;
/** Of an entry without its name. */
const entryBytes = 32;
