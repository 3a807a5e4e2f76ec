import type { Reading } from "../../contract/code.ts";
import type { DocumentContent, DocumentSource, DocumentWanted } from "../../contract/document.ts";
import type { Channel } from "../../workers/channel.ts";
import { Budget } from "../budget.ts";
import { readDocument } from "../read-document.ts";

/** What a worker is asked that reads documents. */
export interface DocumentService {
  read(request: DocumentRequest, options: Reading): Promise<DocumentContent>;
}

interface DocumentRequest {
  /** For telling how far it is. */
  readonly asked: number;
  readonly source: DocumentSource;
  readonly wanted: DocumentWanted;
}

/** What it asks itself. */
export interface DocumentAsks {
  progress(told: { readonly asked: number; readonly message: string }, options: Reading): Promise<void>;
}

export function documentService(starter: Channel<DocumentAsks>): DocumentService {
  return {
    read: ({ asked, source, wanted }, { signal }) =>
      readDocument(source, wanted, {
        budget: new Budget(source.name),
        signal,
        progress: (message) => {
          starter.ask("progress", { asked, message }, { signal }).catch(() => {});
        },
      }),
  };
}
