import { asBuffer } from "../../../lib/as-buffer.ts";
import { type ImageSize, imageSize } from "../../../lib/image-size.ts";
import { numberOf, readTiff } from "./tiff.ts";

/** Width and height in pixels, of more kinds of pictures than models are shown; undefined when it does not say. */
export function pictureSize(bytes: Uint8Array, mediaType: string): ImageSize | undefined {
  switch (mediaType) {
    case "image/tiff":
      return tiffSize(bytes);
    case "image/heic":
    case "image/avif":
      return largestExtent(bytes);
    case "image/x-icon":
      // One byte each, 0 for 256.
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

/** Each picture in the file, tiles and thumbnails too, has a box with its extent; the largest is the picture. */
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
