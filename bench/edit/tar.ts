import { gunzipSync } from "node:zlib";

/** The regular files of a packed npm package, by their path inside the package. */
export function readTarball(packed: Uint8Array): Map<string, Buffer> {
  const bytes = gunzipSync(packed);
  const files = new Map<string, Buffer>();
  let longPath: string | undefined;
  for (let at = 0; at + block <= bytes.length && bytes[at] !== 0; ) {
    const header = bytes.subarray(at, at + block);
    const size = Number.parseInt(field(header, 124, 12), 8) || 0;
    const content = bytes.subarray(at + block, at + block + size);
    const type = String.fromCharCode(header[156]!);
    if (type === "x") longPath = /\d+ path=(.*)\n/.exec(content.toString("utf8"))?.[1] ?? longPath;
    else if (type === "L") longPath = field(content, 0, size);
    else {
      const prefix = field(header, 345, 155);
      const path = longPath ?? (prefix ? `${prefix}/${field(header, 0, 100)}` : field(header, 0, 100));
      // The first folder is "package" in most archives, but not in all.
      if (type === "0" || type === "\0") files.set(path.slice(path.indexOf("/") + 1), content);
      longPath = undefined;
    }
    at += block + Math.ceil(size / block) * block;
  }
  return files;
}

const block = 512;

function field(bytes: Buffer, start: number, length: number): string {
  const text = bytes.toString("utf8", start, start + length);
  const end = text.indexOf("\0");
  return end === -1 ? text : text.slice(0, end);
}
