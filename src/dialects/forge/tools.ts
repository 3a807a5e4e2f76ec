import type { DialectTool } from "../dialect.ts";
import { rename } from "../rename.ts";
import { reshape } from "../reshape.ts";
import { answerPatch } from "../shared/answer-patch.ts";
import type { Describing } from "../zod-mini.ts";
import { answerCommand, answerGlob, answerGrep } from "./answers.ts";

/** What the three dialects of forge have in common, in its words. */
export const readFile: DialectTool = rename("file.read", {
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

export const writeFile: DialectTool = rename("file.write", {
  name: "write_file",
  summary:
    "Create a file, with its directories, or replace a whole file. To change a part of a file use edit.replace. To change " +
    "parts of files use edit.patch.",
  fields: { path: "file_path" },
  only: ["path", "content"],
  limits: { maxChars: 1_000, keep: "both" },
});

export const editFile: DialectTool = rename("edit.replace", {
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

export const applyPatch: DialectTool = rename("edit.patch", {
  name: "apply_patch",
  limits: { maxChars: 10_000, keep: "both" },
  answer: answerPatch,
});

export function shell({ timeoutMs }: { readonly timeoutMs: number }): DialectTool {
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

export const grep: DialectTool = reshape(["search.grep"], {
  name: "grep",
  summary: grepSummary,
  input: (z) => z.strictObject(grepFields(z)),
  means: (given) => ["search.grep", meaningOf(given)],
  limits: grepLimits,
  answer: answerGrep,
});

const modes = { content: "content", files_with_matches: "files", count: "count" } as const;

export const grepWithModes: DialectTool = reshape(["search.grep"], {
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
  means: ({ output_mode: mode = "content", ...given }) => [
    "search.grep",
    { ...meaningOf(given), mode: modes[mode] },
  ],
  limits: grepLimits,
  answer: answerGrep,
});

function grepFields(z: Describing) {
  return {
    pattern: z.string().check(z.describe("Regular expression, as ripgrep reads it.")),
    path: z.optional(z.string().check(z.describe("File or directory; the workspace if not given."))),
    glob_filter: z.optional(z.string().check(z.describe('Only files like this: "*.ts", "src/**".'))),
    case_insensitive: z.optional(z.boolean().check(z.describe("Upper and lower case are the same."))),
    max_results: z.optional(
      z.int().check(z.minimum(1), z.maximum(100_000), z.describe("Most results in all; 100 if not given.")),
    ),
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

export const glob: DialectTool = rename("search.glob", {
  name: "glob",
  only: ["pattern", "path"],
  limits: { maxChars: 20_000, maxLines: 500, keep: "head" },
  answer: answerGlob,
});
