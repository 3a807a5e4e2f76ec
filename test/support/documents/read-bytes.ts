import type { DocumentContent, DocumentWanted } from "../../../src/contract/document.ts";
import { ToolError } from "../../../src/contract/error.ts";
import { Budget, type Limits } from "../../../src/documents/budget.ts";
import { readDocument } from "../../../src/documents/read-document.ts";

/** Reads a document in this process, without a worker. Detects the format as usual. */
export function readBytes(
  name: string,
  bytes: Uint8Array | string,
  wanted: Partial<DocumentWanted> & { readonly mediaType?: string } = {},
  limits: Partial<Limits> = {},
): Promise<DocumentContent> {
  const { mediaType, ...asked } = wanted;
  return readDocument(
    { name, bytes: Buffer.from(bytes), mediaType },
    { maxChars: 40_000, ...asked },
    { budget: new Budget(name, limits), signal: new AbortController().signal, progress: () => {} },
  );
}

/** Returns the code and message of its ToolError. */
export async function failureOf(reading: Promise<unknown>): Promise<readonly [string, string]> {
  try {
    await reading;
  } catch (error) {
    if (error instanceof ToolError) return [error.code, error.message];
    throw error;
  }
  throw new Error("It did not fail");
}
