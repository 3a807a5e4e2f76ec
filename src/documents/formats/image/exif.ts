import { asBuffer } from "../../../lib/bytes/bytes.ts";

/** Returns the properties to show, in order. */
export function exifProperties({ image, exif, gps }: TiffTags): Readonly<Record<string, string>> {
  const properties: [string, string | undefined][] = [
    ["title", text(image.get(0x010e))],
    ["taken", time(text(exif.get(0x9003)), text(exif.get(0x9011)))],
    ["camera", camera(text(image.get(0x010f)), text(image.get(0x0110)))],
    ["lens", text(exif.get(0xa434))],
    ["exposure", exposure(exif)],
    ["orientation", orientations[numberOf(image.get(0x0112)) ?? 1]],
    ["place", positionOf(gps)],
    ["artist", text(image.get(0x013b))],
    ["copyright", text(image.get(0x8298))],
    ["software", text(image.get(0x0131))],
    ["changed", time(text(image.get(0x0132)), text(exif.get(0x9010)))],
    ["comment", text(exif.get(0x9286))],
  ];
  return Object.fromEntries(
    properties.filter((pair): pair is [string, string] => pair[1] !== undefined && pair[1] !== ""),
  );
}

function text(value: string | readonly number[] | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Converts "2026:11:15 17:30:00" to "2026-11-15 17:30:00". */
function time(value: string | undefined, zone: string | undefined): string | undefined {
  const match = /^(\d{4}):(\d\d):(\d\d)[ T](\d\d:\d\d:\d\d)/.exec(value ?? "");
  return match ? `${match[1]}-${match[2]}-${match[3]} ${match[4]}${zone ? ` ${zone}` : ""}` : undefined;
}

function camera(maker: string | undefined, model: string | undefined): string | undefined {
  if (maker === undefined || model === undefined) return maker ?? model;
  // Many models begin with the name of their manufacturer.
  return model.toLowerCase().startsWith(maker.toLowerCase()) ? model : `${maker} ${model}`;
}

function exposure(exif: Tags): string | undefined {
  const seconds = positive(exif.get(0x829a));
  const aperture = positive(exif.get(0x829d));
  const sensitivity = positive(exif.get(0x8827));
  const focalLength = positive(exif.get(0x920a));
  const parts = [
    seconds === undefined ? [] : [seconds < 0.3 ? `1/${Math.round(1 / seconds)} s` : `${rounded(seconds)} s`],
    aperture === undefined ? [] : [`f/${rounded(aperture)}`],
    sensitivity === undefined ? [] : [`ISO ${sensitivity}`],
    focalLength === undefined ? [] : [`${rounded(focalLength)} mm`],
  ].flat();
  return parts.length === 0 ? undefined : parts.join(", ");
}

function positive(value: string | readonly number[] | undefined): number | undefined {
  const number = numberOf(value);
  return number !== undefined && number > 0 && Number.isFinite(number) ? number : undefined;
}

function rounded(value: number): string {
  return String(Math.round(value * 10) / 10);
}

/** The orientations, which say how to turn the picture upright. */
const orientations: Readonly<Record<number, string>> = {
  2: "mirrored",
  3: "turned by 180°",
  4: "mirrored and turned by 180°",
  5: "mirrored and to be turned 270° clockwise",
  6: "to be turned 90° clockwise",
  7: "mirrored and to be turned 90° clockwise",
  8: "to be turned 270° clockwise",
};

function positionOf(gps: Tags): string | undefined {
  const latitude = degrees(gps.get(2), gps.get(1));
  const longitude = degrees(gps.get(4), gps.get(3));
  if (latitude === undefined || longitude === undefined) return undefined;
  const height = numberOf(gps.get(6));
  const sign = numberOf(gps.get(5)) === 1 ? -1 : 1;
  const altitude =
    height === undefined || !Number.isFinite(height) ? "" : `, ${rounded(sign * height)} m above sea level`;
  return `${latitude.toFixed(6)}, ${longitude.toFixed(6)}${altitude}`;
}

function degrees(
  parts: string | readonly number[] | undefined,
  side: string | readonly number[] | undefined,
): number | undefined {
  if (typeof parts !== "object") return undefined;
  const [whole = Number.NaN, minutes = 0, seconds = 0] = parts;
  const value = whole + minutes / 60 + seconds / 3600;
  return Number.isFinite(value) ? value * (side === "S" || side === "W" ? -1 : 1) : undefined;
}

/** The values of a directory, text or numbers, by tag. */
type Tags = ReadonlyMap<number, string | readonly number[]>;

/** The directories of a TIFF file, or of EXIF data, which has the same format. */
interface TiffTags {
  readonly image: Tags;
  readonly exif: Tags;
  readonly gps: Tags;
}

/** Reads the directories; undefined for other data. Skips values that are invalid or outside of the file. */
export function readTiff(given: Uint8Array): TiffTags | undefined {
  const bytes = asBuffer(given);
  const order = bytes.toString("latin1", 0, 4);
  if (order !== "II*\0" && order !== "MM\0*") return undefined;
  const file: File = { bytes, isLittle: order === "II*\0" };
  const image = readTags(file, unsigned(file, 4, 4));
  return {
    image,
    exif: readTags(file, numberOf(image.get(0x8769))),
    gps: readTags(file, numberOf(image.get(0x8825))),
  };
}

export function numberOf(value: string | readonly number[] | undefined): number | undefined {
  return typeof value === "object" ? value[0] : undefined;
}

interface File {
  readonly bytes: Buffer;
  readonly isLittle: boolean;
}

function readTags(file: File, start: number | undefined): Tags {
  const tags = new Map<number, string | readonly number[]>();
  const count = start === undefined ? undefined : unsigned(file, start, 2);
  for (let index = 0; index < Math.min(count ?? 0, mostTags); index += 1) {
    const at = start! + 2 + index * 12;
    const tag = unsigned(file, at, 2);
    const value = readValue(file, at);
    if (tag !== undefined && value !== undefined && !tags.has(tag)) tags.set(tag, value);
  }
  return tags;
}

const mostTags = 500;
const mostBytes = 65_536;
/** The most numbers to read of a list. Longer lists are tables for programs. */
const mostNumbers = 16;

/**
 * The sizes of types in bytes, from 1 on: byte, text, 16 bits, 32 bits, fraction; from 6 on signed and untyped ones.
 */
const widths: readonly (number | undefined)[] = [undefined, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8];

function readValue(file: File, at: number): string | readonly number[] | undefined {
  const type = unsigned(file, at + 2, 2) ?? 0;
  const count = unsigned(file, at + 4, 4) ?? 0;
  const width = widths[type];
  if (width === undefined || count * width > mostBytes) return undefined;
  const start = count * width <= 4 ? at + 8 : unsigned(file, at + 8, 4);
  if (start === undefined || start + count * width > file.bytes.length) return undefined;
  const bytes = file.bytes.subarray(start, start + count);
  if (type === 7) return freeText(bytes, file);
  if (type === 2) return textOf(bytes);
  const length = Math.min(count, mostNumbers);
  return Array.from({ length }, (_, index) => element(file, type, start + index * width));
}

function element(file: File, type: number, at: number): number {
  if (type === 5) return unsigned(file, at, 4)! / unsigned(file, at + 4, 4)!;
  if (type === 10) return signed(file, at, 4) / signed(file, at + 4, 4);
  return type > 5 ? signed(file, at, widths[type]!) : unsigned(file, at, widths[type]!)!;
}

function unsigned({ bytes, isLittle }: File, at: number, width: number): number | undefined {
  if (at + width > bytes.length) return undefined;
  return isLittle ? bytes.readUIntLE(at, width) : bytes.readUIntBE(at, width);
}

function signed({ bytes, isLittle }: File, at: number, width: number): number {
  return isLittle ? bytes.readIntLE(at, width) : bytes.readIntBE(at, width);
}

/** Decodes untyped text, which may begin with the name of its encoding in eight bytes. */
function freeText(bytes: Buffer, { isLittle }: File): string {
  const name = bytes.toString("latin1", 0, 8);
  if (name !== "UNICODE\0") return textOf(name === "ASCII\0\0\0" ? bytes.subarray(8) : bytes);
  return new TextDecoder(isLittle ? "utf-16le" : "utf-16be")
    .decode(bytes.subarray(8))
    .replaceAll("\0", "")
    .trim();
}

function textOf(bytes: Buffer): string {
  const end = bytes.indexOf(0);
  const text = bytes.subarray(0, end === -1 ? bytes.length : end);
  const isUtf8 = !text.toString("utf8").includes("\ufffd");
  return text.toString(isUtf8 ? "utf8" : "latin1").trim();
}
