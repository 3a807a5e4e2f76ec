import { asBuffer } from "../../../lib/bytes/bytes.ts";

interface PictureData {
  /** EXIF data, which has the format of a TIFF file. */
  readonly exif: Uint8Array | undefined;
  /** Texts by keyword: "Title", "Comment". */
  readonly texts: Readonly<Record<string, string>>;
  /** The number of frames; 1 for a still picture. */
  readonly frames: number;
}

/** Reads the metadata of a picture, as far as possible if it is damaged. */
export function pictureData(given: Uint8Array, mediaType: string): PictureData {
  const bytes = asBuffer(given);
  switch (mediaType) {
    case "image/jpeg":
      return jpegData(bytes);
    case "image/png":
      return pngData(bytes);
    case "image/gif":
      return { ...nothing, frames: gifFrames(bytes) };
    case "image/webp":
      return webpData(bytes);
    case "image/tiff":
      return { ...nothing, exif: bytes };
    case "image/heic":
    case "image/avif":
      return { ...nothing, exif: findExif(bytes) };
    default:
      return nothing;
  }
}

const nothing: PictureData = { exif: undefined, texts: {}, frames: 1 };

function jpegData(bytes: Buffer): PictureData {
  let exif: Buffer | undefined;
  const comments: string[] = [];
  let at = 2;
  while (at + 4 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1]!;
    if (marker === 0xda || marker === 0xd9) break;
    const segment = bytes.subarray(at + 4, at + 2 + bytes.readUInt16BE(at + 2));
    if (marker === 0xe1 && segment.toString("latin1", 0, 6) === "Exif\0\0") exif ??= segment.subarray(6);
    if (marker === 0xfe && comments.length < mostTexts) comments.push(textOf(segment));
    at += 2 + Math.max(bytes.readUInt16BE(at + 2), 2);
  }
  return { ...nothing, exif, texts: comments.length === 0 ? {} : { Comment: comments.join("\n") } };
}

function textOf(bytes: Buffer): string {
  const end = bytes.indexOf(0);
  return bytes.toString("utf8", 0, end === -1 ? bytes.length : end);
}

function pngData(bytes: Buffer): PictureData {
  const texts = new Map<string, string>();
  let exif: Buffer | undefined;
  let frames = 1;
  for (let at = 8; at + 12 <= bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    const type = bytes.toString("latin1", at + 4, at + 8);
    const chunk = bytes.subarray(at + 8, at + 8 + length);
    if (chunk.length < length) break;
    if (type === "eXIf") exif ??= chunk;
    if (type === "acTL" && length >= 4) frames = chunk.readUInt32BE(0);
    const text = texts.size < mostTexts ? pngText(type, chunk) : undefined;
    if (text && !texts.has(text[0])) texts.set(...text);
    at += 12 + length;
  }
  return { exif, texts: Object.fromEntries(texts), frames };
}

const mostTexts = 50;
const mostTextBytes = 1_000_000;

/** Returns keyword and text. Skips compressed text, which is mostly private data of programs. */
function pngText(type: string, chunk: Buffer): [string, string] | undefined {
  const end = chunk.indexOf(0);
  const key = chunk.toString("latin1", 0, Math.max(end, 0));
  if (key === "" || key === "XML:com.adobe.xmp" || key.startsWith("Raw profile")) return undefined;
  if (type === "tEXt") return [key, chunk.toString("latin1", end + 1, end + 1 + mostTextBytes)];
  if (type !== "iTXt" || chunk[end + 1] === 1) return undefined;
  const language = chunk.indexOf(0, end + 3);
  const start = language === -1 ? -1 : chunk.indexOf(0, language + 1) + 1;
  return start < 1 ? undefined : [key, chunk.toString("utf8", start, start + mostTextBytes)];
}

function webpData(bytes: Buffer): PictureData {
  let exif: Buffer | undefined;
  let frames = 0;
  for (let at = 12; at + 8 <= bytes.length; ) {
    const type = bytes.toString("latin1", at, at + 4);
    const length = bytes.readUInt32LE(at + 4);
    if (type === "EXIF") exif ??= withoutMark(bytes.subarray(at + 8, at + 8 + length));
    if (type === "ANMF") frames += 1;
    at += 8 + length + (length % 2);
  }
  return { ...nothing, exif, frames: Math.max(frames, 1) };
}

function gifFrames(bytes: Buffer): number {
  let frames = 0;
  let at = 13 + tableLength(bytes[10] ?? 0);
  while (at < bytes.length && bytes[at] !== 0x3b) {
    if (bytes[at] === 0x2c) {
      frames += 1;
      at += 11 + tableLength(bytes[at + 9] ?? 0);
    } else if (bytes[at] === 0x21) at += 2;
    else break;
    while (at < bytes.length && bytes[at] !== 0) at += 1 + bytes[at]!;
    at += 1;
  }
  return Math.max(frames, 1);
}

function tableLength(flags: number): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1);
}

/** Finds EXIF data in HEIC and AVIF by its mark, without the tables that give its position. */
function findExif(bytes: Buffer): Buffer | undefined {
  const at = bytes.indexOf("Exif\0\0", 0, "latin1");
  return at === -1 ? undefined : bytes.subarray(at + 6);
}

function withoutMark(exif: Buffer): Buffer {
  return exif.toString("latin1", 0, 6) === "Exif\0\0" ? exif.subarray(6) : exif;
}
