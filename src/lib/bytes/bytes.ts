/** Returns the same bytes as a Buffer, without a copy. */
export function asBuffer(bytes: Uint8Array): Buffer {
  if (bytes instanceof Buffer) return bytes;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/**
 * Returns whether `bytes` contain `sought` (Knuth-Morris-Pratt). `Buffer.includes` takes minutes on many equal lines.
 */
export function containsBytes(bytes: Uint8Array, sought: Uint8Array): boolean {
  if (sought.length === 0) return true;
  const borders = prefixLengths(sought);
  let matched = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    while (matched > 0 && sought[matched] !== byte) matched = borders[matched]!;
    if (sought[matched] === byte) matched += 1;
    if (matched === sought.length) return true;
  }
  return false;
}

/**
 * Returns the prefix function of Knuth-Morris-Pratt: for every prefix length, the longest shorter prefix that it ends
 * with.
 */
export function prefixLengths(pattern: ArrayLike<unknown>): readonly number[] {
  const borders = [0, 0];
  for (let length = 1; length < pattern.length; length += 1) {
    let border = borders[length]!;
    while (border > 0 && pattern[border] !== pattern[length]) border = borders[border]!;
    borders.push(pattern[border] === pattern[length] ? border + 1 : 0);
  }
  return borders;
}

/** Frees the memory at once. During an endless output the garbage collector would let about 50 MB accumulate. */
export function releaseBytes({ buffer, byteLength }: Uint8Array): void {
  // A view that is smaller than its buffer may share the buffer with others.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}

/** Copies a slice of a text, because the slice itself would keep the whole text in memory. */
export function detachedCopy(piece: string): string {
  // This encoding also preserves lone surrogates.
  return Buffer.from(piece, "utf16le").toString("utf16le");
}
