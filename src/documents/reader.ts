import type { DocumentContent, DocumentSource, DocumentWanted } from "../contract/document.ts";
import type { Budget } from "./budget.ts";

/**
 * Reads one format. Pure: bytes in, words out, without a file or a network; it may take as long as it needs, because what
 * it runs in is ended at the deadline. Throws ToolError: `unsupported` for what is damaged or encrypted, `too-large` where
 * its budget ends, `not-found` for a part that is not there. What it leaves out is in `next` or in `notes`.
 */
export type DocumentReader = (
  source: DocumentSource,
  wanted: DocumentWanted,
  desk: Desk,
) => DocumentContent | Promise<DocumentContent>;

/** What a reader works with. */
export interface Desk {
  /** Tell it what is produced before it is kept: it throws `too-large`. */
  readonly budget: Budget;
  readonly signal: AbortSignal;
  /** Told how far it is, for what can take longer than a second: "page 40 of 120". */
  progress(message: string): void;
}
