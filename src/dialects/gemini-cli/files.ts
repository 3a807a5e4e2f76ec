import type { ListedEntry } from "../../contract/whole-operations.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { showPath } from "../../lib/text/printable.ts";
import type { FileListData } from "../../tools/file/list.ts";
import type { FileReadData } from "../../tools/file/read.ts";
import type { GrepData, GrepMatch } from "../../tools/search/grep.ts";
import type { DialectTool } from "../dialect.ts";
import { type Answer, renameTool } from "../rename.ts";
import { reshapeTool } from "../reshape.ts";
import { isDocument } from "../shared/inputs.ts";
import { remarksIn } from "../shared/outputs.ts";
import type { Describing } from "../zod-mini.ts";

const maxLines = 2_000;

export const readFile: DialectTool = reshapeTool(["file.read", "document.read"], {
  name: "read_file",
  description:
    "Read a file: text, an image, a PDF or another document. Shows up to 2000 lines of up to 2000 characters. To read other lines " +
    "use start_line and end_line.",
  input: (z) =>
    z
      .strictObject({
        file_path: z.text("The file.", { min: 1 }),
        start_line: z.optionalInt("First line, starting at 1.", { min: 1 }),
        end_line: z.optionalInt("Last line, inclusive.", { min: 1 }),
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
  limits: { maxChars: 100_000, maxLineChars: 2_000, keep: "head" },
  answer: ({ data, text, continuation }, { end_line: end }) => {
    if (!("files" in data)) return { text, continuation };
    return { text: [...partOf(data, end), text].join("\n"), continuation: undefined };
  },
});

/** Says which lines are shown, when the file has more. */
function partOf({ files: [file] }: FileReadData, end: number | undefined): readonly string[] {
  if (file?.kind !== "text" || file.lines === 0) return [];
  const { firstLine, lines, totalLines, nextOffset } = file;
  const last = firstLine + lines - 1;
  if (nextOffset === undefined && firstLine === 1) return [];
  const total = totalLines === undefined ? "" : ` of ${totalLines}`;
  const isCut = nextOffset !== undefined && (end === undefined || end > last);
  return [`[Lines ${firstLine}-${last}${total}.${isCut ? ` Continue with start_line ${nextOffset}.` : ""}]`];
}

export const readManyFiles: DialectTool = reshapeTool(["file.read"], {
  name: "read_many_files",
  description: "Read several files at once, by path or glob pattern. At most 50.",
  input: (z) =>
    z.strictObject({
      include: z
        .array(z.string().check(z.minLength(1)))
        .check(
          z.minLength(1),
          z.maxLength(50),
          z.describe('Paths or patterns, e.g. ["src/**/*.ts", "README.md", "docs/"]'),
        ),
      exclude: z.optional(
        z.array(z.string().check(z.minLength(1))).check(z.describe("Patterns to exclude, e.g. **/*.log")),
      ),
      recursive: z.optionalFlag("Include subfolders. Default: true."),
      useDefaultExcludes: z.optionalFlag("Exclude ignored files. Default: true."),
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
  limits: { maxChars: 200_000, maxLineChars: 2_000, keep: "head" },
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

export const writeFile: DialectTool = renameTool("file.write", {
  name: "write_file",
  description:
    "Create a file, with its directories, or replace a whole file. To change a part of a file use edit.replace.",
  fields: { path: "file_path" },
  only: ["path", "content"],
  describe: { content: "The complete content, without placeholders." },
});

export const replace: DialectTool = reshapeTool(["edit.replace"], {
  name: "replace",
  description:
    "Replace text in a file. `old_string` must occur exactly once, unless `allow_multiple` is set: copy it literally, with enough " +
    "context.",
  input: (z) =>
    z.strictObject({
      file_path: z.text("The file."),
      instruction: z.text("Purpose of the change, in one sentence."),
      old_string: z.text("Text to replace, unescaped. Empty only for a new or empty file."),
      new_string: z.text("Complete new text, unescaped."),
      allow_multiple: z.optionalFlag("Replace all occurrences. Default: false."),
    }),
  resolve: ({ file_path: path, old_string: find, new_string, allow_multiple: all }) => [
    "edit.replace",
    { path, find, replace: new_string, all },
  ],
  fields: { path: "file_path", find: "old_string", replace: "new_string", all: "allow_multiple" },
});

export const listDirectory: DialectTool = reshapeTool(["file.list"], {
  name: "list_directory",
  description: "List the entries of a directory. To find files in subdirectories use search.glob.",
  input: (z) =>
    z.strictObject({
      dir_path: z.text("Directory, e.g. ."),
      ignore: z.optional(z.array(z.string().check(z.minLength(1))).check(z.describe("Patterns to exclude."))),
      file_filtering_options: filtering(z),
    }),
  resolve: ({ dir_path: path, ignore, file_filtering_options: options }) => [
    "file.list",
    { path, exclude: ignore, depth: 1, limit: 2_000, hidden: true, no_ignore: takesIgnored(options) },
  ],
  answer: ({ data }, { dir_path: path }) => ({ text: answerListing(data, path), continuation: undefined }),
});

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
      return "path" in entry.target ? `${name} -> ${entry.target.path}` : `${name} (broken link)`;
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

export const grepSearch: DialectTool = reshapeTool(["search.grep"], {
  name: "grep_search",
  description:
    "Search file contents with a ripgrep regular expression. Ignores case by default, and shows up to 100 matches by default.",
  input: (z) => {
    const lines = (description: string) => z.optionalInt(description, { min: 0 });
    const most = (description: string) => z.optionalInt(description, { min: 1 });
    return z.strictObject({
      pattern: z.text("Regular expression, e.g. \\bMatchMe\\b"),
      dir_path: z.optionalText("Directory or file. Default: the workspace."),
      include_pattern: z.optionalText("Only files that match, e.g. *.ts, src/**"),
      exclude_pattern: z.optionalText("Regular expression. Excludes lines that also match it."),
      names_only: z.optionalFlag("Only file names."),
      case_sensitive: z.optionalFlag("Default: false."),
      fixed_strings: z.optionalFlag("Treat the pattern as literal text."),
      context: lines("Lines around each match."),
      after: lines("Lines after each match."),
      before: lines("Lines before each match."),
      no_ignore: z.optionalFlag("Include ignored files."),
      max_matches_per_file: most("Maximum matches per file."),
      total_max_matches: most("Maximum matches in total. Default: 100."),
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
  const where = given.dir_path === undefined ? "in the workspace" : `in ${given.dir_path}`;
  const filter = given.include_pattern === undefined ? "" : ` (filter: "${given.include_pattern}")`;
  const of = `for pattern "${given.pattern}" ${where}${filter}`;
  const notes = remarksIn(text, data);
  const answer = (...lines: readonly string[]) => ({
    text: [...lines, ...notes].join("\n"),
    continuation: limited
      ? "There are more matches: narrow the search, or raise total_max_matches."
      : undefined,
  });
  if (files.length === 0) return answer(`No matches found ${of}.`);
  if (mode === "files") {
    const head = `Found ${counted(files.length, "file")} with matches ${of}:`;
    return answer(head, ...files.map(({ path }) => showPath(path)));
  }
  const groups = Map.groupBy(matches, ({ path }) => path);
  const shown = [...groups].flatMap(([path, group]) => ["---", `File: ${showPath(path)}`, ...linesOf(group)]);
  return answer(`Found ${counted(matches.length, "match", "matches")} ${of}:`, ...shown);
}

/** Shows matching lines as `L12: text` and context as `L11- text`, each line once. */
function linesOf(matches: readonly GrepMatch[]): readonly string[] {
  const shown = new Map<number, string>();
  for (const { line, before = [], after = [] } of matches) {
    before.forEach((text, index) => void shown.set(line - before.length + index, `- ${text}`));
    after.forEach((text, index) => void shown.set(line + 1 + index, `- ${text}`));
  }
  for (const { line, text } of matches) shown.set(line, `: ${text}`);
  return [...shown].sort(([one], [other]) => one - other).map(([line, text]) => `L${line}${text}`);
}

export const glob: DialectTool = reshapeTool(["search.glob"], {
  name: "glob",
  description:
    "Find files by name, newest first: src/**/*.ts, **/*.md. To find text in files use search.grep.",
  input: (z) =>
    z.strictObject({
      pattern: z.text("Glob pattern.", { min: 1 }),
      dir_path: z.optionalText("Directory. Default: the workspace."),
      case_sensitive: z.optionalFlag("Default: false."),
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
    continuation: limited ? `Only ${files.length} are shown: narrow the pattern.` : undefined,
  }),
});

interface Filtering {
  readonly respect_git_ignore?: boolean | undefined;
  readonly respect_gemini_ignore?: boolean | undefined;
}

function filtering(z: Describing) {
  return z.optional(z.strictObject(filteringFields(z)).check(z.describe("Which ignore files apply.")));
}

function filteringFields(z: Describing) {
  return {
    respect_git_ignore: z.optionalFlag("Skip files in .gitignore. Default: true."),
    respect_gemini_ignore: z.optionalFlag("Ignored: .geminiignore is not read."),
  };
}

function takesIgnored(options: Filtering | undefined): boolean {
  return options?.respect_git_ignore === false;
}
