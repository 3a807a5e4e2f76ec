import { createGunzip, createZstdDecompress } from "node:zlib";
import type { DocumentSource } from "../../../contract/document.ts";
import { ToolError } from "../../../contract/error.ts";
import { asBuffer } from "../../../lib/bytes/bytes.ts";
import { damaged, type ReadingContext } from "../../reader.ts";
import { type Archive, isTarHeader, showTime, tarArchive } from "./tar.ts";

/** Reads a compressed tar archive, or a single compressed file. `wanted` is the entry to read. */
export async function packedArchive(
  { name, bytes }: DocumentSource,
  packing: "gzip" | "zstd",
  wanted: string | undefined,
  context: ReadingContext,
): Promise<Archive> {
  const isGzip = packing === "gzip";
  const stream = isGzip ? createGunzip({ chunkSize }) : createZstdDecompress({ chunkSize });
  const chunks: Uint8Array[] = [];
  let fault: string | undefined;
  try {
    stream.end(asBuffer(bytes));
    for await (const chunk of stream) {
      context.budget.inflate(chunk.length);
      chunks.push(chunk);
    }
  } catch (error) {
    const details = error instanceof ToolError ? error.details : undefined;
    fault = details?.kind === "document-limit" ? details.reason : "it is incomplete or damaged";
    const isTar = isTarHeader(chunks[0]?.subarray(0, 512) ?? bytes.subarray(0, 0));
    if (chunks.length === 0 || (wanted !== undefined && !isTar))
      throw error instanceof ToolError ? error : damaged(name, fault);
  }
  const content = Buffer.concat(chunks);
  const packer = isGzip ? "gzip" : "Zstandard";
  if (isTarHeader(content.subarray(0, 512)))
    return tarArchive(`tar archive packed with ${packer}`, content, wanted, context, fault);
  const inner =
    (isGzip && gzipName(bytes)) || name.replace(/^.*[/\\]/, "").replace(/\.(?:gz|zst|zstd)$/i, "");
  const modified = isGzip && bytes.length >= 8 ? showTime(asBuffer(bytes).readUInt32LE(4)) : undefined;
  return {
    description: `${packer} archive`,
    entries: [{ name: inner, kind: "file", size: content.length, modified }],
    count: 1,
    notes: fault === undefined ? [] : [`${fault}: only ${content.length} bytes could be unpacked`],
    read: (entry) => (entry === inner ? content : undefined),
  };
}

const chunkSize = 256 * 1024;

function gzipName(bytes: Uint8Array): string | undefined {
  const header = asBuffer(bytes.subarray(0, 4096));
  const flags = header[3] ?? 0;
  if ((flags & 8) === 0) return undefined;
  const start = 10 + ((flags & 4) === 0 || header.length < 12 ? 0 : 2 + header.readUInt16LE(10));
  const end = header.indexOf(0, start);
  if (end <= start) return undefined;
  return header.toString("latin1", start, end).split(/[/\\]/).at(-1);
}
