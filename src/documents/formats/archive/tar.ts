import { asBuffer } from "../../../lib/bytes/bytes.ts";
import type { ReadingContext } from "../../reader.ts";

export interface Archive {
  readonly description: string;
  readonly entries: readonly ArchiveEntry[];
  /** How many there are, or were found before the budget ended. */
  readonly count: number;
  readonly notes: readonly string[];
  /** The last of the name, as unpacking would leave it; undefined for what is no file. */
  read(name: string): Uint8Array | undefined | Promise<Uint8Array | undefined>;
}

export interface ArchiveEntry {
  readonly name: string;
  readonly kind: "file" | "directory" | "link" | "other";
  /** Unpacked, in bytes, as declared. */
  readonly size: number;
  /** "2026-11-15 17:30"; undefined where it has none. */
  readonly modified: string | undefined;
  readonly linkTarget?: string | undefined;
  readonly isEncrypted?: boolean;
}

interface TarListing {
  readonly entries: readonly ArchiveEntry[];
  readonly count: number;
  /** Of the last entry of the wanted name. */
  readonly content: Uint8Array | undefined;
  /** Why nothing more could be found; undefined at its proper end. */
  readonly brokenOff: string | undefined;
}

/** Walks through a tar archive as it comes, keeping nothing but what is listed, and the content that is wanted. */
export class TarScan {
  readonly #entries: ArchiveEntry[] = [];
  readonly #context: ReadingContext;
  readonly #wanted: string | undefined;
  #rest: Buffer = Buffer.alloc(0);
  /** Of the entry that is being walked over: bytes still to come, with what fills its last block. */
  #left = 0;
  #keeping: { readonly header: TarHeader; readonly chunks: Buffer[]; left: number } | undefined;
  #extended: Readonly<Record<string, string>> = {};
  #count = 0;
  #content: Uint8Array | undefined;
  #brokenOff: string | undefined;
  #hasEnded = false;

  constructor(context: ReadingContext, wanted: string | undefined) {
    this.#context = context;
    this.#wanted = wanted;
  }

  /** Whether there is any use in more. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  push(given: Uint8Array): void {
    let chunk = this.#rest.length === 0 ? asBuffer(given) : Buffer.concat([this.#rest, given]);
    while (chunk.length > 0 && !this.#hasEnded) {
      if (this.#left > 0) {
        const taken = Math.min(this.#left, chunk.length);
        this.#keep(chunk.subarray(0, taken));
        this.#left -= taken;
        chunk = chunk.subarray(taken);
      } else if (chunk.length < 512) break;
      else {
        this.#begin(chunk.subarray(0, 512));
        chunk = chunk.subarray(512);
      }
    }
    this.#rest = Buffer.from(chunk);
  }

  end(why?: string): TarListing {
    if (!this.#hasEnded)
      this.#brokenOff = why ?? (this.#left > 0 || this.#rest.length > 0 ? "it breaks off" : undefined);
    return { entries: this.#entries, count: this.#count, content: this.#content, brokenOff: this.#brokenOff };
  }

  #begin(block: Buffer): void {
    if (block.every((byte) => byte === 0)) {
      this.#hasEnded = true;
      return;
    }
    if (!isTarHeader(block)) {
      this.#hasEnded = true;
      this.#brokenOff = "what follows is no header of an entry";
      return;
    }
    const read = readTarHeader(block);
    const header = isExtension(read.type) ? read : extendedBy(read, this.#extended);
    this.#left = Math.ceil(header.size / 512) * 512;
    if (isExtension(header.type)) {
      if (header.size <= mostExtension) this.#keeping = { header, chunks: [], left: header.size };
      if (header.size === 0) this.#kept();
      return;
    }
    this.#extended = {};
    this.#count += 1;
    if (this.#count % 20_000 === 0) this.#context.progress(`${this.#count} entries so far`);
    if (this.#entries.length < this.#context.budget.limits.entries) this.#entries.push(entryOf(header));
    if (header.name !== this.#wanted || entryOf(header).kind !== "file") return;
    this.#keeping = { header, chunks: [], left: header.size };
    if (header.size === 0) this.#kept();
  }

  #keep(bytes: Buffer): void {
    const { chunks, left } = this.#keeping ?? { chunks: undefined, left: 0 };
    if (chunks === undefined || left === 0) return;
    const taken = Math.min(left, bytes.length);
    chunks.push(Buffer.from(bytes.subarray(0, taken)));
    this.#keeping!.left -= taken;
    if (this.#keeping!.left === 0) this.#kept();
  }

  #kept(): void {
    const { header, chunks } = this.#keeping!;
    this.#keeping = undefined;
    const content = Buffer.concat(chunks);
    if (!isExtension(header.type)) this.#content = content;
    else if (header.type === "x") this.#extended = { ...this.#extended, ...paxRecords(content) };
    else if (header.type !== "g")
      this.#extended = {
        ...this.#extended,
        [header.type === "L" ? "path" : "linkpath"]: content.toString("utf8").replace(/\0.*$/s, ""),
      };
  }
}

const mostExtension = 1_000_000;

/** Entries that only say something of the one that follows. */
function isExtension(type: string): boolean {
  return ["x", "g", "L", "K"].includes(type);
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

/** Records of the form "30 path=some/long/name\n", the number being their length. */
function paxRecords(content: Buffer): Readonly<Record<string, string>> {
  const records: Record<string, string> = {};
  let at = 0;
  while (at < content.length) {
    const space = content.indexOf(0x20, at);
    // A longer number is not a length, but takes time to parse.
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
  const hasTarget = type === "1" || type === "2";
  return {
    name,
    kind: name.endsWith("/") ? "directory" : (kind[type as "0"] ?? "other"),
    size,
    modified: shownTime(modified),
    linkTarget: hasTarget ? linkTarget : undefined,
  };
}

/** In UTC, as it says nothing of a zone. */
function shownTime(seconds: number): string | undefined {
  const date = new Date(seconds * 1000);
  return seconds === 0 || Number.isNaN(date.getTime())
    ? undefined
    : date.toISOString().slice(0, 16).replace("T", " ");
}

interface TarHeader {
  readonly name: string;
  readonly size: number;
  readonly mode: number;
  /** Seconds since 1970. */
  readonly modified: number;
  /** As the format has it: "0" file, "5" directory, "2" link, "L" a long name that follows. */
  readonly type: string;
  readonly linkTarget: string;
}

/** Whether the checksum of the header is right. */
export function isTarHeader(block: Uint8Array): boolean {
  if (block.length < 512 || block[0] === 0) return false;
  const declared = octal(block, 148, 8);
  let sum = 8 * 32;
  for (let at = 0; at < 512; at += 1) if (at < 148 || at >= 156) sum += block[at]!;
  return sum === declared;
}

function readTarHeader(block: Uint8Array): TarHeader {
  const isUstar = text(block, 257, 5) === "ustar";
  const prefix = isUstar && text(block, 257, 8) !== "ustar  " ? text(block, 345, 155) : "";
  const name = text(block, 0, 100);
  return {
    name: prefix === "" ? name : `${prefix}/${name}`,
    size: number(block, 124, 12),
    mode: number(block, 100, 8),
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

/** Octal digits, or, where those do not suffice, a number of all bytes. Never less than nothing. */
function number(block: Uint8Array, start: number, length: number): number {
  if ((block[start]! & 0x80) === 0) return octal(block, start, length) || 0;
  let value = block[start]! & 0x7f;
  for (let at = start + 1; at < start + length; at += 1) value = value * 256 + block[at]!;
  return value;
}
