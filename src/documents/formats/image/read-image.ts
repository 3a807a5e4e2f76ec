import type { DocumentSource } from "../../../contract/document.ts";
import { asBuffer } from "../../../lib/bytes/bytes.ts";
import { type ImageSize, imageSize } from "../../../lib/bytes/image-size.ts";
import { sniffMediaType } from "../../../lib/bytes/media-type.ts";
import { showSize } from "../../../lib/text/format-quantity.ts";
import { type DocumentReader, damaged } from "../../reader.ts";
import { exifProperties, numberOf, readTiff } from "./exif.ts";
import { pictureData } from "./metadata.ts";

/** Reads the metadata of a picture, and returns the picture itself for models that accept images. */
export const readImage: DocumentReader = (source, { part, images = true }) => {
  const { name, bytes } = source;
  const type = sniffMediaType(bytes);
  if (type === undefined) throw damaged(name, "it is not a picture");
  const size = pictureSize(bytes, type.mediaType);
  const { exif, texts, frames } = pictureData(bytes, type.mediaType);
  const tags = exif && readTiff(exif);
  const properties = tags ? exifProperties(tags) : {};
  const hidden = images ? whyNotShown(source, type.mediaType, size) : undefined;
  return {
    format: "image",
    description: type.description,
    properties: {
      ...(size ? { size: `${size.width} × ${size.height} pixels` } : {}),
      bytes: showSize(bytes.length),
      ...(frames > 1 ? { frames: String(frames) } : {}),
      ...properties,
      ...Object.fromEntries(
        Object.entries(texts).filter(([, text]) => !Object.values(properties).includes(text)),
      ),
    },
    notes: [
      ...(part === undefined ? [] : ["a picture has no parts: all of it is shown"]),
      ...(hidden === undefined ? [] : [`the picture itself is not shown: ${hidden}`]),
    ],
    images:
      images && hidden === undefined
        ? [{ mediaType: type.mediaType, base64: asBuffer(bytes).toString("base64") }]
        : [],
  };
};

const visibleTypes: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
const mostBytes = 10 * 1024 * 1024;
/** The pixels are limited, because viewers decode all of them, even those of a small file. */
const mostPixels = 100_000_000;

function whyNotShown(
  { bytes }: DocumentSource,
  mediaType: string,
  size: ImageSize | undefined,
): string | undefined {
  if (!visibleTypes.has(mediaType)) return "only PNG, JPEG, GIF and WebP are; convert it to one of them";
  if (bytes.length > mostBytes) return `it is larger than ${showSize(mostBytes)}; scale it down first`;
  if (size === undefined) return "it is damaged";
  return size.width * size.height > mostPixels ? "it has too many pixels; scale it down first" : undefined;
}

function pictureSize(bytes: Uint8Array, mediaType: string): ImageSize | undefined {
  switch (mediaType) {
    case "image/tiff":
      return tiffSize(bytes);
    case "image/heic":
    case "image/avif":
      return largestExtent(bytes);
    case "image/x-icon":
      // Width and height take one byte each, and 0 means 256.
      return bytes.length < 8 ? undefined : { width: bytes[6] || 256, height: bytes[7] || 256 };
    default:
      return imageSize(bytes);
  }
}

function tiffSize(bytes: Uint8Array): ImageSize | undefined {
  const image = readTiff(bytes)?.image;
  const width = numberOf(image?.get(0x0100));
  const height = numberOf(image?.get(0x0101));
  return width === undefined || height === undefined ? undefined : { width, height };
}

/** Returns the largest size in the file. Smaller ones belong to tiles and thumbnails. */
function largestExtent(given: Uint8Array): ImageSize | undefined {
  const bytes = asBuffer(given.subarray(0, 1_000_000));
  let largest: ImageSize | undefined;
  for (
    let at = bytes.indexOf("ispe");
    at !== -1 && at + 16 <= bytes.length;
    at = bytes.indexOf("ispe", at + 4)
  ) {
    const size = { width: bytes.readUInt32BE(at + 8), height: bytes.readUInt32BE(at + 12) };
    if (size.width * size.height > (largest?.width ?? 0) * (largest?.height ?? 0)) largest = size;
  }
  return largest;
}
