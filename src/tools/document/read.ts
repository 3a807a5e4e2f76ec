import * as z from "zod/mini";
import type { ToolAccess } from "../../contract/access.ts";
import type { DocumentContent } from "../../contract/document.ts";
import { errorWith, ToolError } from "../../contract/error.ts";
import type { Tool, ToolContext } from "../../contract/tool.ts";
import { splitAnchor } from "../../documents/anchors.ts";
import { amount, flag, string } from "../fields.ts";
import { describeNext, showDocument } from "./show-document.ts";

/** The content of a document, without its images, which are in the images of the output. */
export interface DocumentReadData extends Omit<DocumentContent, "images"> {
  readonly path: string;
}

const limits = { maxChars: 200_000, keep: "head" } as const;

const input = z.strictObject({
  path: z.string().check(z.describe("Path or out_... handle.")),
  part: string('Read only "page 3", "pages 2-5", "Sheet1!A1:D20", "slide 2" or "entry a/b.txt".'),
  max_chars: amount(1, 20_000_000, "Default 40000."),
  images: flag("Include images of the part."),
});

export type DocumentReadInput = z.infer<typeof input>;

export const documentRead: Tool<DocumentReadInput, DocumentReadData> = {
  name: "document.read",
  description:
    "Read PDF, Word, Excel, PowerPoint, OpenDocument, EPUB, RTF, CSV, HTML, notebooks and images, or list an archive. For text and code use file.read.",
  risk: "read",
  input,
  limits,
  accesses: ({ path, part }) => [{ kind: "read", path }, ...entryOf(path, part)],

  async run({ path, part, max_chars: maxChars = 40_000, images }, context) {
    const { signal } = context;
    const { images: pictures, ...content } = await context.documents.read(
      { name: path, load: () => readBytes(path, context) },
      { part, maxChars, images },
      { signal, progress: (message) => context.progress(message) },
    );
    const { next } = content;
    const text = showDocument(path, content, context);
    return {
      data: { path, ...content },
      text,
      continuation: next === undefined ? undefined : describeNext(next, text, limits.maxChars),
      images: pictures.length === 0 ? undefined : pictures,
    };
  },
};

/** Returns the access to an archive entry. Its name decides whether it may be read, as if the archive were a folder. */
function entryOf(path: string, part = ""): readonly ToolAccess[] {
  const { anchor = "" } = splitAnchor(part);
  if (/^(?:\p{L}+\s+)?\d+\s*(?:(?:-|–|to|\.\.)\s*\d*)?$/u.test(anchor)) return [];
  const names = anchor.replace(/^entry\s+/i, "").split(/[/\\]/);
  const inside = names.filter((name) => !["", ".", ".."].includes(name));
  return inside.length === 0 ? [] : [{ kind: "read", path: [path, ...inside].join("/") }];
}

const maxBytes = 256_000_000;

async function readBytes(path: string, { environment, signal }: ToolContext): Promise<Uint8Array> {
  try {
    return (await environment.readFile(path, { maxBytes, signal })).bytes;
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    if (error.code === "too-large")
      throw errorWith(error, {
        hint: "Read text in pieces with file.read or search.grep; extract a part of other formats with shell.run.",
        forUser: { hint: "Extract a part of it first." },
      });
    const info =
      error.code === "unsupported" ? await environment.info(path).catch(() => undefined) : undefined;
    if (info?.kind !== "directory") throw error;
    throw new ToolError("unsupported", `${path} is a directory, not a document`, {
      hint: "List it with file.list, then read a file in it.",
      details: { kind: "read-directory" },
    });
  }
}
