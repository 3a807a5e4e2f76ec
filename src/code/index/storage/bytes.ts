import { asBuffer } from "../../../lib/bytes/bytes.ts";

export class ByteWriter {
  #bytes = new Uint8Array(4096);
  length = 0;

  varint(value: number): void {
    this.#reserve(8);
    let rest = value;
    while (rest >= 0x80) {
      this.#bytes[this.length++] = (rest & 0x7f) | 0x80;
      rest = rest > 0x7fffffff ? Math.floor(rest / 128) : rest >>> 7;
    }
    this.#bytes[this.length++] = rest;
  }

  append(bytes: Uint8Array, start = 0, end: number = bytes.length): void {
    this.#reserve(end - start);
    if (end - start > 16) this.#bytes.set(bytes.subarray(start, end), this.length);
    else for (let at = start; at < end; at++) this.#bytes[this.length + at - start] = bytes[at]!;
    this.length += end - start;
  }

  text(text: string): void {
    const bytes = Buffer.from(text);
    this.varint(bytes.length);
    this.append(bytes);
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.length++] = value;
  }

  drain(other: ByteWriter): void {
    this.append(other.#bytes, 0, other.length);
    other.length = 0;
  }

  take(): Uint8Array {
    const taken = this.#bytes.slice(0, this.length);
    this.length = 0;
    return taken;
  }

  #reserve(more: number): void {
    if (this.length + more <= this.#bytes.length) return;
    const size = Math.max(this.#bytes.length * 2, this.length + more);
    this.#bytes = new Uint8Array(this.#bytes.buffer.transfer(size));
  }
}

export class ByteReader {
  readonly bytes: Uint8Array;
  at: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }

  get isAtEnd(): boolean {
    return this.at >= this.bytes.length;
  }

  varint(): number {
    const first = this.bytes[this.at]!;
    if (first < 0x80) {
      this.at++;
      return first;
    }
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = this.bytes[this.at++];
      if (byte === undefined) throw new DamagedIndex("a number is cut off");
      if (byte < 0x80) return value + byte * scale;
      value += (byte & 0x7f) * scale;
      scale *= 128;
    }
  }

  take(length: number): Uint8Array {
    if (this.at + length > this.bytes.length) throw new DamagedIndex("a part is cut off");
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }

  /** Moves on without the view of the bytes that `take` makes. */
  skip(length: number): void {
    if (this.at + length > this.bytes.length) throw new DamagedIndex("a part is cut off");
    this.at += length;
  }

  text(): string {
    return asBuffer(this.take(this.varint())).toString();
  }
}

/** Thrown for a damaged index, which is then discarded and rebuilt. No query is answered from it. */
export class DamagedIndex extends Error {}
