import { isAscii } from "node:buffer";

/**
 * A text in UTF-8. `bytes` has it as a string with a character for every byte, which is searched and cut faster than a
 * buffer; offsets are the same in both.
 */
export class Utf8Text {
  readonly buffer: Buffer;
  readonly length: number;
  readonly bytes: string;
  readonly #isAscii: boolean;

  constructor(buffer: Buffer) {
    this.buffer = buffer;
    this.length = buffer.length;
    this.bytes = buffer.toString("latin1");
    this.#isAscii = isAscii(buffer);
  }

  /** The characters between two offsets. */
  slice(start: number, end: number): string {
    return this.#isAscii ? this.bytes.slice(start, end) : this.buffer.toString("utf8", start, end);
  }
}

/** What to look for in `bytes`. */
export function bytesOf(text: string): string {
  return Buffer.byteLength(text) === text.length ? text : Buffer.from(text).toString("latin1");
}
