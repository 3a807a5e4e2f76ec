import type { Documents } from "../contract/document.ts";
import { ToolError } from "../contract/error.ts";

export interface OpenDocuments extends Documents {
  /** Ends what reads. */
  close(): Promise<void>;
}

/** The reading of documents. What does the work runs beside us, and is started by the first question. */
export function openDocuments(): OpenDocuments {
  return {
    read: async ({ name }) => {
      throw new ToolError("unsupported", `${name} is no document that can be read`);
    },
    close: async () => {},
  };
}
