import { crc32, deflateRawSync } from "node:zlib";

export interface MadeEntry {
  readonly name: string;
  readonly content?: Uint8Array | string;
  /** Replaces the true value. */
  readonly packed?: Uint8Array;
  readonly size?: number;
  readonly crc?: number;
  readonly method?: number;
  readonly flags?: number;
  readonly unixMode?: number;
  /** Points to the entry at this index instead of its own. */
  readonly at?: number;
}

/** Makes a ZIP archive byte by byte, with any mistake that a test needs. */
export function makeZip(entries: readonly MadeEntry[], { before = "", comment = "" } = {}): Buffer {
  const locals: Buffer[] = [];
  const offsets: number[] = [];
  let offset = 0;
  const directory = entries.map((entry) => {
    const content = Buffer.from(entry.content ?? "");
    const { method = 8, flags = 0x800, unixMode = 0 } = entry;
    const packed = entry.packed ?? (method === 8 ? deflateRawSync(content) : content);
    const name = Buffer.from(entry.name);
    const { crc = crc32(content), size = content.length } = entry;
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(name.length, 26);
    locals.push(local, name, Buffer.from(packed));
    offsets.push(offset);
    const header = Buffer.alloc(46);
    header.writeUInt32LE(0x02014b50, 0);
    header[5] = unixMode === 0 ? 0 : 3;
    header.writeUInt16LE(flags, 8);
    header.writeUInt16LE(method, 10);
    header.writeUInt16LE(0x8bc0, 12);
    header.writeUInt16LE(0x5d6f, 14);
    header.writeUInt32LE(crc, 16);
    header.writeUInt32LE(packed.length, 20);
    header.writeUInt32LE(size, 24);
    header.writeUInt16LE(name.length, 28);
    header.writeUInt16LE(unixMode, 40);
    header.writeUInt32LE(entry.at === undefined ? offset : offsets[entry.at]!, 42);
    offset += 30 + name.length + packed.length;
    return Buffer.concat([header, name]);
  });
  const size = directory.reduce((sum, header) => sum + header.length, 0);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(size, 12);
  end.writeUInt32LE(offset, 16);
  end.writeUInt16LE(Buffer.byteLength(comment), 20);
  return Buffer.concat([Buffer.from(before), ...locals, ...directory, end, Buffer.from(comment)]);
}
