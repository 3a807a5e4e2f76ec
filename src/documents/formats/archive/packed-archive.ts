import type { DocumentSource } from "../../../contract/document.ts";
import { ToolError } from "../../../contract/error.ts";
import { damaged } from "../../damaged.ts";
import type { Desk } from "../../reader.ts";
import type { Archive } from "./archive.ts";
import { TarScan } from "./tar-archive.ts";
import { isTarHeader } from "./tar-header.ts";
import { gzipName, gzipTime, type Packing, unpack } from "./unpack.ts";

/** A tar archive, compressed or not, or a single file that is compressed. `wanted` is the entry to be read. */
export async function packedArchive(
  source: DocumentSource,
  packing: Packing | undefined,
  wanted: string | undefined,
  desk: Desk,
): Promise<Archive> {
  const { name, bytes } = source;
  if (packing === undefined) {
    const scan = new TarScan(desk, wanted);
    scan.push(bytes);
    return tarListed("tar archive", scan, undefined);
  }
  const single = packing === "gzip" ? gzipName(bytes) : undefined;
  const inner = single ?? name.replace(/^.*[/\\]/, "").replace(/\.(?:gz|zst|zstd)$/i, "");
  const scan = new TarScan(desk, wanted);
  const chunks: Uint8Array[] = [];
  let size = 0;
  let isTar: boolean | undefined;
  let why: string | undefined;
  try {
    for await (const chunk of unpack(bytes, packing, desk.budget)) {
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
  if (error instanceof ToolError) return error.message.replace(/^.*?: /, "");
  return "it breaks off or is damaged";
}
