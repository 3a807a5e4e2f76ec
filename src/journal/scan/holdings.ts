import type { SharedRange } from "../../contract/snapshot.ts";
import { allocateBuffer } from "../../lib/bytes/large-buffer.ts";

/** The SHA-256 of a stored content, or git's name of a blob, in hex. They differ in length. */
export type Holding = string;

export function isHeldByGit(holding: Holding): boolean {
  return holding.length === gitBytes * 2;
}

const gitBytes = 20;
const ownBytes = 32;

/** The names of stored contents, by position. They share their bytes with the holdings that they were copied from. */
export class Holdings {
  /** 0: not stored; from 1 on: the number of a SHA-256; from -1 on: the number of a name of git. */
  #numbers: Int32Array;
  readonly #names: Names;

  /** `like` are holdings with mostly the same contents. */
  constructor(count: number, like?: Holdings) {
    this.#numbers = new Int32Array(allocateBuffer(count * 4), 0, count);
    const names = like === undefined ? undefined : like.#names;
    // Names of contents that no ledger has any longer are dropped now and then.
    this.#names = names !== undefined && names.count <= 2 * count + fewNames ? names : new Names();
  }

  /** Returns the holdings of which `memory` has returned the pieces. Throws a RangeError if they do not fit. */
  static from(count: number, [numbers, counts, ...names]: readonly ArrayBuffer[]): Holdings {
    if (numbers === undefined || counts === undefined) throw new RangeError("Pieces are missing");
    const holdings = new Holdings(0);
    holdings.#numbers = new Int32Array(numbers, 0, count);
    const [own, git] = new Uint32Array(counts, 0, 2);
    const rest = holdings.#names.own.restore(own!, names);
    holdings.#names.git.restore(git!, rest);
    return holdings;
  }

  get count(): number {
    return this.#numbers.length;
  }

  has(position: number): boolean {
    return this.#numbers[position] !== 0;
  }

  isHeldByGit(position: number): boolean {
    return this.#numbers[position]! < 0;
  }

  get(position: number): Holding | undefined {
    const number = this.#numbers[position]!;
    if (number === 0) return undefined;
    return number > 0 ? this.#names.own.get(number) : this.#names.git.get(-number);
  }

  set(position: number, holding: Holding | undefined): void {
    if (holding === undefined) this.#numbers[position] = 0;
    else if (isHeldByGit(holding)) this.#numbers[position] = -this.#names.git.add(holding);
    else this.#numbers[position] = this.#names.own.add(holding);
  }

  /** Copies the names of a range. */
  copy(from: Holdings, { first, end, earlier }: SharedRange): void {
    if (from.#names === this.#names)
      this.#numbers.set(from.#numbers.subarray(earlier, earlier + end - first), first);
    else
      for (let position = first; position < end; position += 1)
        this.set(position, from.get(earlier + position - first));
  }

  /** Returns the positions of a range that have other names in `other`. */
  differing(other: Holdings, { first, end, earlier }: SharedRange): readonly number[] {
    const found: number[] = [];
    const isSame = (from: number, to: number) =>
      other.#names === this.#names &&
      bytesOf(this.#numbers, from, to).equals(
        bytesOf(other.#numbers, earlier + from - first, earlier + to - first),
      );
    for (let from = first; from < end; from += numbersAtOnce) {
      const to = Math.min(end, from + numbersAtOnce);
      if (isSame(from, to)) continue;
      for (let position = from; position < to; position += 1)
        if (this.get(position) !== other.get(earlier + position - first)) found.push(position);
    }
    return found;
  }

  /** Returns the names at these positions as data. */
  pack(positions: ArrayLike<number>): PackedHoldings {
    const lengths = Uint8Array.from(positions, (position) => {
      if (!this.has(position)) return 0;
      return this.isHeldByGit(position) ? gitBytes : ownBytes;
    });
    const names = Buffer.allocUnsafeSlow(lengths.reduce((sum, length) => sum + length, 0));
    let end = 0;
    for (let index = 0; index < positions.length; index += 1)
      end += names.write(this.get(positions[index]!) ?? "", end, "hex");
    return { lengths, names };
  }

  /** Sets the names that `pack` has returned. */
  unpack({ lengths, names }: PackedHoldings, positions: ArrayLike<number>): void {
    const bytes = Buffer.from(names.buffer, names.byteOffset, names.byteLength);
    let end = 0;
    for (const [index, length] of lengths.entries()) {
      this.set(positions[index]!, length === 0 ? undefined : bytes.toString("hex", end, end + length));
      end += length;
    }
  }

  /** Returns the memory of all names, without a copy. */
  memory(): readonly Uint8Array[] {
    const { own, git } = this.#names;
    const { buffer, byteOffset, byteLength } = this.#numbers;
    const counts = new Uint8Array(Uint32Array.of(own.count, git.count).buffer);
    return [new Uint8Array(buffer, byteOffset, byteLength), counts, ...own.memory(), ...git.memory()];
  }

  /** Lists the positions without a stored content. */
  *positionsWithout(): Generator<number> {
    const { length } = this.#numbers;
    for (let position = 0; position < length; position += 1) {
      position = this.#numbers.indexOf(0, position);
      if (position < 0) return;
      yield position;
    }
  }

  /** Lists the positions of stored contents. */
  *positions(): Generator<number> {
    for (let position = 0; position < this.count; position += 1) if (this.has(position)) yield position;
  }
}

export interface PackedHoldings {
  /** The number of bytes of each name; 0: not stored. */
  readonly lengths: Uint8Array;
  readonly names: Uint8Array;
}

const fewNames = 4096;
const numbersAtOnce = 1024;

function bytesOf({ buffer, byteOffset }: Int32Array, from: number, end: number): Buffer {
  return Buffer.from(buffer as ArrayBuffer, byteOffset + from * 4, (end - from) * 4);
}

class Names {
  readonly own = new NameColumn(ownBytes);
  readonly git = new NameColumn(gitBytes);

  get count(): number {
    return this.own.count + this.git.count;
  }
}

/** Names of one length, numbered from 1 on. */
class NameColumn {
  readonly #length: number;
  /** Each has `namesPerPiece` names, so that adding names copies none. */
  readonly #pieces: Buffer[] = [];
  count = 0;

  constructor(length: number) {
    this.#length = length;
  }

  add(name: string): number {
    const index = this.count % namesPerPiece;
    if (index === 0) this.#pieces.push(this.#newPiece());
    this.#pieces.at(-1)!.write(name, index * this.#length, "hex");
    this.count += 1;
    return this.count;
  }

  get(number: number): string {
    const index = number - 1;
    const start = (index % namesPerPiece) * this.#length;
    return this.#pieces[Math.floor(index / namesPerPiece)]!.toString("hex", start, start + this.#length);
  }

  memory(): readonly Uint8Array[] {
    return this.#pieces.map((piece, index) => piece.subarray(0, this.#bytesOf(index, this.count)));
  }

  /** Takes the names that `memory` has returned, and returns the other pieces. */
  restore(count: number, memory: readonly ArrayBuffer[]): readonly ArrayBuffer[] {
    const pieces = Math.ceil(count / namesPerPiece);
    for (const [index, piece] of memory.slice(0, pieces).entries()) {
      if (piece.byteLength !== this.#bytesOf(index, count))
        throw new RangeError("The data of names have the wrong size");
      const isFull = piece.byteLength === namesPerPiece * this.#length;
      const bytes = isFull ? Buffer.from(piece, 0, piece.byteLength) : this.#newPiece();
      if (!isFull) bytes.set(new Uint8Array(piece));
      this.#pieces.push(bytes);
    }
    if (this.#pieces.length !== pieces) throw new RangeError("Names are missing");
    this.count = count;
    return memory.slice(pieces);
  }

  #newPiece(): Buffer {
    const bytes = namesPerPiece * this.#length;
    return Buffer.from(allocateBuffer(bytes), 0, bytes);
  }

  /** Returns how many bytes of a piece are used. */
  #bytesOf(index: number, count: number): number {
    return Math.min(namesPerPiece, count - index * namesPerPiece) * this.#length;
  }
}

const namesPerPiece = 8192;
