/** The same bytes with the methods of a Buffer; nothing is copied. */
export function asBuffer(bytes: Uint8Array): Buffer {
  if (bytes instanceof Buffer) return bytes;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
