/** One message on the pipe between a program's worker and its parent: a small JSON header, and bytes that are not parsed. */
export interface Frame {
  readonly header: unknown;
  readonly body: Buffer;
}

/** A frame begins with the lengths of its header and its body. */
const lengthBytes = 8;

/** Returns the bytes of a frame. The body is a text followed by bytes. */
export function encodeFrame(header: object, text: string, bytes: Uint8Array = noBytes): Buffer {
  const json = JSON.stringify(header);
  const headerBytes = Buffer.byteLength(json);
  const textBytes = Buffer.byteLength(text);
  const frame = Buffer.allocUnsafe(lengthBytes + headerBytes + textBytes + bytes.length);
  frame.writeUInt32LE(headerBytes, 0);
  frame.writeUInt32LE(textBytes + bytes.length, 4);
  frame.write(json, lengthBytes);
  frame.write(text, lengthBytes + headerBytes);
  frame.set(bytes, lengthBytes + headerBytes + textBytes);
  return frame;
}

const noBytes = new Uint8Array();

/** Splits a stream of bytes into frames. */
export class FrameReader {
  readonly #maxBytes: number;
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** The bytes from which on there is more to do, so that the chunks of a long frame are joined once. */
  #needed = lengthBytes;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Returns the frames that this chunk completes. Throws when a frame is too long or its header is not JSON. */
  push(chunk: Buffer): readonly Frame[] {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    const frames: Frame[] = [];
    while (this.#bytes >= this.#needed) {
      const all = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks);
      const bodyStart = lengthBytes + all.readUInt32LE(0);
      const end = bodyStart + all.readUInt32LE(4);
      if (end > this.#maxBytes) throw new Error(`A frame has ${end} bytes`);
      const isWhole = all.length >= end;
      if (isWhole) {
        const header: unknown = JSON.parse(all.toString("utf8", lengthBytes, bodyStart));
        frames.push({ header, body: all.subarray(bodyStart, end) });
      }
      this.#needed = isWhole ? lengthBytes : end;
      this.#chunks = [isWhole ? all.subarray(end) : all];
      this.#bytes = this.#chunks[0]!.length;
    }
    return frames;
  }
}
