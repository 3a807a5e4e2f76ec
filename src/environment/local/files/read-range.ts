import { closeSync, fstatSync } from "node:fs";
import type { Pinning } from "../../../system/pinning/pinning.ts";
import type { ByteRange } from "../../ranges.ts";
import { type NamedPath, openForReading, readFully, refuseUnlessFile } from "./read-file.ts";

/** Some bytes of a regular file inside the boundary; fewer at its end. */
export function readRange(pinning: Pinning, path: NamedPath, { offset, length }: ByteRange): Uint8Array {
  const handle = openForReading(pinning, path);
  try {
    const stats = fstatSync(handle);
    refuseUnlessFile(stats, path.given);
    const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(length, stats.size - offset)));
    return bytes.subarray(0, readFully(handle, bytes, offset));
  } finally {
    closeSync(handle);
  }
}
