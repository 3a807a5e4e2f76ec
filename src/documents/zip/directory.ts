import { asBuffer } from "../../lib/bytes/bytes.ts";
import type { Budget } from "../budget.ts";
import { damaged } from "../reader.ts";

/** An entry as listed in the directory at the end of an archive. */
export interface ZipEntry {
  /** The name with "/" as separator. It is never used as a path on this machine. */
  readonly name: string;
  readonly isDirectory: boolean;
  /** The declared size. The real size may differ. */
  readonly size: number;
  readonly compressedSize: number;
  /** 0: stored, 8: deflated. Other methods are not unpacked. */
  readonly method: number;
  readonly isEncrypted: boolean;
  readonly crc: number;
  /** The time of the last change, in the local time of the packer: "2026-11-15 17:30". Undefined when it is missing. */
  readonly modified: string | undefined;
  /** Unix permission bits and file kind; 0 if unknown. */
  readonly unixMode: number;
  readonly offset: number;
}

/** The entries in the order of the directory. `count` is the number of all entries, also beyond the limit. */
interface ZipDirectory {
  readonly entries: readonly ZipEntry[];
  readonly count: number;
}

export function readDirectory(given: Uint8Array, name: string, budget: Budget): ZipDirectory {
  const bytes = asBuffer(given);
  const end = findEnd(bytes, name);
  const most = Math.min(end.count, budget.limits.entries);
  const entries: ZipEntry[] = [];
  let at = end.start + end.shift;
  for (let index = 0; index < most; index += 1) {
    if (at + headerLength > bytes.length || bytes.readUInt32LE(at) !== 0x02014b50)
      throw damaged(name, "its directory is incomplete");
    const length =
      headerLength + bytes.readUInt16LE(at + 28) + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
    if (at + length > bytes.length) throw damaged(name, "its directory is incomplete");
    entries.push(readEntry(bytes.subarray(at, at + length), end.shift));
    at += length;
  }
  refuseOverlaps(entries, end.start + end.shift, name);
  return { entries, count: end.count };
}

const headerLength = 46;

interface End {
  readonly start: number;
  readonly count: number;
  /** The number of bytes before the archive, which its offsets do not count. */
  readonly shift: number;
}

function findEnd(bytes: Buffer, name: string): End {
  const at = findEndMark(bytes);
  if (at === undefined) throw damaged(name, "its directory, which should be at its end, is missing");
  const locator = at - 20;
  if (locator >= 0 && bytes.readUInt32LE(locator) === 0x07064b50) {
    const record = bytes.lastIndexOf(largeEndMark, locator);
    if (record === -1 || record + 56 > bytes.length) throw damaged(name, "its directory is incomplete");
    const count = Number(bytes.readBigUInt64LE(record + 32));
    const size = Number(bytes.readBigUInt64LE(record + 40));
    return settled(Number(bytes.readBigUInt64LE(record + 48)), size, count, record, name);
  }
  const count = bytes.readUInt16LE(at + 10);
  return settled(bytes.readUInt32LE(at + 16), bytes.readUInt32LE(at + 12), count, at, name);
}

/** Finds the mark of the directory's end. A comment may look like the mark, so one that ends the file is preferred. */
function findEndMark(bytes: Buffer): number | undefined {
  let fallback: number | undefined;
  let at = bytes.length - 21;
  while (at > 0) {
    at = bytes.lastIndexOf(endMark, at - 1);
    if (at === -1 || (fallback !== undefined && at < bytes.length - 22 - 0xffff)) break;
    const end = at + 22 + bytes.readUInt16LE(at + 20);
    if (end === bytes.length) return at;
    if (end < bytes.length) fallback ??= at;
  }
  return fallback;
}

function settled(start: number, size: number, count: number, end: number, name: string): End {
  const shift = end - size - start;
  if (shift < 0 || size < count * headerLength) throw damaged(name, "its directory does not fit into it");
  return { start, count, shift };
}

const endMark = Buffer.from("PK\x05\x06", "latin1");
const largeEndMark = Buffer.from("PK\x06\x06", "latin1");

function readEntry(header: Buffer, shift: number): ZipEntry {
  const flags = header.readUInt16LE(8);
  const nameEnd = headerLength + header.readUInt16LE(28);
  const extra = header.subarray(nameEnd, nameEnd + header.readUInt16LE(30));
  const name = entryName(header.subarray(headerLength, nameEnd), (flags & 0x800) !== 0, extra);
  const isUnix = header[5] === 3 || header[5] === 19;
  const unixMode = isUnix ? header.readUInt16LE(40) : 0;
  const [size, compressedSize, offset] = largeSizes(extra, [
    header.readUInt32LE(24),
    header.readUInt32LE(20),
    header.readUInt32LE(42),
  ]);
  return {
    name,
    isDirectory: name.endsWith("/") || (unixMode & 0xf000) === 0x4000,
    size,
    compressedSize,
    method: header.readUInt16LE(10),
    isEncrypted: (flags & 1) !== 0,
    crc: header.readUInt32LE(16),
    modified: dosTime(header.readUInt16LE(14), header.readUInt16LE(12)),
    unixMode,
    offset: offset + shift,
  };
}

/** Replaces sizes that do not fit into 32 bits by those of an extra field, which has them in this order. */
function largeSizes(extra: Buffer, small: [number, number, number]): [number, number, number] {
  if (!small.includes(0xffffffff)) return small;
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== 1) continue;
    let next = at + 4;
    const large = (value: number): number => {
      if (value !== 0xffffffff || next + 8 > extra.length) return value;
      next += 8;
      return Number(extra.readBigUInt64LE(next - 8));
    };
    return [large(small[0]), large(small[1]), large(small[2])];
  }
  return small;
}

function dosTime(date: number, time: number): string | undefined {
  if (date === 0) return undefined;
  const two = (value: number) => String(value).padStart(2, "0");
  const day = `${1980 + (date >> 9)}-${two((date >> 5) & 15)}-${two(date & 31)}`;
  return `${day} ${two(time >> 11)}:${two((time >> 5) & 63)}`;
}

/** Refuses overlapping entries, by which zip bombs unpack the same bytes repeatedly. */
function refuseOverlaps(entries: readonly ZipEntry[], directory: number, name: string): void {
  const sorted = [...entries].sort((left, right) => left.offset - right.offset);
  for (const [index, entry] of sorted.entries()) {
    // The entry's local header has at least 30 bytes.
    const end = entry.offset + 30 + entry.compressedSize;
    if (end > (sorted[index + 1]?.offset ?? directory))
      throw damaged(name, `its entries overlap (${entry.name})`);
  }
}

/** Decodes a name as UTF-8 if declared or valid, else as code page 437, which most packers use. */
function entryName(raw: Buffer, isUtf8: boolean, extra: Buffer): string {
  const name = unicodeName(extra) ?? decoded(raw, isUtf8);
  // Some Windows packers write backslashes.
  return name.includes("/") ? name : name.replaceAll("\\", "/");
}

/** Whether unpacking the entry could write outside the target folder (zip slip). */
export function leadsOutside(name: string): boolean {
  return /^[/\\]|^[a-z]:|(?:^|[/\\])\.\.(?:[/\\]|$)|\0/i.test(name);
}

function decoded(raw: Buffer, isUtf8: boolean): string {
  if (isUtf8) return raw.toString("utf8");
  try {
    return strict.decode(raw);
  } catch {
    return Array.from(raw, (byte) => (byte < 0x80 ? String.fromCharCode(byte) : firstPc[byte - 0x80])).join(
      "",
    );
  }
}

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The characters of code page 437, from 0x80 on. */
const firstPc =
  "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0";

/** Returns the Unicode name from an extra field, where older packers store it. */
function unicodeName(extra: Buffer): string | undefined {
  for (let at = 0; at + 9 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    const length = extra.readUInt16LE(at + 2);
    if (
      extra.readUInt16LE(at) === 0x7075 &&
      extra[at + 4] === 1 &&
      length > 5 &&
      at + 4 + length <= extra.length
    )
      return extra.toString("utf8", at + 9, at + 4 + length);
  }
  return undefined;
}
