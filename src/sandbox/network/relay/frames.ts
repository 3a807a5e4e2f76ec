/**
 * What goes over the channel between us and the relay: a number of the connection (4 bytes), a kind (1), the length of
 * the content (3), the content. Numbers that the relay gives are odd, ours are even.
 */
export const frameKinds = {
  /** A program has connected (no content), or we want to, to a port (2 bytes). */
  open: 1,
  data: 2,
  /** No more data will come this way. */
  end: 3,
  /** Nothing will come any more, either way. */
  reset: 4,
  /** So many bytes (4 bytes) have been passed on, and as many more may come. */
  credit: 5,
  opened: 6,
  /** Asks for the ports that somebody listens on, and tells them (2 bytes each). */
  listening: 7,
} as const;

/** How much may be on its way in one direction of a connection that nobody has taken yet. */
export const windowBytes = 262_144;

/** The longest content of a frame that we send or take. */
export const frameBytes = 65_536;

export interface FrameHeader {
  readonly id: number;
  readonly kind: number;
  readonly length: number;
}

export function frameHeader({ id, kind, length }: FrameHeader): Buffer {
  const header = Buffer.allocUnsafe(8);
  header.writeUInt32BE(id, 0);
  header.writeUInt32BE(kind * 2 ** 24 + length, 4);
  return header;
}

/** A short frame as a whole. */
export function frame(id: number, kind: number, content: Uint8Array = new Uint8Array()): Buffer {
  return Buffer.concat([frameHeader({ id, kind, length: content.length }), content]);
}

/**
 * Takes frames out of what comes in pieces of any size. Data is handed on as it comes, a frame perhaps in parts, so that
 * nothing is held but the beginning of a short frame. Returns false for what is no frame.
 */
export class FrameReader {
  readonly #take: (id: number, kind: number, content: Buffer) => boolean;
  #header: FrameHeader | undefined;
  #held: Buffer = Buffer.alloc(0);
  #left = 0;

  constructor(take: (id: number, kind: number, content: Buffer) => boolean) {
    this.#take = take;
  }

  read(piece: Buffer): boolean {
    let rest = this.#held.length === 0 ? piece : Buffer.concat([this.#held, piece]);
    for (;;) {
      if (this.#header === undefined) {
        if (rest.length < 8) break;
        const word = rest.readUInt32BE(4);
        this.#header = { id: rest.readUInt32BE(0), kind: word >>> 24, length: word & 0xffffff };
        if (this.#header.length > frameBytes) return false;
        this.#left = this.#header.length;
        rest = rest.subarray(8);
      }
      const { id, kind } = this.#header;
      const isPassedOn = kind === frameKinds.data && rest.length > 0;
      if (rest.length < this.#left && !isPassedOn) break;
      const content = rest.subarray(0, this.#left);
      this.#left -= content.length;
      rest = rest.subarray(content.length);
      if (this.#left === 0) this.#header = undefined;
      if (!this.#take(id, kind, content)) return false;
    }
    this.#held = rest;
    return true;
  }
}
