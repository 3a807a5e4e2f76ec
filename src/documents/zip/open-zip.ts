import { crc32, inflateRawSync } from "node:zlib";
import { ToolError } from "../../contract/error.ts";
import { asBuffer } from "../../lib/bytes/bytes.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import type { Budget } from "../budget.ts";
import { damaged, encrypted } from "../reader.ts";
import { decodeXml } from "../xml/decode.ts";
import { readDirectory, type ZipEntry } from "./directory.ts";

/** A ZIP archive in memory. */
export interface Zip {
  readonly entries: readonly ZipEntry[];
  /** The number of all entries. `entries` has fewer when there are more than the limit. */
  readonly count: number;
  readonly notes: readonly string[];
  /** Finds an entry by its exact name, else ignoring case. Of several, the last counts, as in other programs. */
  find(name: string): ZipEntry | undefined;
  /** Unpacks an entry and checks its checksum. Throws `unsupported` when it is damaged or encrypted. */
  read(entry: ZipEntry): Uint8Array;
  /** Unpacks an entry and decodes it as XML; undefined when there is no entry of that name. */
  text(name: string): string | undefined;
}

/** Opens an archive and reads only its directory. `name` is for messages. */
export function openZip(given: Uint8Array, name: string, budget: Budget): Zip {
  const bytes = asBuffer(given);
  const { entries, count } = readDirectory(bytes, name, budget);
  const byName = new Map(entries.map((entry) => [entry.name, entry]));
  let byLowerCase: Map<string, ZipEntry> | undefined;
  const find = (wanted: string): ZipEntry | undefined => {
    const exact = byName.get(wanted);
    if (exact) return exact;
    byLowerCase ??= new Map(entries.map((entry) => [entry.name.toLowerCase(), entry]));
    return byLowerCase.get(wanted.toLowerCase());
  };
  const read = (entry: ZipEntry) => readEntry(bytes, entry, name, budget);
  const hidden = entries.length - byName.size;
  const notes =
    hidden === 0
      ? []
      : [`${counted(hidden, "entry has", "entries have")} the name of a later one, which counts`];
  return {
    entries,
    count,
    notes,
    find,
    read,
    text: (wanted) => {
      const entry = find(wanted);
      return entry && decodeXml(read(entry));
    },
  };
}

function readEntry(bytes: Buffer, entry: ZipEntry, name: string, budget: Budget): Uint8Array {
  if (entry.isEncrypted) throw encrypted(name);
  const { offset } = entry;
  if (offset + 30 > bytes.length || bytes.readUInt32LE(offset) !== 0x04034b50)
    throw damaged(name, `${entry.name} is not where its directory says`);
  const start = offset + 30 + bytes.readUInt16LE(offset + 26) + bytes.readUInt16LE(offset + 28);
  const packed = bytes.subarray(start, start + entry.compressedSize);
  if (packed.length < entry.compressedSize) throw damaged(name, `${entry.name} is incomplete`);
  const content = unpack(packed, entry, name, budget);
  budget.inflate(content.length);
  if (crc32(content) !== entry.crc) throw damaged(name, `${entry.name} does not match its checksum`);
  return content;
}

function unpack(packed: Buffer, entry: ZipEntry, name: string, budget: Budget): Uint8Array {
  if (entry.method === 0) return packed;
  if (entry.method !== 8)
    throw new ToolError(
      "unsupported",
      `${entry.name} in ${name} uses compression method ${entry.method}, which is not supported`,
      {
        hint: "Pack it again with the usual method, deflate.",
      },
    );
  const { inflatable } = budget;
  // An entry that is larger than declared is not unpacked.
  const maxOutputLength = Math.max(Math.min(inflatable, entry.size), 1);
  try {
    return inflateRawSync(packed, { maxOutputLength, chunkSize: likelySize(entry, maxOutputLength) });
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
    if (!isTooLarge) throw damaged(name, `${entry.name} cannot be unpacked`);
    if (entry.size > inflatable) throw budget.refuseInflating();
    throw damaged(name, `${entry.name} is larger than its directory says`);
  }
}

/** Returns the chunk size: the declared size if that is plausible, because joining chunks costs more than unpacking. */
function likelySize({ size, compressedSize }: ZipEntry, most: number): number {
  const possible = Math.min(compressedSize * 1032 + 64, most, 64_000_000);
  return Math.max(64, Math.min(possible, Math.max(size + 64, 65_536)));
}
