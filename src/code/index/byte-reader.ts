import { asBuffer } from "../../lib/as-buffer.ts";
import { DamagedIndex } from "./damaged-index.ts";

/** Reads what a ByteWriter wrote. */
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

  text(): string {
    return asBuffer(this.take(this.varint())).toString();
  }
}
