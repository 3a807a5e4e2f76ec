import { createGunzip, createZstdDecompress } from "node:zlib";
import { asBuffer } from "../../../lib/as-buffer.ts";
import type { Budget } from "../../budget.ts";

export type Packing = "gzip" | "zstd";

/** What one compressed stream becomes, piece by piece, each counted before it is given. */
export async function* unpack(
  bytes: Uint8Array,
  packing: Packing,
  budget: Budget,
): AsyncGenerator<Uint8Array> {
  const stream = packing === "gzip" ? createGunzip({ chunkSize }) : createZstdDecompress({ chunkSize });
  stream.end(asBuffer(bytes));
  for await (const chunk of stream) {
    budget.inflate(chunk.length);
    yield chunk;
  }
}

const chunkSize = 256 * 1024;

/** The name that gzip has kept of the file, if it has. */
export function gzipName(bytes: Uint8Array): string | undefined {
  const header = asBuffer(bytes.subarray(0, 4096));
  const flags = header[3] ?? 0;
  if ((flags & 8) === 0) return undefined;
  const start = 10 + ((flags & 4) === 0 || header.length < 12 ? 0 : 2 + header.readUInt16LE(10));
  const end = header.indexOf(0, start);
  if (end <= start) return undefined;
  return header.toString("latin1", start, end).split(/[/\\]/).at(-1);
}

/** When the file was last changed, if gzip has kept that. */
export function gzipTime(bytes: Uint8Array): string | undefined {
  const seconds = bytes.length < 8 ? 0 : asBuffer(bytes).readUInt32LE(4);
  return seconds === 0 ? undefined : new Date(seconds * 1000).toISOString().slice(0, 16).replace("T", " ");
}
