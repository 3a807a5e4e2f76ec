import type { DocumentContent, DocumentSource } from "../../../contract/document.ts";
import { asBuffer } from "../../../lib/as-buffer.ts";
import type { ImageSize } from "../../../lib/image-size.ts";
import { sniffMediaType } from "../../../lib/media-type.ts";
import { showSize } from "../../../lib/show-size.ts";
import { damaged } from "../../damaged.ts";
import type { DocumentReader } from "../../reader.ts";
import { pictureData } from "./containers.ts";
import { exifProperties } from "./exif.ts";
import { pictureSize } from "./picture-size.ts";
import { readTiff } from "./tiff.ts";

/** What a picture says of itself, and the picture for models that see. */
export const readImage: DocumentReader = (source, { part, images = true }, { budget }) => {
  const { name, bytes } = source;
  const type = sniffMediaType(bytes);
  if (type === undefined) throw damaged(name, "it is no picture");
  const size = pictureSize(bytes, type.mediaType);
  const { exif, texts, frames } = pictureData(bytes, type.mediaType, budget);
  const tags = exif && readTiff(exif);
  const told = tags ? exifProperties(tags) : {};
  const hidden = images ? whyNotShown(source, type.mediaType, size) : undefined;
  return {
    format: "image",
    description: type.description,
    properties: {
      ...(size ? { size: `${size.width} × ${size.height} pixels` } : {}),
      bytes: showSize(bytes.length),
      ...(frames > 1 ? { frames: String(frames) } : {}),
      ...told,
      ...Object.fromEntries(Object.entries(texts).filter(([, text]) => !Object.values(told).includes(text))),
    },
    consistsOf: undefined,
    parts: [],
    next: undefined,
    notes: [
      ...(part === undefined ? [] : ["a picture has no parts: all that is known of it is told"]),
      ...(hidden === undefined ? [] : [`the picture itself is not shown: ${hidden}`]),
    ],
    images: images && hidden === undefined ? [pictureOf(bytes, type.mediaType)] : [],
  };
};

const visibleTypes: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
const mostBytes = 10 * 1024 * 1024;
/** Some programs that show it unpack all of it, whatever little it takes packed. */
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

function pictureOf(bytes: Uint8Array, mediaType: string): DocumentContent["images"][number] {
  return { mediaType, base64: asBuffer(bytes).toString("base64") };
}
