import { numberOf, type Tags, type TiffTags } from "./tiff.ts";

/** What EXIF data is worth telling, in the order worth telling. */
export function exifProperties({ image, exif, gps }: TiffTags): Readonly<Record<string, string>> {
  const told: [string, string | undefined][] = [
    ["title", text(image.get(0x010e))],
    ["taken", time(text(exif.get(0x9003)), text(exif.get(0x9011)))],
    ["camera", camera(text(image.get(0x010f)), text(image.get(0x0110)))],
    ["lens", text(exif.get(0xa434))],
    ["exposure", exposure(exif)],
    ["orientation", orientations[numberOf(image.get(0x0112)) ?? 1]],
    ["place", place(gps)],
    ["artist", text(image.get(0x013b))],
    ["copyright", text(image.get(0x8298))],
    ["software", text(image.get(0x0131))],
    ["changed", time(text(image.get(0x0132)), text(exif.get(0x9010)))],
    ["comment", text(exif.get(0x9286))],
  ];
  return Object.fromEntries(
    told.filter((pair): pair is [string, string] => pair[1] !== undefined && pair[1] !== ""),
  );
}

function text(value: string | readonly number[] | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** "2026:11:15 17:30:00" as people write it. */
function time(value: string | undefined, zone: string | undefined): string | undefined {
  const match = /^(\d{4}):(\d\d):(\d\d)[ T](\d\d:\d\d:\d\d)/.exec(value ?? "");
  return match ? `${match[1]}-${match[2]}-${match[3]} ${match[4]}${zone ? ` ${zone}` : ""}` : undefined;
}

function camera(maker: string | undefined, model: string | undefined): string | undefined {
  if (maker === undefined || model === undefined) return maker ?? model;
  // Many models begin with the name of their maker.
  return model.toLowerCase().startsWith(maker.toLowerCase()) ? model : `${maker} ${model}`;
}

function exposure(exif: Tags): string | undefined {
  const seconds = positive(exif.get(0x829a));
  const aperture = positive(exif.get(0x829d));
  const sensitivity = positive(exif.get(0x8827));
  const focalLength = positive(exif.get(0x920a));
  const told = [
    seconds === undefined ? [] : [seconds < 0.3 ? `1/${Math.round(1 / seconds)} s` : `${rounded(seconds)} s`],
    aperture === undefined ? [] : [`f/${rounded(aperture)}`],
    sensitivity === undefined ? [] : [`ISO ${sensitivity}`],
    focalLength === undefined ? [] : [`${rounded(focalLength)} mm`],
  ].flat();
  return told.length === 0 ? undefined : told.join(", ");
}

function positive(value: string | readonly number[] | undefined): number | undefined {
  const number = numberOf(value);
  return number !== undefined && number > 0 && Number.isFinite(number) ? number : undefined;
}

function rounded(value: number): string {
  return String(Math.round(value * 10) / 10);
}

/** How it has to be turned to be seen upright; nothing for the usual one. */
const orientations: Readonly<Record<number, string>> = {
  2: "mirrored",
  3: "turned by 180°",
  4: "mirrored and turned by 180°",
  5: "mirrored and to be turned 270° clockwise",
  6: "to be turned 90° clockwise",
  7: "mirrored and to be turned 90° clockwise",
  8: "to be turned 270° clockwise",
};

function place(gps: Tags): string | undefined {
  const latitude = degrees(gps.get(2), gps.get(1));
  const longitude = degrees(gps.get(4), gps.get(3));
  if (latitude === undefined || longitude === undefined) return undefined;
  const height = numberOf(gps.get(6));
  const sign = numberOf(gps.get(5)) === 1 ? -1 : 1;
  const altitude =
    height === undefined || !Number.isFinite(height) ? "" : `, ${rounded(sign * height)} m above the sea`;
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
