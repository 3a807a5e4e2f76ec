import { type Contents, type Entries, type EntryFigures, figure, figureCount } from "../contract/snapshot.ts";

/**
 * Collects the entries of a snapshot. They are stored in blocks that never change, and a snapshot is a list of parts of
 * blocks, so that it shares unchanged entries with an earlier one. Strings and objects for each of many thousand
 * entries would take several times the memory.
 */
export class EntryColumns {
  readonly #pieces: Piece[] = [];
  #block = new Block(minBlockEntries);
  #next = 0;

  /** The index that the next entry gets. */
  get next(): number {
    return this.#next;
  }

  /** Adds an entry, and returns its index. */
  add(path: string, entry: EntryFigures): number {
    const start = this.#store(path, entry);
    const last = this.#pieces.at(-1);
    if (last?.block === this.#block && last.start + this.#next - last.first === start)
      this.#pieces[this.#pieces.length - 1] = { ...last, end: this.#next + 1 };
    else this.#pieces.push({ block: this.#block, start, first: this.#next, end: this.#next + 1 });
    this.#next += 1;
    return this.#next - 1;
  }

  /** Adds entries of an earlier snapshot. */
  share(earlier: Entries, from: number, end: number): void {
    for (const piece of piecesOf(earlier, from, end))
      this.#addPiece(piece.block, piece.start, lengthOf(piece));
  }

  /** Replaces the figures of an entry. */
  replace(place: number, entry: EntryFigures): void {
    const index = indexOfPiece(this.#pieces, place);
    const { block, start, first, end } = this.#pieces[index]!;
    const at = this.#store(block.pathAt(start + place - first), entry);
    const parts = [
      { block, start, first, end: place },
      { block: this.#block, start: at, first: place, end: place + 1 },
      { block, start: start + place + 1 - first, first: place + 1, end },
    ];
    this.#pieces.splice(index, 1, ...parts.filter((piece) => lengthOf(piece) > 0));
  }

  done(): Entries {
    this.#block.trim();
    const blocks = new Set(this.#pieces.map(({ block }) => block));
    const stored = Array.from(blocks).reduce((sum, block) => sum + block.bytesOf(0, block.count), 0);
    const used = this.#pieces.reduce(
      (sum, { block, start, first, end }) => sum + block.bytesOf(start, start + end - first),
      0,
    );
    const isScattered = this.#pieces.length > maxPieces || stored > 2 * used + maxUnusedBytes;
    return new EntryPieces(isScattered ? this.#copied() : this.#pieces, this.#next);
  }

  #store(path: string, entry: EntryFigures): number {
    if (this.#block.count === this.#block.capacity) {
      this.#block.trim();
      this.#block = new Block(Math.min(this.#block.capacity * 4, maxBlockEntries));
    }
    return this.#block.add(path, entry);
  }

  #addPiece(block: Block, start: number, count: number): void {
    const [last, first] = [this.#pieces.at(-1), this.#next];
    this.#next += count;
    if (last?.block === block && last.start + first - last.first === start)
      this.#pieces[this.#pieces.length - 1] = { ...last, end: this.#next };
    else this.#pieces.push({ block, start, first, end: this.#next });
  }

  #copied(): readonly Piece[] {
    const whole = new EntryPieces(this.#pieces, this.#next);
    return [{ block: Block.of(joinPaths(whole), joinFigures(whole)), start: 0, first: 0, end: this.#next }];
  }
}

const minBlockEntries = 64;
const maxBlockEntries = 16_384;
const maxPieces = 1000;
/** So much memory of entries that are no longer used is not worth a copy. */
const maxUnusedBytes = 1024 * 1024;

/** Entries as data. */
export interface EntryPart {
  /** Each path has a NUL byte at its end. */
  readonly paths: Uint8Array;
  readonly figures: Float64Array;
}

/** Returns entries as data, without a copy. */
export function partsOf(entries: Entries): readonly EntryPart[] {
  return piecesOf(entries, 0, entries.count).map(({ block, start, first, end }) => ({
    paths: block.paths(start, start + end - first),
    figures: block.figures.subarray(start * figureCount, (start + end - first) * figureCount),
  }));
}

/** Returns the entries of which `partsOf` has returned the data. Throws a RangeError if paths and figures do not fit. */
export function entriesFrom(parts: readonly EntryPart[]): Entries {
  const pieces: Piece[] = [];
  let first = 0;
  for (const { paths, figures } of parts) {
    const block = Block.of(Buffer.from(paths.buffer, paths.byteOffset, paths.byteLength), figures);
    pieces.push({ block, start: 0, first, end: first + block.count });
    first += block.count;
  }
  return new EntryPieces(pieces, first);
}

/** Returns the paths in a directory. */
export function pathsIn(
  entries: Entries,
  { first, end }: Pick<Contents, "first" | "end">,
): readonly string[] {
  return Array.from({ length: end - first }, (_, index) => entries.pathAt(first + index));
}

/** Returns all paths, each with a NUL byte at its end. */
export function joinPaths(entries: Entries): Buffer {
  return Buffer.concat(partsOf(entries).map(({ paths }) => paths));
}

/** Returns the figures of all entries. */
export function joinFigures(
  entries: Entries,
  from = 0,
  end: number = entries.count,
): Float64Array<ArrayBuffer> {
  const figures = new Float64Array((end - from) * figureCount);
  for (const { block, start, first, end: after } of piecesOf(entries, from, end))
    figures.set(
      block.figures.subarray(start * figureCount, (start + after - first) * figureCount),
      (first - from) * figureCount,
    );
  return figures;
}

/** Entries that are next to each other in a block and in a snapshot. */
interface Piece {
  readonly block: Block;
  /** The index of the first one in the block. */
  readonly start: number;
  /** The index of the first one in the snapshot, and the one after the last. */
  readonly first: number;
  readonly end: number;
}

class EntryPieces implements Entries {
  readonly pieces: readonly Piece[];
  readonly count: number;
  /** The piece that was used last. The next entry is often in it. */
  #last: Piece | undefined;

  constructor(pieces: readonly Piece[], count: number) {
    this.pieces = pieces;
    this.count = count;
  }

  pathAt(place: number): string {
    const { block, start, first } = this.#pieceOf(place);
    return block.pathAt(start + place - first);
  }

  figureAt(place: number, column: number): number {
    const { block, start, first } = this.#pieceOf(place);
    return block.figures[(start + place - first) * figureCount + column]!;
  }

  *paths(): Generator<string> {
    for (let place = 0; place < this.count; place += 1) yield this.pathAt(place);
  }

  #pieceOf(place: number): Piece {
    const last = this.#last;
    if (last !== undefined && place >= last.first && place < last.end) return last;
    const found = this.pieces[indexOfPiece(this.pieces, place)];
    if (found === undefined || place < 0 || place >= found.end)
      throw new RangeError(`There is no entry ${place}`);
    this.#last = found;
    return found;
  }
}

function lengthOf({ first, end }: Pick<Piece, "first" | "end">): number {
  return end - first;
}

/** Returns the index of the last piece that begins at an entry or before it. */
function indexOfPiece(pieces: readonly Piece[], place: number): number {
  let [low, high] = [0, pieces.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (pieces[middle]!.first <= place) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Returns the pieces with these entries, cut at both ends. */
function piecesOf(entries: Entries, from: number, end: number): readonly Piece[] {
  const { pieces } = entries as EntryPieces;
  const found: Piece[] = [];
  for (let index = Math.max(0, indexOfPiece(pieces, from)); index < pieces.length; index += 1) {
    const { block, start, ...piece } = pieces[index]!;
    if (piece.first >= end) break;
    const first = Math.max(from, piece.first);
    found.push({ block, start: start + first - piece.first, first, end: Math.min(end, piece.end) });
  }
  return found.filter((piece) => lengthOf(piece) > 0);
}

/** Paths as bytes, each with a NUL byte at its end, and figures. Entries are only added. */
class Block {
  readonly capacity: number;
  figures: Float64Array;
  count = 0;
  #bytes: Buffer;
  #ends: Uint32Array;

  constructor(capacity: number) {
    this.capacity = capacity;
    this.figures = new Float64Array(capacity * figureCount);
    this.#ends = new Uint32Array(capacity);
    this.#bytes = Buffer.allocUnsafeSlow(capacity * likelyPathBytes);
  }

  static of(paths: Buffer, figures: Float64Array): Block {
    const block = new Block(0);
    block.count = figures.length / figureCount;
    block.figures = figures;
    block.#bytes = paths;
    block.#ends = new Uint32Array(block.count);
    let end = 0;
    for (let index = 0; index < block.count; index += 1) {
      end = paths.indexOf(0, end) + 1;
      if (end === 0) throw new RangeError("There are more figures than paths");
      block.#ends[index] = end;
    }
    if (end !== paths.length) throw new RangeError("There are more paths than figures");
    return block;
  }

  add(path: string, entry: EntryFigures): number {
    const start = this.#startOf(this.count);
    const most = start + path.length * 3 + 1;
    if (most > this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes], most * 2);
    const end = start + this.#bytes.write(path, start);
    this.#bytes[end] = 0;
    this.#ends[this.count] = end + 1;
    const at = this.count * figureCount;
    this.figures[at + figure.mode] = entry.mode;
    this.figures[at + figure.bytes] = entry.size;
    this.figures[at + figure.modified] = entry.mtimeMs;
    this.figures[at + figure.changed] = entry.ctimeMs;
    this.figures[at + figure.inode] = entry.ino;
    this.figures[at + figure.device] = entry.dev;
    this.count += 1;
    return this.count - 1;
  }

  pathAt(index: number): string {
    return this.#bytes.toString("utf8", this.#startOf(index), this.#ends[index]! - 1);
  }

  /** The memory of entries. Paths can be long. */
  bytesOf(from: number, end: number): number {
    return this.#startOf(end) - this.#startOf(from) + (end - from) * figureCount * 8;
  }

  paths(from: number, end: number): Buffer {
    return this.#bytes.subarray(this.#startOf(from), this.#startOf(end));
  }

  /** Frees the memory of entries that were not added. */
  trim(): void {
    if (this.count < this.capacity) {
      this.figures = this.figures.slice(0, this.count * figureCount);
      this.#ends = this.#ends.slice(0, this.count);
    }
    const bytes = Buffer.allocUnsafeSlow(this.#startOf(this.count));
    this.#bytes.copy(bytes);
    this.#bytes = bytes;
  }

  #startOf(index: number): number {
    return index === 0 ? 0 : this.#ends[index - 1]!;
  }
}

const likelyPathBytes = 48;
