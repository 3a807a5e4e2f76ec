import type { Reading } from "../../contract/code.ts";
import type { DocumentContent, DocumentSource, DocumentWanted } from "../../contract/document.ts";
import type { Channel } from "../../workers/channel.ts";
import { Budget } from "../budget.ts";
import { readDocument } from "../read-document.ts";

/** The requests that a document worker answers. */
export interface DocumentService {
  read(request: DocumentRequest, options: Reading): Promise<DocumentContent>;
}

interface DocumentRequest {
  /** Identifies the request in progress messages. */
  readonly asked: number;
  readonly source: DocumentSource;
  readonly wanted: DocumentWanted;
}

/** The requests that a document worker makes. */
export interface DocumentAsks {
  progress(report: { readonly asked: number; readonly message: string }, options: Reading): Promise<void>;
}

export function documentService(parent: Channel<DocumentAsks>): DocumentService {
  return {
    read: ({ asked, source, wanted }, { signal }) =>
      readDocument(source, wanted, {
        budget: new Budget(source.name),
        signal,
        progress: (message) => {
          parent.ask("progress", { asked, message }, { signal }).catch(() => {});
        },
      }),
  };
}
