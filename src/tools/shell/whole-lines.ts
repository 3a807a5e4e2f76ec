/**
 * Hands on the bytes of one stream by whole lines, so that lines of two streams that are shown together do not mix. What
 * has no line end yet is held, as a copy, until it comes, or until `flush`.
 */
export class WholeLines {
  #held: Uint8Array[] = [];
  #heldBytes = 0;

  /** What is whole by now, in as many pieces as it came. */
  push(piece: Uint8Array): readonly Uint8Array[] {
    const end = piece.lastIndexOf(newline) + 1;
    if (end === 0 && this.#heldBytes + piece.length <= maxHeldBytes) {
      this.#hold(piece);
      return [];
    }
    const whole = [...this.flush(), end === 0 ? piece : piece.subarray(0, end)];
    if (end > 0 && end < piece.length) this.#hold(piece.subarray(end));
    return whole;
  }

  /** The rest, when the stream has ended or is quiet. */
  flush(): readonly Uint8Array[] {
    const held = this.#held;
    this.#held = [];
    this.#heldBytes = 0;
    return held;
  }

  #hold(piece: Uint8Array): void {
    this.#held.push(new Uint8Array(piece));
    this.#heldBytes += piece.length;
  }
}

const newline = 0x0a;
const maxHeldBytes = 16 * 1024;
