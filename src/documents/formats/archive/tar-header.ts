import { asBuffer } from "../../../lib/as-buffer.ts";

/** What one header of 512 bytes says. */
export interface TarHeader {
  readonly name: string;
  readonly size: number;
  readonly mode: number;
  /** Seconds since 1970. */
  readonly modified: number;
  /** As the format has it: "0" file, "5" directory, "2" link, "L" a long name that follows. */
  readonly type: string;
  readonly linkTarget: string;
}

/** Whether the sum of the header is what it says: nothing else is that by chance. */
export function isTarHeader(block: Uint8Array): boolean {
  if (block.length < 512 || block[0] === 0) return false;
  const declared = octal(block, 148, 8);
  let sum = 8 * 32;
  for (let at = 0; at < 512; at += 1) if (at < 148 || at >= 156) sum += block[at]!;
  return sum === declared;
}

export function readTarHeader(block: Uint8Array): TarHeader {
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
