import { ToolError } from "../contract/error.ts";
import type { OutputLimits, ToolOutput } from "../contract/tool.ts";
import { counted } from "../lib/text/format-quantity.ts";
import type { FileListData } from "../tools/file/list.ts";
import type { GlobData } from "../tools/search/glob.ts";
import type { GrepData } from "../tools/search/grep.ts";
import type { ShellRunData } from "../tools/shell/run.ts";
import type { Dialect, DialectTool } from "./dialect.ts";
import { type Answer, renameTool } from "./rename.ts";
import { reshapeTool } from "./reshape.ts";
import { agentTools } from "./shared/agent-tools.ts";
import { answerPatch, notesOf, notSearched } from "./shared/outputs.ts";
import type { Describing } from "./zod-mini.ts";

/** A long line is cut only where the whole answer would be, with room for the mark. */
const readLimits: OutputLimits = { maxChars: 50_000, maxLineChars: 49_950, keep: "both" };

const readFile = renameTool("file.read", {
  name: "read_file",
  description:
    "Read a text file as numbered lines, `N | text` (the numbers are not in the file), or view an image. To find something in " +
    "large files use search.grep.",
  fields: { path: "file_path" },
  describe: { offset: "First line. Default: 1." },
  only: ["path", "offset", "limit"],
  require: ["path"],
  limits: readLimits,
});

const writeFile = renameTool("file.write", {
  name: "write_file",
  description:
    "Create a file, with its directories, or replace a whole file. To change a part of a file use edit.replace. To change " +
    "parts of files use edit.patch.",
  fields: { path: "file_path" },
  only: ["path", "content"],
  limits: { maxChars: 1_000, keep: "both" },
});

const editFile = renameTool("edit.replace", {
  name: "edit_file",
  description: "Replace text in a file. `old_string` must occur exactly once, unless `replace_all` is set.",
  fields: { path: "file_path", find: "old_string", replace: "new_string", all: "replace_all" },
  describe: {
    find: "Text to replace, copied from the file without line numbers, with enough context to be unique.",
  },
  only: ["path", "find", "replace", "all"],
  require: ["find", "replace"],
  limits: { maxChars: 10_000, keep: "both" },
});

const applyPatch = renameTool("edit.patch", {
  name: "apply_patch",
  check: ({ patch }) => requireEnvelope(patch),
  limits: { maxChars: 10_000, keep: "both" },
  answer: answerPatch,
});

/** Refuses a patch without its first or last line, which the canonical tool accepts and Forge does not. */
function requireEnvelope(patch: string): void {
  // Some models escape the line ends of a whole patch.
  const isOneLine = !patch.trim().includes("\n");
  const has = (marker: string) =>
    isOneLine ? patch.includes(`*** ${marker}`) : new RegExp(`^\\s*\\*{3}\\s*${marker}`, "im").test(patch);
  const missing = (["Begin", "End"] as const).find((which) => !has(`${which} Patch`));
  if (missing === undefined) return;
  const message = `The patch does not ${missing.toLowerCase()} with \`*** ${missing} Patch\``;
  throw new ToolError("invalid-input", message, {
    hint: "Put it between the lines `*** Begin Patch` and `*** End Patch`.",
  });
}

function shell({ timeoutMs }: { readonly timeoutMs: number }): DialectTool {
  return renameTool("shell.run", {
    name: "shell",
    description:
      "Run a bash command in the workspace. Returns exit code, duration, stdout and stderr. It has no input and ends with the call.",
    describe: {
      timeout_ms: `Milliseconds until it and everything it started is stopped. Default: ${timeoutMs}. At most 600000.`,
    },
    only: ["command", "timeout_ms", "description"],
    defaults: { timeout_ms: timeoutMs },
    limits: { maxChars: 30_000, maxLines: 256, keep: "both" },
    answer: answerCommand,
  });
}

const grepSummary =
  "Search file contents with a regular expression. Returns path:line:text. Skips ignored, hidden and binary files. To find files " +
  "by name use search.glob.";

const grepLimits = { maxChars: 20_000, maxLines: 200, keep: "head" } as const;

const grep = reshapeTool(["search.grep"], {
  name: "grep",
  description: grepSummary,
  input: (z) => z.strictObject(grepFields(z)),
  resolve: (given) => ["search.grep", canonicalInput(given)],
  limits: grepLimits,
  answer: answerGrep,
});

const modes = { content: "content", files_with_matches: "files", count: "count" } as const;

const grepWithModes = reshapeTool(["search.grep"], {
  name: "grep",
  description: grepSummary,
  input: (z) =>
    z.strictObject({
      ...grepFields(z),
      output_mode: z.optional(
        z
          .enum(["content", "files_with_matches", "count"])
          .check(z.describe("Matching lines (default), files with matches, or counts per file.")),
      ),
    }),
  resolve: ({ output_mode: mode = "content", ...given }) => [
    "search.grep",
    { ...canonicalInput(given), mode: modes[mode] },
  ],
  limits: grepLimits,
  answer: answerGrep,
});

function grepFields(z: Describing) {
  return {
    pattern: z.text("Regular expression in ripgrep syntax."),
    path: z.optionalText("File or directory. Default: the workspace."),
    glob_filter: z.optionalText('Only files that match, e.g. "*.ts", "src/**".'),
    case_insensitive: z.optionalFlag("Ignore case."),
    max_results: z.optionalInt("Maximum number of results. Default: 100.", { min: 1 }),
  };
}

interface GrepGiven {
  readonly pattern: string;
  readonly path?: string | undefined;
  readonly glob_filter?: string | undefined;
  readonly case_insensitive?: boolean | undefined;
  readonly max_results?: number | undefined;
}

function canonicalInput({ pattern, path, glob_filter, case_insensitive, max_results = 100 }: GrepGiven) {
  return { pattern, path, glob: glob_filter, ignore_case: case_insensitive, limit: max_results };
}

const glob = renameTool("search.glob", {
  name: "glob",
  only: ["pattern", "path"],
  limits: { maxChars: 20_000, maxLines: 500, keep: "head" },
  answer: answerGlob,
});

function answerCommand({ data }: ToolOutput<ShellRunData>): string {
  return [showCommand(data), ...notesOf(data)].join("\n");
}

/** Shows how a command ended, and its output. */
export function showCommand({ exitCode, signal, durationMs, stdout, stderr }: EndedCommand): string {
  const streams = Object.entries({ stdout, stderr }).filter(([, text]) => text !== "");
  return [
    exitCode === null ? `ended by ${signal ?? "a signal"}` : `exit code: ${exitCode}`,
    `duration: ${durationMs} ms`,
    ...streams.flatMap(([name, text]) => [`${name}:`, text.replace(/\n$/, "")]),
    ...(streams.length === 0 ? ["[no output]"] : []),
  ].join("\n");
}

type EndedCommand = Pick<ShellRunData, "exitCode" | "signal" | "durationMs" | "stdout" | "stderr">;

function answerGrep(
  { data, text }: ToolOutput<GrepData>,
  { pattern, path = "the workspace", max_results: limit = 100 }: GrepGiven,
): Answer {
  const isNothing = data.files.length === 0 && data.binary === undefined;
  const [, ...notes] = text.split("\n");
  return {
    text: isNothing
      ? [`No matches for ${pattern} in ${path}.${notSearched(data.leftOut)}`, ...notes].join("\n")
      : text,
    continuation: data.limited
      ? `Stopped after ${counted(limit, data.mode === "content" ? "matching line" : "file")}; there are more. ` +
        "Narrow the search (path, glob_filter, a longer pattern) or raise max_results."
      : undefined,
  };
}

function answerGlob(
  { data, text }: ToolOutput<GlobData>,
  { pattern, path = "the workspace" }: { readonly pattern?: unknown; readonly path?: unknown },
): Answer {
  if (data.files.length === 0) return `No file in ${path} matches ${pattern}.${notSearched(data.leftOut)}`;
  const shown = `${data.files.length} of ${counted(data.total, "file")} shown; narrow the pattern.`;
  return { text, ...(data.limited && { continuation: shown }) };
}

function answerListing({ data, text }: ToolOutput<FileListData>): Answer {
  const stopped = `Stopped at ${counted(data.shown, "entry", "entries")}; list a subdirectory.`;
  return { text, ...(data.limited && { continuation: stopped }) };
}

/** The tools for OpenAI's models, which edit by patches. */
export const openaiDialect: Dialect = {
  name: "openai",
  allowsFewVariables: true,
  tools: [readFile, writeFile, shell({ timeoutMs: 10_000 }), grep, glob, applyPatch, ...agentTools],
};

/** The tools for Anthropic's models, which edit by old and new text. */
export const anthropicDialect: Dialect = {
  name: "anthropic",
  allowsFewVariables: true,
  tools: [readFile, writeFile, shell({ timeoutMs: 120_000 }), grepWithModes, glob, editFile, ...agentTools],
};

/** The tools for Google's models: those for Anthropic's models, and four more. */
export const geminiDialect: Dialect = {
  name: "gemini",
  allowsFewVariables: true,
  tools: [
    readFile,
    writeFile,
    shell({ timeoutMs: 10_000 }),
    grepWithModes,
    glob,
    editFile,
    renameTool("file.read", {
      name: "read_many_files",
      description: "Read several text files or images at once, by path or glob pattern.",
      fields: { paths: "include" },
      only: ["paths"],
      require: ["paths"],
      limits: readLimits,
      describe: { paths: 'Up to 50 paths or patterns, e.g. "src/**/*.ts".' },
    }),
    renameTool("file.list", {
      name: "list_dir",
      only: ["path", "depth"],
      limits: { maxChars: 20_000, keep: "head" },
      answer: answerListing,
    }),
    renameTool("web.search", {
      name: "web_search",
      fields: { limit: "max_results" },
      only: ["query", "limit"],
    }),
    renameTool("web.fetch", { name: "web_fetch", only: ["url"] }),
    ...agentTools,
  ],
};
