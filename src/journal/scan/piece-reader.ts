/** Reads what comes in pieces by lines and lengths. */
export class PieceReader {
  readonly #pieces: AsyncIterator<Uint8Array>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(pieces: AsyncIterable<Uint8Array>) {
    this.#pieces = pieces[Symbol.asyncIterator]();
  }

  /** What comes before the next such byte, which is passed over; undefined when it does not come. */
  async until(byte: number): Promise<Buffer | undefined> {
    let end = this.#rest.indexOf(byte);
    while (end < 0) {
      const from = this.#rest.length;
      if (!(await this.#more(from + 1))) return undefined;
      end = this.#rest.indexOf(byte, from);
    }
    const found = this.#rest.subarray(0, end);
    this.#rest = this.#rest.subarray(end + 1);
    return found;
  }

  /** The next so many bytes; undefined when there are fewer. */
  async take(length: number): Promise<Buffer | undefined> {
    if (!(await this.#more(length))) return undefined;
    const taken = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(length);
    return taken;
  }

  /** Has at least so many bytes at hand; whether they came. */
  async #more(length: number): Promise<boolean> {
    const pieces: Uint8Array[] = [this.#rest];
    let held = this.#rest.length;
    while (held < length) {
      const next = await this.#pieces.next();
      if (next.done) break;
      pieces.push(next.value);
      held += next.value.length;
    }
    if (pieces.length > 1) this.#rest = Buffer.concat(pieces, held);
    return held >= length;
  }
}
