import { gzipSync } from "node:zlib";

/** A few hundred kilobytes that take long to read: five hundred million bytes, compressed. */
export function slowDocument(): Uint8Array {
  const member = gzipSync(Buffer.alloc(16_000_000));
  return Buffer.concat(Array.from({ length: 31 }, () => member));
}
