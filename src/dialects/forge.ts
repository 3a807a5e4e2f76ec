import type { ToolOutput } from "../contract/tool.ts";
import { counted } from "../lib/text/format-quantity.ts";
import type { FileListData } from "../tools/file/list.ts";
import type { GlobData } from "../tools/search/glob.ts";
import type { GrepData } from "../tools/search/grep.ts";
import type { ShellRunData } from "../tools/shell/run.ts";
import type { Dialect, DialectTool } from "./dialect.ts";
import { type Answer, rename } from "./rename.ts";
import { reshape } from "./reshape.ts";
import { agentTools } from "./shared/agent-tools.ts";
import { answerPatch, notesOf } from "./shared/outputs.ts";
import type { Describing } from "./zod-mini.ts";

const readFile = rename("file.read", {
  name: "read_file",
  summary:
    "Read a text file by lines, each as `N | text` (the number is not in the file), or look at a picture. To find " +
    "something in large or unknown files use search.grep.",
  fields: { path: "file_path" },
  describe: { offset: "First line, counted from 1; 1 if not given." },
  only: ["path", "offset", "limit"],
  require: ["path"],
  limits: { maxChars: 50_000, keep: "both" },
});

const writeFile = rename("file.write", {
  name: "write_file",
  summary:
    "Create a file, with its directories, or replace a whole file. To change a part of a file use edit.replace. To change " +
    "parts of files use edit.patch.",
  fields: { path: "file_path" },
  only: ["path", "content"],
  limits: { maxChars: 1_000, keep: "both" },
});

const editFile = rename("edit.replace", {
  name: "edit_file",
  summary:
    "Replace text in a file. `old_string` must be there exactly once, unless `replace_all` is given; all else stays as it is.",
  fields: { path: "file_path", find: "old_string", replace: "new_string", all: "replace_all" },
  describe: {
    find: "Text to replace, copied from the file without line numbers, with enough around it to be there only once.",
  },
  only: ["path", "find", "replace", "all"],
  require: ["find", "replace"],
  limits: { maxChars: 10_000, keep: "both" },
});

const applyPatch = rename("edit.patch", {
  name: "apply_patch",
  limits: { maxChars: 10_000, keep: "both" },
  answer: answerPatch,
});

function shell({ timeoutMs }: { readonly timeoutMs: number }): DialectTool {
  return rename("shell.run", {
    name: "shell",
    summary:
      "Run a command with bash in the workspace: exit code, duration, stdout and stderr. It has no input and ends with the call.",
    describe: {
      timeout_ms: `Ends it and all it started after this long; ${timeoutMs} if not given, at most 600000.`,
    },
    only: ["command", "timeout_ms", "description"],
    defaults: { timeout_ms: timeoutMs },
    limits: { maxChars: 30_000, maxLines: 256, keep: "both" },
    answer: answerCommand,
  });
}

const grepSummary =
  "Search the content of files with a regular expression. Answers with path:line:text. Skips ignored, hidden and binary " +
  "files. To find files by name use search.glob.";

const grepLimits = { maxChars: 20_000, maxLines: 200, keep: "head" } as const;

const grep = reshape(["search.grep"], {
  name: "grep",
  summary: grepSummary,
  input: (z) => z.strictObject(grepFields(z)),
  resolve: (given) => ["search.grep", meaningOf(given)],
  limits: grepLimits,
  answer: answerGrep,
});

const modes = { content: "content", files_with_matches: "files", count: "count" } as const;

const grepWithModes = reshape(["search.grep"], {
  name: "grep",
  summary: grepSummary,
  input: (z) =>
    z.strictObject({
      ...grepFields(z),
      output_mode: z.optional(
        z
          .enum(["content", "files_with_matches", "count"])
          .check(z.describe("Matching lines, names of files with matches, or matching lines per file.")),
      ),
    }),
  resolve: ({ output_mode: mode = "content", ...given }) => [
    "search.grep",
    { ...meaningOf(given), mode: modes[mode] },
  ],
  limits: grepLimits,
  answer: answerGrep,
});

function grepFields(z: Describing) {
  return {
    pattern: z.text("Regular expression, as ripgrep reads it."),
    path: z.optionalText("File or directory; the workspace if not given."),
    glob_filter: z.optionalText('Only files like this: "*.ts", "src/**".'),
    case_insensitive: z.optionalFlag("Upper and lower case are the same."),
    max_results: z.optionalInt("Most results in all; 100 if not given.", { min: 1, max: 100_000 }),
  };
}

interface GrepGiven {
  readonly pattern: string;
  readonly path?: string | undefined;
  readonly glob_filter?: string | undefined;
  readonly case_insensitive?: boolean | undefined;
  readonly max_results?: number | undefined;
}

function meaningOf({ pattern, path, glob_filter, case_insensitive, max_results = 100 }: GrepGiven) {
  return { pattern, path, glob: glob_filter, ignore_case: case_insensitive, limit: max_results };
}

const glob = rename("search.glob", {
  name: "glob",
  only: ["pattern", "path"],
  limits: { maxChars: 20_000, maxLines: 500, keep: "head" },
  answer: answerGlob,
});

function answerCommand({ data }: ToolOutput<ShellRunData>): string {
  const { exitCode, signal, durationMs, stdout, stderr } = data;
  const streams = Object.entries({ stdout, stderr }).filter(([, text]) => text !== "");
  return [
    signal === null ? `exit code: ${exitCode}` : `ended by ${signal}`,
    `duration: ${durationMs} ms`,
    ...streams.flatMap(([name, text]) => [`${name}:`, text.replace(/\n$/, "")]),
    ...(streams.length === 0 ? ["[no output]"] : []),
    ...notesOf(data),
  ].join("\n");
}

function answerGrep(
  { data, text }: ToolOutput<GrepData>,
  { pattern, path = "the workspace", max_results: limit = 100 }: GrepQuery,
): Answer {
  const isNothing = data.files.length === 0 && data.binary === undefined;
  const [, ...notes] = text.split("\n");
  return {
    text: isNothing ? [`Nothing in ${path} matches ${pattern}.`, ...notes].join("\n") : text,
    ...(data.limited && {
      continuation:
        `Stopped after ${counted(limit, data.mode === "content" ? "matching line" : "file")}; there are more. ` +
        "Narrow the search (path, glob_filter, a longer pattern) or raise max_results.",
    }),
  };
}

interface GrepQuery {
  readonly pattern: string;
  readonly path?: string | undefined;
  readonly max_results?: number | undefined;
}

function answerGlob(
  { data, text }: ToolOutput<GlobData>,
  { pattern, path = "the workspace" }: { readonly pattern?: unknown; readonly path?: unknown },
): Answer {
  if (data.files.length === 0)
    return `No file in ${path} matches ${pattern}. Files that are hidden or ignored were left out.`;
  const shown = `${data.files.length} of ${counted(data.total, "file")} shown; narrow the pattern.`;
  return { text, ...(data.limited && { continuation: shown }) };
}

function answerListing({ data, text }: ToolOutput<FileListData>): Answer {
  const stopped = `Stopped at ${counted(data.shown, "entry", "entries")}; list a directory of it.`;
  return { text, ...(data.limited && { continuation: stopped }) };
}

/** For OpenAI's models, which edit by patches. */
export const openaiDialect: Dialect = {
  name: "openai",
  tools: [readFile, writeFile, shell({ timeoutMs: 10_000 }), grep, glob, applyPatch, ...agentTools],
};

/** For Anthropic's models, which edit by old and new text. */
export const anthropicDialect: Dialect = {
  name: "anthropic",
  tools: [readFile, writeFile, shell({ timeoutMs: 120_000 }), grepWithModes, glob, editFile, ...agentTools],
};

/** For Google's models: Anthropic's tools, and four more. */
export const geminiDialect: Dialect = {
  name: "gemini",
  tools: [
    readFile,
    writeFile,
    shell({ timeoutMs: 10_000 }),
    grepWithModes,
    glob,
    editFile,
    rename("file.read", {
      name: "read_many_files",
      summary: "Read several text files or pictures at once, by their paths or by patterns.",
      fields: { paths: "include" },
      only: ["paths"],
      require: ["paths"],
      describe: { paths: 'Up to 50 files: paths, and patterns as "src/**/*.ts".' },
      limits: { maxChars: 50_000, keep: "both" },
    }),
    rename("file.list", {
      name: "list_dir",
      only: ["path", "depth"],
      limits: { maxChars: 20_000, keep: "head" },
      answer: answerListing,
    }),
    rename("web.search", { name: "web_search", fields: { limit: "max_results" }, only: ["query", "limit"] }),
    rename("web.fetch", { name: "web_fetch", only: ["url"] }),
    ...agentTools,
  ],
};
