import { gzipSync } from "node:zlib";

/** Some hundred kilobytes that take a good while to be walked through: five hundred million bytes, packed. */
export function slowDocument(): Uint8Array {
  const member = gzipSync(Buffer.alloc(16_000_000));
  return Buffer.concat(Array.from({ length: 31 }, () => member));
}
