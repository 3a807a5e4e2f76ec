import type { DocumentContent, DocumentSource, DocumentWanted } from "../contract/document.ts";
import { ToolError } from "../contract/error.ts";
import { byteOrderMarkLength, decodeText, detectEncoding, detectionBytes } from "../lib/text/encoding.ts";
import type { Budget } from "./budget.ts";

/**
 * Reads one format. Pure: bytes in, words out, without a file or a network; it may take as long as it needs, because what
 * it runs in is ended at the deadline. Throws ToolError: `unsupported` for what is damaged or encrypted, `too-large` where
 * its budget ends, `not-found` for a part that is not there. What it leaves out is in `next` or in `notes`.
 */
export type DocumentReader = (
  source: DocumentSource,
  wanted: DocumentWanted,
  context: ReadingContext,
) => ReaderContent | Promise<ReaderContent>;

/** What a reader leaves out is none: no notes, no images, no parts, nothing that follows. */
export type ReaderContent = Pick<DocumentContent, "format" | "description" | "properties"> &
  Partial<DocumentContent>;

export interface ReadingContext {
  /** Count output here before keeping it: throws `too-large`. */
  readonly budget: Budget;
  readonly signal: AbortSignal;
  /** Reports progress for work that can take longer than a second: "page 40 of 120". */
  progress(message: string): void;
}

/** What is no whole document of its format. `why`: "its directory is missing". */
export function damaged(name: string, why: string): ToolError {
  return new ToolError("unsupported", `${name} is damaged: ${why}`, {
    hint: "Get the file again, or open it in the program that made it and save it anew.",
  });
}

/** `how` is the program's way to take the password off, if there is a usual one. */
export function encrypted(name: string, how = "Save it without a password"): ToolError {
  return new ToolError("unsupported", `${name} is encrypted: it cannot be read without its password`, {
    hint: `${how}, and read that.`,
  });
}

/** Bytes as text, in whichever encoding of file.read they are; undefined for what is none. */
export function textOf(bytes: Uint8Array): string | undefined {
  const head = bytes.subarray(0, detectionBytes);
  const encoding = detectEncoding(head, { complete: head.length === bytes.length });
  if (encoding === "binary") return undefined;
  return decodeText(bytes.subarray(byteOrderMarkLength(head)), encoding).text;
}
