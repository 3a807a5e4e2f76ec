import type * as mini from "zod/mini";
import { counted } from "../../lib/text/format-quantity.ts";
import { showPath } from "../../lib/text/printable.ts";
import type { FileListData } from "../../tools/file/list.ts";
import type { ListedEntry } from "../../tools/file/list-tree.ts";
import type { FileReadData } from "../../tools/file/read.ts";
import type { GrepData, GrepMatch } from "../../tools/search/grep.ts";
import type { DialectTool } from "../dialect.ts";
import { type Answer, rename } from "../rename.ts";
import { reshape } from "../reshape.ts";
import { isDocument } from "../shared/inputs.ts";
import type { Describing } from "../zod-mini.ts";

const maxLines = 2_000;

export const readFile: DialectTool = reshape(["file.read", "document.read"], {
  name: "read_file",
  summary:
    "Read a file: text, a picture, a PDF or another document. Shows up to 2000 lines of up to 2000 characters; name the " +
    "lines you need with start_line and end_line.",
  input: (z) =>
    z
      .strictObject({
        file_path: z.text("The file.", { min: 1 }),
        start_line: z.optionalInt("First line, counted from 1.", { min: 1 }),
        end_line: z.optionalInt("Last line, itself included.", { min: 1 }),
      })
      .check(
        z.refine(({ start_line: start = 1, end_line: end = start }) => end >= start, {
          error: "`end_line` comes before `start_line`",
        }),
      ),
  resolve: ({ file_path: path, start_line: start = 1, end_line: end = Number.POSITIVE_INFINITY }) =>
    isDocument(path)
      ? ["document.read", { path }]
      : [
          "file.read",
          { path, offset: start, limit: Math.min(end - start + 1, maxLines), line_numbers: false },
        ],
  fields: { offset: "start_line" },
  limits: { maxChars: 100_000, keep: "head" },
  answer: ({ data, text, continuation }, { end_line: end }) => {
    if (!("files" in data)) return { text, continuation };
    return { text: [...partOf(data, end), text].join("\n"), continuation: undefined };
  },
});

/** Which lines these are, when the file has more. */
function partOf({ files: [file] }: FileReadData, end: number | undefined): readonly string[] {
  if (file?.kind !== "text" || file.lines === 0) return [];
  const { firstLine, lines, totalLines, nextOffset } = file;
  const last = firstLine + lines - 1;
  if (nextOffset === undefined && firstLine === 1) return [];
  const total = totalLines === undefined ? "" : ` of ${totalLines}`;
  const isCut = nextOffset !== undefined && (end === undefined || end > last);
  return [`[Lines ${firstLine}-${last}${total}.${isCut ? ` Read on with start_line ${nextOffset}.` : ""}]`];
}

export const readManyFiles: DialectTool = reshape(["file.read"], {
  name: "read_many_files",
  summary: "Read several files at once, by paths and patterns: src/**/*.ts, docs/. At most 50.",
  input: (z) =>
    z.strictObject({
      include: z
        .array(z.string().check(z.minLength(1)))
        .check(
          z.minLength(1),
          z.maxLength(50),
          z.describe('Patterns or paths: ["src/**/*.ts", "README.md", "docs/"]'),
        ),
      exclude: z.optional(
        z
          .array(z.string().check(z.minLength(1)))
          .check(z.describe("Patterns of what to leave out: **/*.log")),
      ),
      recursive: z.optionalFlag("Whether a folder stands for all below it; true if not given."),
      useDefaultExcludes: z.optionalFlag("False: also what ignore files leave out; true if not given."),
      file_filtering_options: filtering(z),
    }),
  resolve: ({
    include,
    exclude,
    recursive = true,
    useDefaultExcludes = true,
    file_filtering_options: options,
  }) => [
    "file.read",
    {
      paths: include.map((path) => (path.endsWith("/") ? `${path}${recursive ? "**" : "*"}` : path)),
      exclude,
      no_ignore: !useDefaultExcludes || takesIgnored(options),
      line_numbers: false,
    },
  ],
  limits: { maxChars: 200_000, keep: "head" },
  answer: ({ data, continuation }) => ({
    text: [...data.files.flatMap(showFile), "--- End of content ---"].join("\n"),
    continuation,
  }),
});

function showFile(file: FileReadData["files"][number]): readonly string[] {
  const head = `--- ${showPath(file.path)} ---`;
  switch (file.kind) {
    case "text":
      return [head, file.text.replace(/\r?\n$/, "")];
    case "image":
      return [head, `[${file.mediaType}, ${counted(file.bytes, "byte")}]`];
    case "error":
      return [head, `[${file.message}]`];
  }
}

export const writeFile: DialectTool = rename("file.write", {
  name: "write_file",
  summary:
    "Write a whole file, with its directories; what was there is replaced. To change a part of a file use edit.replace.",
  fields: { path: "file_path" },
  only: ["path", "content"],
  describe: { content: "The complete content, without placeholders." },
});

export const replace: DialectTool = reshape(["edit.replace"], {
  name: "replace",
  summary:
    "Replace text in a file. `old_string` must be there exactly once, unless `allow_multiple` is given: copy it literally, " +
    "with enough around it.",
  input: (z) =>
    z.strictObject({
      file_path: z.text("The file."),
      instruction: z.text("What the change is for, in a sentence."),
      old_string: z.text("The text to replace, unescaped; empty only to fill an empty or new file."),
      new_string: z.text("The new text, complete and unescaped."),
      allow_multiple: z.optionalFlag("Replace every place; false if not given."),
    }),
  resolve: ({ file_path: path, old_string: find, new_string, allow_multiple: all }) => [
    "edit.replace",
    { path, find, replace: new_string, all },
  ],
  fields: { path: "file_path", find: "old_string", replace: "new_string", all: "allow_multiple" },
});

export const listDirectory: DialectTool = reshape(["file.list"], {
  name: "list_directory",
  summary: "List what is directly in a directory. To find files anywhere use search.glob.",
  input: (z) =>
    z.strictObject({
      dir_path: z.text("The directory: ."),
      ignore: z.optional(
        z.array(z.string().check(z.minLength(1))).check(z.describe("Patterns of what to leave out.")),
      ),
      file_filtering_options: filtering(z),
    }),
  resolve: ({ dir_path: path, ignore, file_filtering_options: options }) => [
    "file.list",
    { path, exclude: ignore, depth: 1, limit: 2_000, hidden: true, no_ignore: takesIgnored(options) },
  ],
  answer: ({ data }, { dir_path: path }) => ({ text: answerListing(data, path), continuation: undefined }),
});

/** Directories first. */
function answerListing({ root }: FileListData, path: string): string {
  const { entries = [], notShown, beyondLimit } = root;
  const left = [
    ...(notShown === 0 ? [] : [`(${notShown} ignored)`]),
    ...(beyondLimit === 0 ? [] : [`(${counted(beyondLimit, "more entry", "more entries")})`]),
  ];
  if (entries.length === 0) return [`Directory ${path} is empty.`, ...left].join("\n");
  const directories = entries.filter(({ kind }) => kind === "directory");
  const others = entries.filter(({ kind }) => kind !== "directory");
  return [`Directory listing for ${path}:`, ...[...directories, ...others].map(showEntry), ...left].join(
    "\n",
  );
}

function showEntry(entry: ListedEntry): string {
  const name = showPath(entry.name);
  switch (entry.kind) {
    case "directory":
      return `[DIR] ${name}`;
    case "link":
      return "path" in entry.target
        ? `${name} -> ${entry.target.path}`
        : `${name} (a link that leads nowhere)`;
    default:
      return entry.bytes === undefined ? name : `${name} (${counted(entry.bytes, "byte")})`;
  }
}

const usualMatches = 100;

interface GrepGiven {
  readonly pattern: string;
  readonly dir_path?: string | undefined;
  readonly include_pattern?: string | undefined;
  readonly total_max_matches?: number | undefined;
}

export const grepSearch: DialectTool = reshape(["search.grep"], {
  name: "grep_search",
  summary:
    "Search the content of files with a regular expression, as ripgrep reads it; case is ignored, unless told otherwise. " +
    "Shows 100 matches if not told otherwise.",
  input: (z) => {
    const lines = (description: string) => z.optionalInt(description, { min: 0, max: 1000 });
    const most = (description: string) => z.optionalInt(description, { min: 1, max: 100_000 });
    return z.strictObject({
      pattern: z.text("The expression: \\bMatchMe\\b"),
      dir_path: z.optionalText("Directory or file; the workspace if not given."),
      include_pattern: z.optionalText("Only files like this: *.ts, src/**"),
      exclude_pattern: z.optionalText("An expression: lines that match it, too, are left out."),
      names_only: z.optionalFlag("Only the files with matches."),
      case_sensitive: z.optionalFlag("false if not given."),
      fixed_strings: z.optionalFlag("Take the pattern as plain text."),
      context: lines("Lines around each match."),
      after: lines("Lines after each match."),
      before: lines("Lines before each match."),
      no_ignore: z.optionalFlag("Also what ignore files leave out."),
      max_matches_per_file: most("Most matches of one file."),
      total_max_matches: most("Most matches in all; 100 if not given."),
    });
  },
  resolve: ({ pattern, dir_path: path, include_pattern: glob, exclude_pattern: exclude, ...given }) => [
    "search.grep",
    {
      pattern,
      path,
      glob,
      exclude,
      mode: given.names_only ? ("files" as const) : ("content" as const),
      ignore_case: !given.case_sensitive,
      literal: given.fixed_strings,
      context: given.context,
      after: given.after,
      before: given.before,
      no_ignore: given.no_ignore,
      max_per_file: given.max_matches_per_file,
      limit: given.total_max_matches ?? usualMatches,
    },
  ],
  limits: { maxChars: 40_000, keep: "head" },
  answer: ({ data, text }, given) => answerGrep(data, text, given),
});

function answerGrep(data: GrepData, text: string, given: GrepGiven): Answer {
  if (data.binary !== undefined) return { text, continuation: undefined };
  const { mode, matches, files, limited } = data;
  const place = given.dir_path === undefined ? "in the workspace" : `in ${given.dir_path}`;
  const filter = given.include_pattern === undefined ? "" : ` (filter: "${given.include_pattern}")`;
  const of = `for pattern "${given.pattern}" ${place}${filter}`;
  const notes = text
    .split("\n")
    .filter((line) => /^\[(?:could not|\d+ files? that|searched only|too large)/.test(line));
  const end = {
    continuation: limited ? "There are more: narrow the search, or raise total_max_matches." : undefined,
  };
  if (files.length === 0) return { text: [`No matches found ${of}.`, ...notes].join("\n"), ...end };
  if (mode === "files")
    return {
      text: [
        `Found ${files.length} ${plural(files.length, "file")} with matches ${of}:`,
        ...files.map(({ path }) => showPath(path)),
        ...notes,
      ].join("\n"),
      ...end,
    };
  const groups = Map.groupBy(matches, ({ path }) => path);
  const shown = [...groups].flatMap(([path, group]) => [`File: ${showPath(path)}`, ...linesOf(group), "---"]);
  return {
    text: [
      `Found ${matches.length} ${plural(matches.length, "match")} ${of}:`,
      "---",
      ...shown.slice(0, -1),
      ...notes,
    ].join("\n"),
    ...end,
  };
}

function plural(count: number, word: "file" | "match"): string {
  if (count === 1) return word;
  return word === "match" ? "matches" : "files";
}

/** `L12: text` for matching lines, `L11- text` for context, each once. */
function linesOf(matches: readonly GrepMatch[]): readonly string[] {
  const shown = new Map<number, string>();
  for (const { line, before = [], after = [] } of matches) {
    before.forEach((text, index) => void shown.set(line - before.length + index, `- ${text}`));
    after.forEach((text, index) => void shown.set(line + 1 + index, `- ${text}`));
  }
  for (const { line, text } of matches) shown.set(line, `: ${text}`);
  return [...shown].sort(([one], [other]) => one - other).map(([line, text]) => `L${line}${text}`);
}

export const glob: DialectTool = reshape(["search.glob"], {
  name: "glob",
  summary: "Find files by name, newest first: src/**/*.ts, **/*.md. To find text in files use search.grep.",
  input: (z) =>
    z.strictObject({
      pattern: z.text("Name pattern.", { min: 1 }),
      dir_path: z.optionalText("Directory; the workspace if not given."),
      case_sensitive: z.optionalFlag("false if not given."),
      ...filteringFields(z),
    }),
  resolve: ({ pattern, dir_path: path, case_sensitive, ...given }) => [
    "search.glob",
    { pattern, path, ignore_case: !case_sensitive, hidden: true, no_ignore: takesIgnored(given) },
  ],
  answer: ({ data: { files, total, limited } }, { pattern, dir_path: path = "the workspace" }) => ({
    text:
      total === 0
        ? `No files found matching pattern "${pattern}" within ${path}`
        : [
            `Found ${total} file(s) matching "${pattern}" within ${path}, newest first:`,
            ...files.map((file) => showPath(file.path)),
          ].join("\n"),
    continuation: limited ? `${files.length} of them are shown: narrow the pattern.` : undefined,
  }),
});

interface Filtering {
  readonly respect_git_ignore?: boolean | undefined;
  readonly respect_gemini_ignore?: boolean | undefined;
}

function filtering(z: Describing): mini.ZodMiniOptional<mini.ZodMiniType<Filtering>> {
  return z.optional(z.strictObject(filteringFields(z)).check(z.describe("Which ignore files count.")));
}

function filteringFields(z: Describing): Record<keyof Filtering, mini.ZodMiniOptional<mini.ZodMiniBoolean>> {
  return {
    respect_git_ignore: z.optionalFlag("False: also what .gitignore leaves out; true if not given."),
    respect_gemini_ignore: z.optionalFlag("Makes no difference: .geminiignore is not read."),
  };
}

function takesIgnored(options: Filtering | undefined): boolean {
  return options?.respect_git_ignore === false;
}
