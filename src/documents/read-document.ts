import type { DocumentContent, DocumentSource, DocumentWanted } from "../contract/document.ts";
import { ToolError } from "../contract/error.ts";
import { boundContent, boundError } from "./bound-content.ts";
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
    return boundContent(await read(source, wanted, desk));
  } catch (error) {
    if (error instanceof ToolError) throw boundError(error);
    const why = error instanceof Error ? error.message : String(error);
    const broken = damaged(source.name, `it cannot be read as ${description} (${why})`);
    broken.cause = error;
    throw broken;
  }
}
