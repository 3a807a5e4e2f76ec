import type { DocumentContent, DocumentSource, DocumentWanted } from "../contract/document.ts";
import { ToolError } from "../contract/error.ts";
import type { Image } from "../contract/tool.ts";
import { counted } from "../text/counted.ts";
import { damaged } from "./damaged.ts";
import type { Desk } from "./reader.ts";
import { tellFormat } from "./tell-format.ts";

/** Reads a document of any format. Throws nothing but ToolError. */
export async function readDocument(
  source: DocumentSource,
  wanted: DocumentWanted,
  desk: Desk,
): Promise<DocumentContent> {
  const { description, reader } = tellFormat(source);
  const read = await reader();
  try {
    return boundImages(await read(source, wanted, desk));
  } catch (error) {
    if (error instanceof ToolError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    const broken = damaged(source.name, `it cannot be read as ${description} (${why})`);
    broken.cause = error;
    throw broken;
  }
}

/** As many bytes of pictures as models are shown in one answer. */
const mostImageBytes = 10 * 1024 * 1024;

function boundImages(content: DocumentContent): DocumentContent {
  let left = mostImageBytes;
  const images: Image[] = [];
  for (const image of content.images) {
    left -= image.base64.length * 0.75;
    if (left >= 0) images.push(image);
  }
  const missing = content.images.length - images.length;
  if (missing === 0) return content;
  const note = `${counted(missing, "picture is", "pictures are")} not shown: together they are too large`;
  return { ...content, images, notes: [...content.notes, note] };
}
