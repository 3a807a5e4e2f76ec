import { ToolError } from "../../contract/error.ts";
import type { ToolContext, ToolOutput } from "../../contract/tool.ts";
import { asBuffer } from "../../lib/bytes/bytes.ts";
import { imageSize } from "../../lib/bytes/image-size.ts";
import { type MediaType, sniffMediaType, withArticle } from "../../lib/bytes/media-type.ts";
import { counted } from "../../lib/text/format-quantity.ts";

export interface ImageFile {
  readonly kind: "image";
  readonly path: string;
  readonly mediaType: string;
  readonly base64: string;
  /** Size in pixels; undefined when the image does not contain it. */
  readonly width: number | undefined;
  readonly height: number | undefined;
  readonly bytes: number;
}

/** A file that is not text. */
export interface BinaryFile {
  readonly head: Uint8Array;
  readonly bytes: number;
}

/** Reads an image that models can see. Throws `unsupported` for other binary files. */
export async function readImage(
  path: string,
  binary: BinaryFile,
  maxBytes: number,
  context: ToolContext,
): Promise<ToolOutput<ImageFile>> {
  const type = sniffMediaType(binary.head);
  if (type === undefined || !visibleTypes.has(type.mediaType)) throw notShown(path, binary, type);
  if (binary.bytes > maxBytes) throw tooLarge(path, binary, type, maxBytes);

  const { bytes } = await context.environment.readFile(path, { maxBytes, signal: context.signal });
  const base64 = asBuffer(bytes).toString("base64");
  const { mediaType, description } = type;
  const { width, height } = imageSize(bytes) ?? {};
  const pixels = width === undefined ? "" : `, ${width} × ${height} pixels`;
  return {
    data: { kind: "image", path, mediaType, base64, width, height, bytes: bytes.length },
    text: `${path}: ${description} (${mediaType})${pixels}, ${counted(bytes.length, "byte")}`,
    images: [{ mediaType, base64 }],
  };
}

const visibleTypes: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

function notShown(path: string, { bytes }: BinaryFile, type: MediaType | undefined): ToolError {
  const kind = type
    ? `${withArticle(type.description)} (${type.mediaType})`
    : "a binary file of unknown type";
  return new ToolError("unsupported", `${path} cannot be shown: it is ${kind}, ${counted(bytes, "byte")}`, {
    hint: "Read documents, other images and archives with document.read; for other formats use a command.",
  });
}

function tooLarge(path: string, { bytes }: BinaryFile, type: MediaType, maxBytes: number): ToolError {
  return new ToolError(
    "too-large",
    `${path} is ${withArticle(type.description)} of ${bytes} bytes; ${maxBytes} bytes of images can still be shown in this call`,
    { hint: "Read it in a separate call; scale down an image above 10 MiB first." },
  );
}
