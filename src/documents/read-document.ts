import type { DocumentContent, DocumentSource, DocumentWanted } from "../contract/document.ts";
import { ToolError } from "../contract/error.ts";
import type { ToolImage } from "../contract/tool.ts";
import { counted } from "../lib/text/format-quantity.ts";
import { printableLine } from "../lib/text/printable.ts";
import { characterStart } from "../lib/text/truncate.ts";
import { detectFormat } from "./detect-format.ts";
import { damaged, type ReaderContent, type ReadingContext } from "./reader.ts";

/** Reads a document of any format. Throws only ToolError. */
export async function readDocument(
  source: DocumentSource,
  wanted: DocumentWanted,
  context: ReadingContext,
): Promise<DocumentContent> {
  const { description, reader } = detectFormat(source);
  const read = await reader();
  try {
    return boundContent(await read(source, wanted, context));
  } catch (error) {
    if (error instanceof ToolError) throw boundError(error);
    const why = error instanceof Error ? error.message : String(error);
    const broken = damaged(source.name, `it cannot be read as ${description} (${why})`);
    broken.cause = error;
    throw broken;
  }
}

/** Limits properties, titles, notes and images, which can have any size, before they leave the worker. */
export function boundContent(given: ReaderContent): DocumentContent {
  const content = { consistsOf: undefined, parts: [], next: undefined, notes: [], images: [], ...given };
  const { images, note } = boundImages(content.images);
  const entries = Object.entries(content.properties).slice(0, mostProperties);
  const notes = content.notes.slice(0, mostNotes).map((each) => cut(each, mostNote));
  const omitted = content.notes.length - notes.length;
  return {
    ...content,
    properties: Object.fromEntries(
      entries.map(([name, value]) => [cut(name, mostName), cut(value, mostValue)]),
    ),
    parts: content.parts.map((part) =>
      part.title === undefined ? part : { ...part, title: cut(part.title, mostTitle) },
    ),
    notes: [
      ...notes,
      ...(omitted === 0 ? [] : [`${counted(omitted, "more note")} left out`]),
      ...(note === undefined ? [] : [note]),
    ],
    images,
  };
}

/** Limits an error to one line, because it may contain names from the document. */
export function boundError({ code, message, hint }: ToolError): ToolError {
  const bounded = (text: string) => printableLine(cut(text, mostNote));
  return new ToolError(code, bounded(message), { hint: hint === undefined ? undefined : bounded(hint) });
}

const mostProperties = 100;
const mostName = 100;
const mostValue = 2000;
const mostTitle = 500;
const mostNotes = 100;
const mostNote = 4000;

/** The limits that models have for one result. */
const mostImageBytes = 10 * 1024 * 1024;
const mostImages = 20;

function boundImages(given: readonly ToolImage[]): {
  readonly images: readonly ToolImage[];
  readonly note?: string;
} {
  let left = mostImageBytes;
  const images: ToolImage[] = [];
  for (const image of given) {
    left -= image.base64.length * 0.75;
    if (left >= 0 && images.length < mostImages) images.push(image);
  }
  const missing = given.length - images.length;
  if (missing === 0) return { images };
  return {
    images,
    note: `${counted(missing, "picture is", "pictures are")} not shown: together they are too many or too large`,
  };
}

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, characterStart(text, most))}…` : text;
}
