import { fstatSync } from "node:fs";
import { readFully, refuseUnlessFile } from "./read-file.ts";

/** Some bytes of an open file; fewer at its end. */
export function readRange(
  handle: number,
  givenPath: string,
  { offset, length }: { readonly offset: number; readonly length: number },
): Uint8Array {
  const stats = fstatSync(handle);
  refuseUnlessFile(stats, givenPath);
  const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(length, stats.size - offset)));
  return bytes.subarray(0, readFully(handle, bytes, offset));
}
