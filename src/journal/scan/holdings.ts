import type { SharedRange } from "../../contract/snapshot.ts";

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
  readonly #numbers: Int32Array;
  readonly #names: Names;

  /** `like` are holdings with mostly the same contents. */
  constructor(count: number, like?: Holdings) {
    this.#numbers = new Int32Array(count);
    const names = like === undefined ? undefined : like.#names;
    // Names of contents that no ledger has any longer are dropped now and then.
    this.#names = names !== undefined && names.count <= 2 * count + fewNames ? names : new Names();
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

  isSame(position: number, other: Holdings, otherPosition: number): boolean {
    if (other.#names === this.#names && this.#numbers[position] === other.#numbers[otherPosition])
      return true;
    return this.get(position) === other.get(otherPosition);
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
  #bytes = Buffer.alloc(0);
  count = 0;

  constructor(length: number) {
    this.#length = length;
  }

  add(name: string): number {
    const start = this.count * this.#length;
    if (start + this.#length > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(64, Math.ceil(this.count * 1.5)) * this.#length);
      this.#bytes.copy(larger);
      this.#bytes = larger;
    }
    this.#bytes.write(name, start, "hex");
    this.count += 1;
    return this.count;
  }

  get(number: number): string {
    return this.#bytes.toString("hex", (number - 1) * this.#length, number * this.#length);
  }
}
