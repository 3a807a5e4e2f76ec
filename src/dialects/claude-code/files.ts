import { ToolError } from "../../contract/error.ts";
import type { OutputLimits } from "../../contract/tool.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { showPath } from "../../lib/text/printable.ts";
import type { GrepData, GrepMatch } from "../../tools/search/grep.ts";
import type { DialectTool } from "../dialect.ts";
import { type Answer, type InputOf, renameTool } from "../rename.ts";
import { reshapeTool } from "../reshape.ts";
import { isDocument } from "../shared/inputs.ts";
import { continuationOf, remarksIn } from "../shared/outputs.ts";

export const read: DialectTool = reshapeTool(["file.read", "document.read"], {
  name: "Read",
  description:
    "Read a file: text with line numbers in the format of `cat -n`, images, PDF, Jupyter notebooks. Reads the first 2000 lines, " +
    "unless `offset` and `limit` are given. To list a directory use Bash with ls.",
  input: (z) =>
    z.strictObject({
      file_path: z.text("Absolute path."),
      offset: z.optionalInt("First line. Default: 1.", { min: 0 }),
      limit: z.optionalInt("Number of lines. Default: 2000.", { min: 1 }),
      pages: z.optional(
        z
          .string()
          .check(
            z.regex(/^\d+(?:-\d+)?$/, { error: '`pages` must be like "3" or "1-5"' }),
            z.describe('Pages of a PDF: "3" or "1-5", at most 20.'),
          ),
      ),
      allow_large: z.optionalFlag("Show more of a large file."),
    }),
  resolve: ({ file_path: path, offset, limit, pages, allow_large: isLarge }) =>
    isDocument(path) || pages !== undefined
      ? ["document.read", { path, part: pages === undefined ? undefined : partOf(pages) }]
      : ["file.read", { path, offset: Math.max(offset ?? 1, 1), limit: limit ?? (isLarge ? 20_000 : 2_000) }],
  limits: ({ allow_large: isLarge }): OutputLimits => ({
    maxChars: isLarge ? 400_000 : 50_000,
    maxLineChars: 2_020,
    keep: "both",
  }),
  answer: ({ data, text, continuation }) =>
    "files" in data
      ? { text: asCat(text), continuation: continuationOf(data, (line) => `offset ${line}`).continuation }
      : { text, continuation },
});

const maxPages = 20;

function partOf(pages: string): string {
  const [first = 0, last = first] = pages.split("-").map(Number);
  if (last - first >= maxPages)
    throw new ToolError("invalid-input", `${pages} is more than ${counted(maxPages, "page")}`, {
      hint: "Read them in several calls.",
    });
  return first === last ? `page ${first}` : `pages ${first}-${last}`;
}

/** Replaces the `N | ` before a line with the format of `cat -n`. */
function asCat(text: string): string {
  return text
    .split("\n")
    .map((line) => line.replace(/^(\d+) \| /, (_, number: string) => `${number.padStart(6)}\t`))
    .join("\n");
}

export const write: DialectTool = renameTool("file.write", {
  name: "Write",
  description:
    "Create a file, with its directories, or replace a whole file. To change a part of a file use edit.replace.",
  fields: { path: "file_path" },
  describe: { path: "Absolute path.", content: "The complete new content." },
  only: ["path", "content"],
  answer: ({ data: { created, changed }, text }, { file_path: path }) => {
    if (!changed) return text;
    return created
      ? `File created successfully at: ${path}`
      : `The file ${path} has been updated successfully.`;
  },
});

export const edit: DialectTool = renameTool("edit.replace", {
  name: "Edit",
  description:
    "Replace text in a file. `old_string` must occur exactly once, unless `replace_all` is set: copy it from the file without line " +
    "numbers, with enough context.",
  fields: { path: "file_path", find: "old_string", replace: "new_string", all: "replace_all" },
  describe: {
    path: "Absolute path.",
    find: "Text to replace. Empty only for a new or empty file.",
    replace: "New text, different from `old_string`.",
  },
  only: ["path", "find", "replace", "all"],
  require: ["find", "replace"],
});

export const glob: DialectTool = renameTool("search.glob", {
  name: "Glob",
  description:
    "Find files by name, newest first: **/*.ts, src/**/*.{js,jsx}. To find text in files use search.grep.",
  describe: { pattern: "Glob pattern.", path: "Directory. Default: the workspace." },
  only: ["pattern", "path"],
  defaults: { hidden: true, limit: 100 },
  answer: ({ data: { files, limited } }) => ({
    text: files.map((file) => showPath(file.path)).join("\n") || "No files found",
    continuation: limited ? "Results are truncated: use a more specific path or pattern." : undefined,
  }),
});

export const notebookEdit: DialectTool = reshapeTool(["notebook.edit"], {
  name: "NotebookEdit",
  description: "Replace, insert or delete a cell of a Jupyter notebook. To see its cells use file.read.",
  input: (z) =>
    z.strictObject({
      notebook_path: z.text("Absolute path."),
      cell_id: z.optionalText(
        "ID or number of the cell. A new cell comes after it. Default: at the beginning.",
      ),
      new_source: z.text("The complete new source of the cell."),
      cell_type: z.optional(
        z.enum(["code", "markdown"]).check(z.describe("Required for insert. Default: unchanged.")),
      ),
      edit_mode: z.optional(z.enum(["replace", "insert", "delete"]).check(z.describe("Default: replace."))),
    }),
  resolve: ({
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

const modes = { content: "content", files_with_matches: "files", count: "count" } as const;

const usualLimit = 250;
const noLimit = 100_000;

interface Given {
  readonly output_mode?: keyof typeof modes | undefined;
  readonly "-n"?: boolean | undefined;
  readonly head_limit?: number | undefined;
  readonly offset?: number | undefined;
}

export const grep: DialectTool = reshapeTool(["search.grep"], {
  name: "Grep",
  description:
    "Search file contents with a ripgrep regular expression. Skips ignored files. Use this instead of grep or rg in Bash.",
  input: (z) => {
    const lines = (description: string) => z.optionalInt(description, { min: 0 });
    return z.strictObject({
      pattern: z.text("Regular expression, e.g. log.*Error, function\\s+\\w+, interface\\{\\}"),
      path: z.optionalText("File or directory. Default: the workspace."),
      glob: z.optionalText("Only files that match, e.g. *.{ts,tsx}"),
      output_mode: z.optional(
        z
          .enum(["content", "files_with_matches", "count"])
          .check(
            z.describe(
              "Matching lines, files with matches (default), or counts. Options marked content need that mode.",
            ),
          ),
      ),
      "-B": lines("content: lines before each match."),
      "-A": lines("content: lines after each match."),
      "-C": lines("Alias of context."),
      context: lines("content: lines before and after each match."),
      "-n": z.optionalFlag("content: line numbers. Default: true."),
      "-i": z.optionalFlag("Ignore case."),
      "-o": z.optionalFlag("content: only the matching parts, one per line."),
      type: z.optionalText("Only files of this type, e.g. js, py, rust."),
      head_limit: z.optionalInt("Maximum number of lines or entries. Default: 250; 0 for all.", { min: 0 }),
      offset: z.optionalInt("Lines or entries to skip. Default: 0.", { min: 0 }),
      multiline: z.optionalFlag("Patterns can span lines, and . matches newlines. Default: false."),
    });
  },
  resolve: ({ pattern, path, glob, type, multiline, output_mode: mode = "files_with_matches", ...given }) => {
    const { "-A": after, "-B": before, "-C": around, "-i": ignore_case, "-o": only_matching } = given;
    return [
      "search.grep",
      {
        pattern: multiline ? `(?s)${pattern}` : pattern,
        path,
        glob,
        type,
        multiline,
        mode: modes[mode],
        ignore_case,
        hidden: true,
        // One more than is shown is requested, to know whether there are more.
        limit: Math.min((given.offset ?? 0) + limitOf(given) + 1, noLimit),
        ...(mode === "content" && { only_matching, context: given.context ?? around, before, after }),
      },
    ];
  },
  limits: { maxChars: 20_000, keep: "head" },
  answer: ({ data, text }, given) => answerGrep(data, text, given),
});

function limitOf({ head_limit: limit = usualLimit }: Given): number {
  return limit === 0 ? noLimit : limit;
}

function answerGrep(data: GrepData, text: string, given: Given): Answer {
  if (data.binary !== undefined) return { text, continuation: undefined };
  const all = entriesOf(data, given);
  const { offset = 0 } = given;
  const shown = all.slice(offset, offset + limitOf(given));
  const hasMore = data.limited || offset + shown.length < all.length;
  const notes = remarksIn(text, data);
  return {
    text: [...headOf(data, all, shown), ...shown, ...notes].join("\n"),
    continuation: hasMore ? `There are more results: use offset ${offset + shown.length}.` : undefined,
  };
}

function headOf({ mode }: GrepData, all: readonly string[], shown: readonly string[]): readonly string[] {
  if (all.length === 0) return [mode === "files" ? "No files found" : "No matches found"];
  if (shown.length === 0) return [`No results after the offset: there are ${all.length}.`];
  return mode === "files" ? [`Found ${counted(shown.length, "file")}`] : [];
}

function entriesOf(data: GrepData, given: Given): readonly string[] {
  switch (data.mode) {
    case "files":
      return data.files.map(({ path }) => showPath(path));
    case "count":
      return data.files.map(({ path, count }) => `${showPath(path)}:${count}`);
    case "content":
      return [...linesOf(data.matches, { numbered: given["-n"] ?? true })];
  }
}

/** Yields matches as ripgrep prints them, with "--" where lines are left out between matches with context. */
function* linesOf(
  matches: readonly GrepMatch[],
  { numbered }: { readonly numbered: boolean },
): Generator<string> {
  const isMatch = new Set(matches.map(({ path, line }) => `${path}\0${line}`));
  let last = { path: "", line: 0 };
  for (const { path, line, text, before, after } of matches) {
    const hasContext = before !== undefined || after !== undefined;
    const around = [
      ...(before ?? []).map((each, index, { length }) => ({ line: line - length + index, text: each })),
      { line, text },
      ...(after ?? []).map((each, index) => ({ line: line + 1 + index, text: each })),
    ];
    for (const each of around) {
      const isShown = last.path === path && each.line <= last.line && each.line !== line;
      const comesLater = each.line > line && isMatch.has(`${path}\0${each.line}`);
      if (isShown || comesLater) continue;
      if (hasContext && last.line > 0 && (last.path !== path || each.line > last.line + 1)) yield "--";
      const mark = each.line === line ? ":" : "-";
      yield numbered
        ? `${showPath(path)}${mark}${each.line}${mark}${each.text}`
        : `${showPath(path)}${mark}${each.text}`;
      last = { path, line: each.line };
    }
  }
}
