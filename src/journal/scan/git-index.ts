import { createHash } from "node:crypto";
import { allocateBuffer } from "../../lib/bytes/large-buffer.ts";

/** A file as git last saw it. */
export interface IndexEntry {
  /** The name of the blob, 40 characters. */
  readonly oid: string;
  readonly modifiedMs: number;
  readonly changedMs: number;
  /** The lower 32 bits of the inode, as `bytes` has the lower 32 bits of the size. */
  readonly inode: number;
  readonly bytes: number;
}

export interface GitIndex {
  /** Returns what git knows about a plain file. */
  find(path: string): IndexEntry | undefined;
  /** A hash of the content that would be committed. */
  readonly staged: string;
}

/** Parses git's index (`gitformat-index`). Returns undefined for hashes other than SHA-1, a split index, or damage. */
export function readGitIndex(index: Uint8Array): GitIndex | undefined {
  try {
    return new IndexReader(index).read();
  } catch (error) {
    if (error instanceof RangeError || error instanceof NotUnderstood) return undefined;
    throw error;
  }
}

class NotUnderstood extends Error {}

const oidBytes = 20;
/** The length of an entry from its times to its object name. */
const entryBytes = 40 + oidBytes;
/** The same with its flags. */
const fixedBytes = entryBytes + 2;
/** Limits the paths of version 4, in which an entry of a few bytes can have a long path. */
const maxPathBytes = 256 * 1024 * 1024;

class IndexReader {
  readonly #bytes: Buffer;
  readonly #version: number;
  readonly #count: number;
  #at = 12;
  /** The bytes with the paths: the index itself, or a copy of paths that are shortened there. */
  #paths: Buffer;
  /** The last path. */
  #pathStart = 0;
  #pathEnd = 0;

  constructor(index: Uint8Array) {
    const bytes = Buffer.from(index.buffer, index.byteOffset, index.byteLength);
    this.#bytes = bytes;
    this.#version = bytes.readUInt32BE(4);
    this.#count = bytes.readUInt32BE(8);
    const isKnown = bytes.toString("latin1", 0, 4) === "DIRC" && this.#version >= 2 && this.#version <= 4;
    const isPossible = this.#count * entryBytes <= bytes.length;
    if (!isKnown || !isPossible || !hasItsChecksum(bytes)) throw new NotUnderstood();
    this.#paths = this.#version === 4 ? newBuffer(bytes.length) : bytes;
  }

  read(): GitIndex {
    const files = new SortedFiles(this.#bytes, this.#count);
    const staged = new StagedHash();
    for (let count = 0; count < this.#count; count += 1) {
      const start = this.#at;
      this.#readPath(start);
      if (this.#isPlain(start)) files.add(start, this.#pathStart, this.#pathEnd);
      staged.add(this.#bytes, start + 24, start + 28);
      staged.add(this.#paths, this.#pathStart, this.#pathEnd);
      staged.add(this.#bytes, start + 40, start + fixedBytes);
    }
    this.#checkExtensions();
    files.paths = this.#paths;
    return { find: (path) => files.find(path), staged: staged.digest() };
  }

  /** Returns whether an entry is a regular file without conflicts, and without flags that tell git not to check it. */
  #isPlain(start: number): boolean {
    const mode = this.#bytes.readUInt32BE(start + 24);
    const flags = this.#bytes.readUInt16BE(start + fixedBytes - 2);
    const isMerged = (flags & 0x3000) === 0;
    const isAssumed = (flags & 0x8000) !== 0;
    const isExtended = (flags & 0x4000) !== 0;
    const isSpecial = isExtended && this.#bytes.readUInt16BE(start + fixedBytes) !== 0;
    return mode >>> 12 === 0o10 && isMerged && !isAssumed && !isSpecial;
  }

  #readPath(start: number): void {
    const flags = this.#bytes.readUInt16BE(start + fixedBytes - 2);
    const nameAt = start + fixedBytes + ((flags & 0x4000) !== 0 ? 2 : 0);
    if (this.#version === 4) {
      const [dropped, next] = readVariable(this.#bytes, nameAt);
      const end = this.#endOf(next);
      this.#addPath(dropped, next, end);
      this.#at = end + 1;
      return;
    }
    // The flags have the length of a path of up to 4094 bytes.
    const likelyEnd = nameAt + (flags & 0xfff);
    const end = (flags & 0xfff) < 0xfff && this.#bytes[likelyEnd] === 0 ? likelyEnd : this.#endOf(nameAt);
    // One to eight NUL bytes pad an entry to a multiple of eight.
    this.#at = start + Math.ceil((end - start + 1) / 8) * 8;
    this.#pathStart = nameAt;
    this.#pathEnd = end;
  }

  /** Adds the path before it without its last `dropped` bytes, and with other ones. */
  #addPath(dropped: number, start: number, end: number): void {
    const [last, kept] = [this.#pathStart, this.#pathEnd - this.#pathStart - dropped];
    if (kept < 0) throw new NotUnderstood();
    this.#pathStart = this.#pathEnd;
    const middle = this.#pathStart + kept;
    this.#pathEnd = middle + end - start;
    if (this.#pathEnd > maxPathBytes) throw new NotUnderstood();
    if (this.#pathEnd > this.#paths.length) {
      const larger = newBuffer(this.#pathEnd * 2);
      this.#paths.copy(larger);
      this.#paths = larger;
    }
    this.#paths.copyWithin(this.#pathStart, last, last + kept);
    this.#bytes.copy(this.#paths, middle, start, end);
  }

  #endOf(name: number): number {
    const end = this.#bytes.indexOf(0, name);
    if (end < 0) throw new NotUnderstood();
    return end;
  }

  /** Refuses the extension "link", with which some entries are in another file. */
  #checkExtensions(): void {
    const end = this.#bytes.length - oidBytes;
    while (this.#at < end) {
      const name = this.#bytes.toString("latin1", this.#at, this.#at + 4);
      if (name === "link") throw new NotUnderstood();
      this.#at += 8 + this.#bytes.readUInt32BE(this.#at + 4);
    }
    if (this.#at !== end) throw new NotUnderstood();
  }
}

function newBuffer(bytes: number): Buffer {
  return Buffer.from(allocateBuffer(bytes), 0, bytes);
}

/** The entries of an index, which git sorts by the bytes of their paths. One that is out of order may not be found. */
class SortedFiles {
  readonly #index: Buffer;
  /** The bytes with the paths, set when all are known. */
  paths: Buffer;
  readonly #starts: Uint32Array;
  readonly #pathStarts: Uint32Array;
  readonly #pathEnds: Uint32Array;
  #count = 0;
  /** The last file that was found. The next one is often near it. */
  #last = 0;

  constructor(index: Buffer, count: number) {
    this.#index = index;
    this.paths = index;
    const numbers = () => new Uint32Array(allocateBuffer(count * 4), 0, count);
    this.#starts = numbers();
    this.#pathStarts = numbers();
    this.#pathEnds = numbers();
  }

  /** Adds the entry at a position of the index. */
  add(entry: number, pathStart: number, pathEnd: number): void {
    this.#starts[this.#count] = entry;
    this.#pathStarts[this.#count] = pathStart;
    this.#pathEnds[this.#count] = pathEnd;
    this.#count += 1;
  }

  find(path: string): IndexEntry | undefined {
    const wanted = Buffer.from(path);
    let [low, high] = this.#around(wanted);
    while (low < high) {
      const middle = (low + high) >>> 1;
      const order = this.#compare(wanted, middle);
      if (order === 0) {
        this.#last = middle;
        return this.#entryAt(this.#starts[middle]!);
      }
      if (order > 0) low = middle + 1;
      else high = middle;
    }
    return undefined;
  }

  /** Returns a range that contains the path if the index does. It grows from the last path in steps that double. */
  #around(wanted: Buffer): [low: number, high: number] {
    let [low, high] = [this.#last, this.#last];
    for (let step = 16; low > 0 && this.#compare(wanted, low) < 0; step *= 2) low = Math.max(0, low - step);
    for (let step = 16; high < this.#count && this.#compare(wanted, high) >= 0; step *= 2)
      high = Math.min(this.#count, high + step);
    return [low, high];
  }

  #compare(wanted: Buffer, index: number): number {
    return wanted.compare(this.paths, this.#pathStarts[index], this.#pathEnds[index]);
  }

  #entryAt(start: number): IndexEntry {
    const bytes = this.#index;
    return {
      changedMs: timeOf(bytes.readUInt32BE(start), bytes.readUInt32BE(start + 4)),
      modifiedMs: timeOf(bytes.readUInt32BE(start + 8), bytes.readUInt32BE(start + 12)),
      inode: bytes.readUInt32BE(start + 20),
      bytes: bytes.readUInt32BE(start + 36),
      oid: bytes.toString("hex", start + 40, start + entryBytes),
    };
  }
}

/** Hashes many short pieces, with their lengths. */
class StagedHash {
  readonly #hash = createHash("sha1");
  readonly #waiting = Buffer.alloc(65_536);
  #length = 0;

  /** Adds some bytes of a buffer, without a view of them. */
  add(bytes: Buffer, start: number, end: number): void {
    const length = end - start;
    if (this.#length + length + 4 > this.#waiting.length) this.#flush();
    if (length + 4 > this.#waiting.length) throw new NotUnderstood();
    this.#length = this.#waiting.writeUInt32BE(length, this.#length);
    this.#length += bytes.copy(this.#waiting, this.#length, start, end);
  }

  digest(): string {
    this.#flush();
    return this.#hash.digest("hex");
  }

  #flush(): void {
    this.#hash.update(this.#waiting.subarray(0, this.#length));
    this.#length = 0;
  }
}

/** Computes a time as Node computes file times, so that equal times give equal numbers. */
function timeOf(seconds: number, nanoseconds: number): number {
  return seconds * 1e3 + nanoseconds / 1e6;
}

/**
 * Checks the checksum, whose 20 bytes also show that object names have 20 bytes. Git can be set to write zeros instead.
 */
function hasItsChecksum(bytes: Buffer): boolean {
  const end = bytes.length - oidBytes;
  const checksum = bytes.subarray(end);
  return (
    checksum.every((byte) => byte === 0) ||
    createHash("sha1").update(bytes.subarray(0, end)).digest().equals(checksum)
  );
}

/** Reads a variable-length number of git: seven bits per byte, and each further byte adds one. */
function readVariable(bytes: Buffer, start: number): readonly [value: number, next: number] {
  let at = start;
  let byte = bytes.readUInt8(at);
  let value = byte & 0x7f;
  while (byte & 0x80) {
    at += 1;
    byte = bytes.readUInt8(at);
    value = (value + 1) * 128 + (byte & 0x7f);
  }
  return [value, at + 1];
}
