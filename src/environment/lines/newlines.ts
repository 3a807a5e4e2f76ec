import type { TextEncoding } from "../../contract/environment.ts";

/** Where lines end: at the byte 10, or at the UTF-16 unit 10. */
export type LineUnit = "byte" | "utf-16le" | "utf-16be";

export function lineUnit(encoding: TextEncoding | "binary"): LineUnit {
  return encoding === "utf-16le" || encoding === "utf-16be" ? encoding : "byte";
}

export function unitBytes(unit: LineUnit): number {
  return unit === "byte" ? 1 : 2;
}

/** Where the line that holds `from` ends, its newline included; -1 when it goes on. `bytes` starts on a whole unit. */
export function lineEnd(bytes: Buffer, from: number, unit: LineUnit): number {
  if (unit === "byte") return bytes.indexOf(10, from) + 1 || -1;
  for (let found = bytes.indexOf(10, from); found !== -1; found = bytes.indexOf(10, found + 1)) {
    const start = unit === "utf-16le" ? found : found - 1;
    if (isNewlineUnit(bytes, start, unit)) return start + 2;
  }
  return -1;
}

/** Where the last newline ends that lies wholly before `before`; -1 when there is none. */
export function lastLineEnd(bytes: Buffer, before: number, unit: LineUnit): number {
  if (before <= 0) return -1;
  if (unit === "byte") return bytes.lastIndexOf(10, before - 1) + 1 || -1;
  for (let found = bytes.lastIndexOf(10, before - 1); found !== -1; ) {
    const start = unit === "utf-16le" ? found : found - 1;
    if (start + 2 <= before && isNewlineUnit(bytes, start, unit)) return start + 2;
    found = found === 0 ? -1 : bytes.lastIndexOf(10, found - 1);
  }
  return -1;
}

function isNewlineUnit(bytes: Buffer, start: number, unit: LineUnit): boolean {
  if (start < 0 || start % 2 !== 0) return false;
  const zero = unit === "utf-16le" ? start + 1 : start;
  return bytes[zero] === 0;
}

export function countNewlines(bytes: Buffer, unit: LineUnit): number {
  let count = 0;
  for (let end = lineEnd(bytes, 0, unit); end !== -1; end = lineEnd(bytes, end, unit)) count += 1;
  return count;
}
