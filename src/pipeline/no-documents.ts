import type { Documents } from "../contract/document.ts";
import { ToolError } from "../contract/error.ts";

/** Where nobody reads documents. */
export const noDocuments: Documents = {
  read: async () => {
    throw new ToolError("unavailable", "Documents cannot be read here", {
      hint: "Open the tools with openToolcrib.",
    });
  },
};
