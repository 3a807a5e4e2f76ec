import type { DocumentContent, DocumentSource, DocumentWanted } from "../contract/document.ts";
import { ToolError } from "../contract/error.ts";
import { byteOrderMarkLength, decodeText, detectEncoding, detectionBytes } from "../lib/text/encoding.ts";
import type { Budget } from "./budget.ts";

/**
 * Reads one format, without files or network. It need not watch the time, because its worker is stopped at the
 * deadline. Throws ToolError: `unsupported` for a damaged or encrypted document, `too-large` at the end of its budget,
 * `not-found` for an unknown part. `next` and `notes` describe the omitted content.
 */
export type DocumentReader = (
  source: DocumentSource,
  wanted: DocumentWanted,
  context: ReadingContext,
) => ReaderContent | Promise<ReaderContent>;

/** The result of a reader. Notes, images, parts and `next` may be missing. */
export type ReaderContent = Pick<DocumentContent, "format" | "description" | "properties"> &
  Partial<DocumentContent>;

export interface ReadingContext {
  /** Counts output before it is stored. Throws `too-large`. */
  readonly budget: Budget;
  readonly signal: AbortSignal;
  /** Reports progress for work that can take longer than a second: "page 40 of 120". */
  progress(message: string): void;
}

/** Makes the error for a damaged document. `why` is a clause: "its directory is missing". */
export function damaged(name: string, why: string): ToolError {
  return new ToolError("unsupported", `${name} is damaged: ${why}`, {
    hint: "Get the file again, or open it in its program and save it again.",
  });
}

export function encrypted(
  name: string,
  hint = "Save a copy without a password, and read the copy.",
): ToolError {
  return new ToolError("unsupported", `${name} is encrypted: it cannot be read without its password`, {
    hint,
  });
}

/** Decodes text in the encodings of file.read; undefined for binary data. */
export function textOf(bytes: Uint8Array): string | undefined {
  const head = bytes.subarray(0, detectionBytes);
  const encoding = detectEncoding(head, { complete: head.length === bytes.length });
  if (encoding === "binary") return undefined;
  return decodeText(bytes.subarray(byteOrderMarkLength(head)), encoding).text;
}
