import { asBuffer } from "../../../lib/bytes/bytes.ts";
import type { ReadingContext } from "../../reader.ts";

export interface Archive {
  readonly description: string;
  readonly entries: readonly ArchiveEntry[];
  /** The number of all entries. `entries` has fewer when there are more than the limit. */
  readonly count: number;
  readonly notes: readonly string[];
  /** Returns the content of the last file with that name, because unpacking would leave that one. */
  read(name: string): Uint8Array | undefined;
}

export interface ArchiveEntry {
  readonly name: string;
  readonly kind: "file" | "directory" | "link" | "other";
  /** The declared unpacked size in bytes. */
  readonly size: number;
  /** The time of the last change: "2026-11-15 17:30". Undefined when it is missing. */
  readonly modified: string | undefined;
  readonly linkTarget?: string | undefined;
  readonly isEncrypted?: boolean;
}

/** Lists a tar archive and finds the `wanted` entry. `fault` says why the bytes are not the whole archive. */
export function tarArchive(
  description: string,
  given: Uint8Array,
  wanted: string | undefined,
  { budget, progress }: ReadingContext,
  fault?: string,
): Archive {
  const bytes = asBuffer(given);
  const entries: ArchiveEntry[] = [];
  let extended: Readonly<Record<string, string>> = {};
  let count = 0;
  let content: Uint8Array | undefined;
  let at = 0;
  let isEnded = false;
  while (at + 512 <= bytes.length && !isEnded) {
    const block = bytes.subarray(at, at + 512);
    isEnded = !isTarHeader(block);
    if (isEnded) break;
    const read = readTarHeader(block);
    const isExtension = "xgLK".includes(read.type);
    const header = isExtension ? read : extendedBy(read, extended);
    const data = bytes.subarray(at + 512, at + 512 + header.size);
    at += 512 + Math.ceil(header.size / 512) * 512;
    if (isExtension) {
      if (data.length <= mostExtension) extended = { ...extended, ...extensionOf(header.type, data) };
      continue;
    }
    extended = {};
    count += 1;
    if (count % 20_000 === 0) progress(`${count} entries so far`);
    const entry = entryOf(header);
    if (entries.length < budget.limits.entries) entries.push(entry);
    if (entry.name === wanted && entry.kind === "file" && data.length === entry.size) content = data;
  }
  const isDamaged = isEnded && bytes.subarray(at, at + 512).some((byte) => byte !== 0);
  const isCut = !isEnded && at !== bytes.length;
  const why = isDamaged
    ? "the next header is damaged"
    : isEnded
      ? undefined
      : (fault ?? (isCut ? "it is incomplete" : undefined));
  const notes = why === undefined ? [] : [`more entries may be missing: ${why}`];
  return { description, entries, count, notes, read: () => content };
}

const mostExtension = 1_000_000;

/** Returns the properties that an extension header gives to the next entry: its pax records, or a long name. */
function extensionOf(type: string, data: Buffer): Readonly<Record<string, string>> {
  if (type === "x") return paxRecords(data);
  if (type === "g") return {};
  return { [type === "L" ? "path" : "linkpath"]: data.toString("utf8").replace(/\0.*$/s, "") };
}

function extendedBy(
  header: TarHeader,
  { path, linkpath, size, mtime }: Readonly<Record<string, string>>,
): TarHeader {
  return {
    ...header,
    name: path ?? header.name,
    linkTarget: linkpath ?? header.linkTarget,
    size: size !== undefined && /^\d{1,15}$/.test(size) ? Number(size) : header.size,
    modified: mtime === undefined ? header.modified : Number(mtime) || header.modified,
  };
}

/** Parses records like "30 path=some/long/name\n", which begin with their length. */
function paxRecords(content: Buffer): Readonly<Record<string, string>> {
  const records: Record<string, string> = {};
  let at = 0;
  while (at < content.length) {
    const space = content.indexOf(0x20, at);
    // A number of ten or more digits is not a length.
    const digits = space - at > 0 && space - at < 10 ? content.toString("latin1", at, space) : "";
    const length = Number(digits);
    if (!(length > 0)) break;
    const [, name, value] =
      /^(path|linkpath|size|mtime)=(.*)\n$/s.exec(content.toString("utf8", space + 1, at + length)) ?? [];
    if (name !== undefined && value !== undefined) records[name] = value;
    at += length;
  }
  return records;
}

function entryOf({ name, size, modified, type, linkTarget }: TarHeader): ArchiveEntry {
  const kind = { "0": "file", "7": "file", "1": "link", "2": "link", "5": "directory" } as const;
  return {
    name,
    kind: name.endsWith("/") ? "directory" : (kind[type as "0"] ?? "other"),
    size,
    modified: showTime(modified),
    linkTarget: type === "1" || type === "2" ? linkTarget : undefined,
  };
}

/** Formats a time in UTC; undefined when it is unknown. */
export function showTime(secondsSince1970: number): string | undefined {
  const date = new Date(secondsSince1970 * 1000);
  return secondsSince1970 === 0 || Number.isNaN(date.getTime())
    ? undefined
    : date.toISOString().slice(0, 16).replace("T", " ");
}

interface TarHeader {
  readonly name: string;
  readonly size: number;
  /** Seconds since 1970. */
  readonly modified: number;
  /** "0" file, "5" directory, "2" link, "L" a long name that follows. */
  readonly type: string;
  readonly linkTarget: string;
}

/** Whether the checksum of the header is correct. */
export function isTarHeader(block: Uint8Array): boolean {
  if (block.length < 512 || block[0] === 0) return false;
  let sum = 8 * 32;
  for (let at = 0; at < 512; at += 1) if (at < 148 || at >= 156) sum += block[at]!;
  return sum === octal(block, 148, 8);
}

function readTarHeader(block: Uint8Array): TarHeader {
  const isPosix = text(block, 257, 5) === "ustar" && text(block, 257, 8) !== "ustar  ";
  const prefix = isPosix ? text(block, 345, 155) : "";
  const name = text(block, 0, 100);
  return {
    name: prefix === "" ? name : `${prefix}/${name}`,
    size: number(block, 124, 12),
    modified: number(block, 136, 12),
    type: String.fromCharCode(block[156]!).replace("\0", "0"),
    linkTarget: text(block, 157, 100),
  };
}

function text(block: Uint8Array, start: number, length: number): string {
  const field = asBuffer(block.subarray(start, start + length));
  const end = field.indexOf(0);
  return field.toString("utf8", 0, end === -1 ? length : end);
}

function octal(block: Uint8Array, start: number, length: number): number {
  return Number.parseInt(text(block, start, length).trim() || "0", 8);
}

/** Parses octal digits, or the binary number that stands for a larger value. */
function number(block: Uint8Array, start: number, length: number): number {
  if ((block[start]! & 0x80) === 0) return octal(block, start, length) || 0;
  let value = block[start]! & 0x7f;
  for (let at = start + 1; at < start + length; at += 1) value = value * 256 + block[at]!;
  return value;
}
