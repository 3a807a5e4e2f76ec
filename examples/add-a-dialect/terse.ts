import type { Dialect } from "../../src/dialects/dialect.ts";
import { renameTool } from "../../src/dialects/rename.ts";

/** Unix names for a model that was trained on them. */
export const terseDialect: Dialect = {
  name: "terse",
  tools: [
    renameTool("file.read", {
      name: "cat",
      description: "Read a text file by lines.",
      fields: { path: "file" },
      require: ["path"],
      only: ["path", "offset", "limit", "line_numbers"],
      defaults: { line_numbers: false },
    }),
    renameTool("search.grep", { name: "grep", fields: { path: "in" } }),
    renameTool("file.delete", { name: "rm", description: "Remove a file.", only: ["path"] }),
  ],
};
