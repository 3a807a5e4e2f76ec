import { type Contents, type Entries, type EntryFigures, figure, figureCount } from "../contract/snapshot.ts";
import { EntryBlock, lowerBits, type PackedBlock } from "./entry-block.ts";

/**
 * Collects the entries of a snapshot. They are stored in blocks that never change, and a snapshot is a list of parts of
 * blocks, so that it shares unchanged entries with an earlier one. Strings and objects for each of many thousand
 * entries would take several times the memory.
 */
export class EntryColumns {
  readonly #pieces: Piece[] = [];
  #block = new EntryBlock(minBlockEntries);
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
    this.#block.seal();
    const stored = bytesOfBlocks(this.#pieces);
    const used = this.#pieces.reduce(
      (sum, { block, start, first, end }) => sum + block.bytesOf(start, start + end - first),
      0,
    );
    const isScattered = this.#pieces.length > maxPieces || stored > 2 * used + maxUnusedBytes;
    return new EntryPieces(isScattered ? this.#copied() : this.#pieces, this.#next);
  }

  #store(path: string, entry: EntryFigures): number {
    if (this.#block.count === this.#block.capacity) {
      this.#block.seal();
      this.#block = new EntryBlock(Math.min(this.#block.capacity * 4, maxBlockEntries));
    }
    return this.#block.add(path, entry);
  }

  #addPiece(block: EntryBlock, start: number, count: number): void {
    const [last, first] = [this.#pieces.at(-1), this.#next];
    this.#next += count;
    if (last?.block === block && last.start + first - last.first === start)
      this.#pieces[this.#pieces.length - 1] = { ...last, end: this.#next };
    else this.#pieces.push({ block, start, first, end: this.#next });
  }

  #copied(): readonly Piece[] {
    const copy = new EntryColumns();
    for (const { block, start, first, end } of this.#pieces)
      for (let index = start; index < start + end - first; index += 1)
        copy.add(block.pathAt(index), block.figuresAt(index));
    copy.#block.seal();
    return copy.#pieces;
  }
}

const minBlockEntries = 64;
const maxBlockEntries = 16_384;
const maxPieces = 1000;
/** So much memory of entries that are no longer used is not worth a copy. */
const maxUnusedBytes = 1024 * 1024;

/** Entries as data that does not depend on how they are stored. */
export interface EntryPart {
  /** Each path has a NUL byte at its end. */
  readonly paths: Uint8Array;
  readonly figures: Float64Array;
}

/** Returns entries as data. */
export function partOf(entries: Entries): EntryPart {
  return { paths: joinPaths(entries), figures: joinFigures(entries) };
}

/** Returns the entries of which `partOf` has returned the data. Throws a RangeError if paths and figures do not fit. */
export function entriesFrom({ paths, figures }: EntryPart): Entries {
  const text = Buffer.from(paths.buffer, paths.byteOffset, paths.byteLength);
  const columns = new EntryColumns();
  let start = 0;
  for (let at = 0; at < figures.length; at += figureCount) {
    const end = text.indexOf(0, start);
    if (end < 0) throw new RangeError("There are more figures than paths");
    columns.add(text.toString("utf8", start, end), {
      mode: figures[at + figure.mode]!,
      size: figures[at + figure.bytes]!,
      mtimeMs: figures[at + figure.modified]!,
      ctimeMs: figures[at + figure.changed]!,
      ino: figures[at + figure.inode]!,
      dev: figures[at + figure.device]!,
    });
    start = end + 1;
  }
  if (start !== text.length) throw new RangeError("There are more paths than figures");
  return columns.done();
}

/** Returns entries as data for `entriesOf`, almost all of it without a copy. */
export function packEntries(entries: Entries): readonly PackedBlock[] {
  return piecesOf(entries, 0, entries.count).map(({ block, start, first, end }) => {
    if (start === 0 && end - first === block.count) return block.pack();
    const part = new EntryBlock(end - first);
    for (let index = start; index < start + end - first; index += 1)
      part.add(block.pathAt(index), block.figuresAt(index));
    part.seal();
    return part.pack();
  });
}

/** Returns the entries of which `packEntries` has returned the data. Throws a RangeError if they do not fit. */
export function entriesOf(packed: readonly PackedBlock[]): Entries {
  const pieces: Piece[] = [];
  let first = 0;
  for (const block of packed.map(EntryBlock.unpack)) {
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
  const paths = Buffer.allocUnsafeSlow(bytesOfPaths(entries));
  let end = 0;
  for (const path of entries.paths()) end = paths.writeUInt8(0, end + paths.write(path, end));
  return paths;
}

/** Returns the length of what `joinPaths` returns. */
export function bytesOfPaths(entries: Entries): number {
  let bytes = 0;
  for (const { block, start, first, end } of piecesOf(entries, 0, entries.count))
    for (let index = start; index < start + end - first; index += 1) bytes += block.pathBytesAt(index) + 1;
  return bytes;
}

/** Returns the figures of all entries. */
export function joinFigures(
  entries: Entries,
  from = 0,
  end: number = entries.count,
): Float64Array<ArrayBuffer> {
  const figures = new Float64Array((end - from) * figureCount);
  for (let place = from; place < end; place += 1)
    for (let column = 0; column < figureCount; column += 1)
      figures[(place - from) * figureCount + column] = entries.figureAt(place, column);
  return figures;
}

/** Returns the entries with one of these whole numbers in a column, much faster than a look at each entry. */
export function placesWith(entries: Entries, column: number, wanted: ReadonlySet<number>): readonly number[] {
  if (wanted.size === 0) return [];
  const mayBe = new Uint8Array(lowerBits + 1);
  for (const value of wanted) mayBe[value & lowerBits] = 1;
  return piecesOf(entries, 0, entries.count).flatMap((piece) => {
    const { block, start, first } = piece;
    const found = block.indexesWith(column, { from: start, end: start + lengthOf(piece) }, { mayBe, wanted });
    return found.map((index) => index - start + first);
  });
}

/** Entries that are next to each other in a block and in a snapshot. */
interface Piece {
  readonly block: EntryBlock;
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
    return block.figureAt(start + place - first, column);
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

/** Returns about how much memory entries take, also those in the same blocks that are no longer used. */
export function bytesStored(entries: Entries): number {
  return bytesOfBlocks(piecesOf(entries, 0, entries.count));
}

function bytesOfBlocks(pieces: readonly Piece[]): number {
  const blocks = new Set(pieces.map(({ block }) => block));
  return Array.from(blocks).reduce((sum, block) => sum + block.bytesOf(0, block.count), 0);
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
