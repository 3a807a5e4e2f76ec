import { ToolError } from "../../contract/error.ts";
import type { OutputLimits } from "../../contract/tool.ts";
import { counted } from "../../lib/counted.ts";
import { showPath } from "../../lib/show-path.ts";
import type { DialectTool } from "../dialect.ts";
import { type InputOf, rename } from "../rename.ts";
import { reshape } from "../reshape.ts";
import { howToReadOn } from "../shared/how-to-read-on.ts";
import { isDocument } from "../shared/is-document.ts";

export const read: DialectTool = reshape(["file.read", "document.read"], {
  name: "Read",
  summary:
    "Read a file: text with line numbers as `cat -n` gives them, pictures, PDF, Jupyter notebooks. Up to 2000 lines from " +
    "the beginning, unless `offset` and `limit` are given. For directories use Bash with ls.",
  input: (z) =>
    z.strictObject({
      file_path: z.string().check(z.describe("Its absolute path.")),
      offset: z.optional(z.int().check(z.minimum(0), z.describe("First line; 1 if not given."))),
      limit: z.optional(z.int().check(z.minimum(1), z.describe("How many lines; 2000 if not given."))),
      pages: z.optional(
        z
          .string()
          .check(
            z.regex(/^\d+(?:-\d+)?$/, { error: 'pages are given as "3" or "1-5"' }),
            z.describe('Of a PDF: "3" or "1-5", at most 20.'),
          ),
      ),
      allow_large: z.optional(z.boolean().check(z.describe("Show more than usual of a large file."))),
    }),
  means: ({ file_path: path, offset, limit, pages, allow_large: isLarge }) =>
    isDocument(path) || pages !== undefined
      ? ["document.read", { path, ...(pages !== undefined && { part: partOf(pages) }) }]
      : ["file.read", { path, offset: Math.max(offset ?? 1, 1), limit: limit ?? (isLarge ? 20_000 : 2_000) }],
  limits: ({ allow_large: isLarge }): OutputLimits => ({
    maxChars: isLarge ? 400_000 : 50_000,
    keep: "both",
  }),
  answer: ({ data, text, continuation }) =>
    "files" in data
      ? { text: asCat(text), continuation: howToReadOn(data, (line) => `offset ${line}`).continuation }
      : { text, continuation },
});

const maxPages = 20;

function partOf(pages: string): string {
  const [first = 0, last = first] = pages.split("-").map(Number);
  if (last - first >= maxPages)
    throw new ToolError("invalid-input", `${pages} are more than ${counted(maxPages, "page")}`, {
      hint: "Read them in several calls.",
    });
  return first === last ? `page ${first}` : `pages ${first}-${last}`;
}

/** `N | ` before a line becomes what cat puts there. */
function asCat(text: string): string {
  return text
    .split("\n")
    .map((line) => line.replace(/^(\d+) \| /, (_, number: string) => `${number.padStart(6)}\t`))
    .join("\n");
}

export const write: DialectTool = rename("file.write", {
  name: "Write",
  summary:
    "Create a file, with its directories, or replace a whole file. To change a part of a file use edit.replace.",
  fields: { path: "file_path" },
  describe: { path: "Its absolute path.", content: "The whole new content." },
  only: ["path", "content"],
  answer: ({ data: { created, changed }, text }, { file_path: path }) => {
    if (!changed) return text;
    return created
      ? `File created successfully at: ${path}`
      : `The file ${path} has been updated successfully.`;
  },
});

export const edit: DialectTool = rename("edit.replace", {
  name: "Edit",
  summary:
    "Replace text in a file. `old_string` must be there exactly once, unless `replace_all` is given: copy it from the file " +
    "without line numbers, with enough around it.",
  fields: { path: "file_path", find: "old_string", replace: "new_string", all: "replace_all" },
  describe: {
    path: "Its absolute path.",
    find: "The text to replace; empty only to fill an empty or new file.",
    replace: "The new text, another than `old_string`.",
  },
  only: ["path", "find", "replace", "all"],
  require: ["find", "replace"],
});

export const glob: DialectTool = reshape(["search.glob"], {
  name: "Glob",
  summary:
    "Find files by name, newest first: **/*.ts, src/**/*.{js,jsx}. To find text in files use search.grep.",
  input: (z) =>
    z.strictObject({
      pattern: z.string().check(z.minLength(1), z.describe("Name pattern.")),
      path: z.optional(z.string().check(z.describe("Directory; leave it out for the workspace."))),
    }),
  means: (given) => ["search.glob", { ...given, hidden: true, limit: maxFiles }],
  answer: ({ data: { files, limited } }) => ({
    text: files.map((file) => showPath(file.path)).join("\n") || "No files found",
    continuation: limited ? "Results are truncated: use a more specific path or pattern." : undefined,
  }),
});

const maxFiles = 100;

export const notebookEdit: DialectTool = reshape(["notebook.edit"], {
  name: "NotebookEdit",
  summary: "Replace, insert or delete one cell of a Jupyter notebook. See its cells with file.read.",
  input: (z) =>
    z.strictObject({
      notebook_path: z.string().check(z.describe("Its absolute path.")),
      cell_id: z.optional(
        z
          .string()
          .check(
            z.describe(
              "Id or number of the cell; the new one comes after it, at the beginning if not given.",
            ),
          ),
      ),
      new_source: z.string().check(z.describe("The whole new source of the cell.")),
      cell_type: z.optional(
        z.enum(["code", "markdown"]).check(z.describe("As it is if not given; needed for insert.")),
      ),
      edit_mode: z.optional(
        z.enum(["replace", "insert", "delete"]).check(z.describe("replace if not given.")),
      ),
    }),
  means: ({
    notebook_path: path,
    cell_id: cell,
    new_source: source,
    cell_type,
    edit_mode: mode = "replace",
  }) => {
    const insert = cell === undefined ? "insert_before" : "insert_after";
    const operation: InputOf<"notebook.edit">["operation"] = mode === "insert" ? insert : mode;
    const content = mode === "delete" ? {} : { source, cell_type };
    return ["notebook.edit", { path, operation, cell, ...content }];
  },
});
