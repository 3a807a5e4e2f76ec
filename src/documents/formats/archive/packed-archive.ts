import { createGunzip, createZstdDecompress } from "node:zlib";
import type { DocumentSource } from "../../../contract/document.ts";
import { ToolError } from "../../../contract/error.ts";
import { asBuffer } from "../../../lib/bytes/bytes.ts";
import type { Budget } from "../../budget.ts";
import { damaged, type ReadingContext } from "../../reader.ts";
import { type Archive, isTarHeader, TarScan } from "./tar.ts";

/** A tar archive, compressed or not, or a single file that is compressed. `wanted` is the entry to be read. */
export async function packedArchive(
  source: DocumentSource,
  packing: Packing | undefined,
  wanted: string | undefined,
  context: ReadingContext,
): Promise<Archive> {
  const { name, bytes } = source;
  if (packing === undefined) {
    const scan = new TarScan(context, wanted);
    scan.push(bytes);
    return tarListed("tar archive", scan, undefined);
  }
  const single = packing === "gzip" ? gzipName(bytes) : undefined;
  const inner = single ?? name.replace(/^.*[/\\]/, "").replace(/\.(?:gz|zst|zstd)$/i, "");
  const scan = new TarScan(context, wanted);
  const chunks: Uint8Array[] = [];
  let size = 0;
  let isTar: boolean | undefined;
  let why: string | undefined;
  try {
    for await (const chunk of unpack(bytes, packing, context.budget)) {
      isTar ??= isTarHeader(chunk.subarray(0, 512));
      size += chunk.length;
      if (isTar) scan.push(chunk);
      else if (wanted === inner) chunks.push(chunk);
      if (scan.hasEnded) break;
    }
  } catch (error) {
    why = reasonOf(error);
    if (size === 0 || (wanted !== undefined && !isTar))
      throw error instanceof ToolError ? error : damaged(name, why);
  }
  const packer = packing === "gzip" ? "gzip" : "Zstandard";
  if (isTar) return tarListed(`tar archive packed with ${packer}`, scan, why);
  const modified = packing === "gzip" ? gzipTime(bytes) : undefined;
  return {
    description: `${packer} archive`,
    entries: [{ name: inner, kind: "file", size, modified }],
    count: 1,
    notes: why === undefined ? [] : [`${why}: what could be unpacked is ${size} bytes`],
    read: (entry) => (entry === inner ? Buffer.concat(chunks) : undefined),
  };
}

function tarListed(description: string, scan: TarScan, why: string | undefined): Archive {
  const { entries, count, content, brokenOff } = scan.end(why);
  const notes = brokenOff === undefined ? [] : [`more entries may be missing: ${brokenOff}`];
  return { description, entries, count, notes, read: () => content };
}

function reasonOf(error: unknown): string {
  const details = error instanceof ToolError ? error.details : undefined;
  return details?.kind === "document-limit" ? details.reason : "it breaks off or is damaged";
}

type Packing = "gzip" | "zstd";

/** What one compressed stream becomes, piece by piece, each counted before it is given. */
async function* unpack(bytes: Uint8Array, packing: Packing, budget: Budget): AsyncGenerator<Uint8Array> {
  const stream = packing === "gzip" ? createGunzip({ chunkSize }) : createZstdDecompress({ chunkSize });
  stream.end(asBuffer(bytes));
  for await (const chunk of stream) {
    budget.inflate(chunk.length);
    yield chunk;
  }
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

function gzipTime(bytes: Uint8Array): string | undefined {
  const seconds = bytes.length < 8 ? 0 : asBuffer(bytes).readUInt32LE(4);
  return seconds === 0 ? undefined : new Date(seconds * 1000).toISOString().slice(0, 16).replace("T", " ");
}
