import { createHash } from "node:crypto";

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
  /** The plain files, by path. */
  readonly files: ReadonlyMap<string, IndexEntry>;
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
/** The length of an entry from its times to its flags. */
const fixedBytes = 40 + oidBytes + 2;

class IndexReader {
  readonly #bytes: Buffer;
  readonly #version: number;
  readonly #count: number;
  #at = 12;
  #path: Buffer = Buffer.alloc(0);

  constructor(index: Uint8Array) {
    const bytes = Buffer.from(index.buffer, index.byteOffset, index.byteLength);
    this.#bytes = bytes;
    this.#version = bytes.readUInt32BE(4);
    this.#count = bytes.readUInt32BE(8);
    const isKnown = bytes.toString("latin1", 0, 4) === "DIRC" && this.#version >= 2 && this.#version <= 4;
    if (!isKnown || !hasItsChecksum(bytes)) throw new NotUnderstood();
  }

  read(): GitIndex {
    const files = new Map<string, IndexEntry>();
    const staged = createHash("sha1");
    for (let count = 0; count < this.#count; count += 1) {
      const start = this.#at;
      const entry = this.#isPlain(start) ? this.#entryAt(start) : undefined;
      const path = this.#readPath(start);
      if (entry !== undefined) files.set(path, entry);
      staged.update(`${this.#bytes.toString("latin1", start + 24, start + 28)}\0${path}\0`);
      staged.update(this.#bytes.subarray(start + 40, start + fixedBytes));
    }
    this.#checkExtensions();
    return { files, staged: staged.digest("hex") };
  }

  #entryAt(start: number): IndexEntry {
    const bytes = this.#bytes;
    return {
      changedMs: timeOf(bytes.readUInt32BE(start), bytes.readUInt32BE(start + 4)),
      modifiedMs: timeOf(bytes.readUInt32BE(start + 8), bytes.readUInt32BE(start + 12)),
      inode: bytes.readUInt32BE(start + 20),
      bytes: bytes.readUInt32BE(start + 36),
      oid: bytes.toString("hex", start + 40, start + 40 + oidBytes),
    };
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

  #readPath(start: number): string {
    const isExtended = (this.#bytes.readUInt16BE(start + fixedBytes - 2) & 0x4000) !== 0;
    const nameAt = start + fixedBytes + (isExtended ? 2 : 0);
    if (this.#version === 4) {
      const [dropped, next] = readVariable(this.#bytes, nameAt);
      const end = this.#endOf(next);
      if (dropped > this.#path.length) throw new NotUnderstood();
      const kept = this.#path.subarray(0, this.#path.length - dropped);
      this.#path = Buffer.concat([kept, this.#bytes.subarray(next, end)]);
      this.#at = end + 1;
      return this.#path.toString();
    }
    const end = this.#endOf(nameAt);
    // One to eight NUL bytes pad an entry to a multiple of eight.
    this.#at = start + Math.ceil((end - start + 1) / 8) * 8;
    return this.#bytes.toString("utf8", nameAt, end);
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
