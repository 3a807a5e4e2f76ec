import type { ToolImage } from "../../contract/tool.ts";
import { imageSize } from "./image-size.ts";
import { sniffMediaType } from "./media-type.ts";

/** The longest image that all providers accept, in characters of base64. */
const maxImageChars = 5 * 1024 * 1024;

/** The longest side that all providers accept, in pixels. */
const maxSide = 8_000;

const seenTypes: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/**
 * Returns why providers would refuse an image, as a clause; undefined when nothing is wrong. They refuse every further
 * request of a conversation that contains such an image. Reads headers and lengths, and decodes no pixels.
 */
export function imageProblem({ mediaType, base64 }: ToolImage): string | undefined {
  if (!seenTypes.has(mediaType)) return `models cannot see ${mediaType}`;
  if (base64.length > maxImageChars)
    return `it has more than ${Math.floor((maxImageChars * 3) / 4 / 1024)} kB, the most that models accept`;
  const bytes = Buffer.from(base64, "base64");
  if (sniffMediaType(bytes)?.mediaType !== mediaType) return `it is not an image of the type ${mediaType}`;
  const { width = 0, height = 0 } = imageSize(bytes) ?? {};
  if (width === 0 || height === 0) return "it is damaged: its header has no size";
  if (Math.max(width, height) > maxSide)
    return `it has ${width} × ${height} pixels, and models accept at most ${maxSide} on a side`;
  return isWhole(bytes, mediaType) ? undefined : "it is damaged: its end is missing";
}

/** Whether the parts of an image, as its own lengths describe them, are all in the file. */
function isWhole(bytes: Buffer, mediaType: string): boolean {
  switch (mediaType) {
    case "image/png":
      return endsChunks(bytes);
    case "image/jpeg":
      return bytes.lastIndexOf("\xff\xd9", undefined, "latin1") > 2;
    case "image/webp":
      return bytes.length >= bytes.readUInt32LE(4) + 8;
    default:
      return true;
  }
}

/** Walks the chunks of a PNG image up to its last one. */
function endsChunks(bytes: Buffer): boolean {
  for (let start = 8; start + 12 <= bytes.length; start += 12 + bytes.readUInt32BE(start))
    if (bytes.readUInt32BE(start + 4) === 0x49454e44) return true; // "IEND"
  return false;
}

/** Estimates what an image costs. Providers count by pixels, up to a limit, and scale larger images down. */
export function imageTokens({ base64 }: ToolImage): number {
  const head = Buffer.from(base64.slice(0, headChars), "base64");
  const size = imageSize(head);
  if (size === undefined) return usualTokens;
  return Math.min(mostTokens, Math.max(leastTokens, Math.ceil((size.width * size.height) / pixelsPerToken)));
}

/** The size of an image is near its beginning; only a JPEG image may have other data before it. */
const headChars = 64 * 1024;
const pixelsPerToken = 750;
const usualTokens = 1_600;
const leastTokens = 85;
const mostTokens = 4_800;
