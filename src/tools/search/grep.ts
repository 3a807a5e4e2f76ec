import * as z from "zod/mini";
import type { Tool, ToolContext, ToolOutput } from "../../contract/tool.ts";
import type { Budget } from "./directory-search.ts";
import { type GrepMode, readRequest } from "./grep-request.ts";
import { search, usualBudget } from "./grep-search.ts";
import { findScope } from "./scope.ts";
import { describeLimit, showResults } from "./show-results.ts";

export interface GrepInput {
  readonly pattern: string;
  readonly path?: string | undefined;
  readonly literal?: boolean | undefined;
  readonly ignore_case?: boolean | undefined;
  readonly whole_word?: boolean | undefined;
  readonly multiline?: boolean | undefined;
  readonly exclude?: string | undefined;
  readonly only_matching?: boolean | undefined;
  readonly context?: number | undefined;
  readonly before?: number | undefined;
  readonly after?: number | undefined;
  readonly glob?: string | string[] | undefined;
  readonly type?: string | undefined;
  readonly mode?: GrepMode | undefined;
  readonly limit?: number | undefined;
  readonly max_per_file?: number | undefined;
  readonly hidden?: boolean | undefined;
  readonly no_ignore?: boolean | undefined;
}

export interface GrepData {
  readonly mode: GrepMode;
  /** In mode "content": the matching lines, ordered by path and line. */
  readonly matches: readonly GrepMatch[];
  /** The files with matches, ordered by path, and how many of their lines match; 1 stands for any number in "files". */
  readonly files: readonly { readonly path: string; readonly count: number }[];
  /** There are more than `limit`. */
  readonly limited: boolean;
  readonly engine: "built-in" | "ripgrep";
  /** How many files were searched, if they were counted. */
  readonly searchedFiles: number | undefined;
  readonly skipped: {
    /** Files that are no text, as far as they were counted. */
    readonly binary: number;
    readonly unreadable: readonly string[];
    /** Files that rules keep from being read, as they may hold secrets, as far as they were met. */
    readonly guarded?: readonly string[];
    /** Files with a line too long to search all of it. */
    readonly partly: readonly string[];
    /** Files too large to search them across lines. */
    readonly tooLarge: readonly string[];
  };
  /** Present when the search was in one file that is no text. */
  readonly binary?: { readonly path: string; readonly matches: boolean | undefined };
}

export interface GrepMatch {
  readonly path: string;
  /** Counted from 1. */
  readonly line: number;
  /** The line without its end; of a long one the part around the match, between "[…]". Or just what matches. */
  readonly text: string;
  /** The lines around it that were asked for. */
  readonly before?: readonly string[];
  readonly after?: readonly string[];
}

/** Finds lines by a regular expression or plain text. */
export const searchGrep: Tool<GrepInput, GrepData> = {
  name: "search.grep",
  summary:
    "Search the content of files with a regular expression (ripgrep syntax) or plain text (`literal`). Answers with " +
    "path:line:text, file names, or counts. Skips ignored, hidden and binary files. To find files by name use " +
    "search.glob; to see more of a file use file.read.",
  risk: "read",
  input: z.strictObject({
    pattern: z
      .string()
      .check(z.describe("What to search for: a regular expression, or text with `literal`.")),
    path: z.optional(
      z
        .string()
        .check(z.describe("File, directory or out_… handle to search in; the workspace if not given.")),
    ),
    literal: z.optional(z.boolean().check(z.describe("Take `pattern` as plain text."))),
    ignore_case: z.optional(z.boolean().check(z.describe("Upper and lower case are the same."))),
    whole_word: z.optional(z.boolean().check(z.describe("Match whole words only."))),
    multiline: z.optional(
      z
        .boolean()
        .check(z.describe("Let the pattern match across lines: \\n is allowed, \\s matches line ends.")),
    ),
    exclude: z.optional(z.string().check(z.describe("Leave out lines that match this expression, too."))),
    only_matching: z.optional(
      z.boolean().check(z.describe("Show just what matches of each line, without context.")),
    ),
    context: z.optional(lineCount("Lines to show before and after each match.")),
    before: z.optional(lineCount("Lines to show before each match.")),
    after: z.optional(lineCount("Lines to show after each match.")),
    glob: z.optional(
      z
        .union([z.string(), z.array(z.string()).check(z.maxLength(100))])
        .check(
          z.describe(
            'Only files like this, "*.ts" or "src/**"; "!*.test.ts" leaves out. Relative to `path`.',
          ),
        ),
    ),
    type: z.optional(
      z.string().check(z.describe('Only files of this type, by ripgrep\'s names: "ts", "py", "rust".')),
    ),
    mode: z.optional(
      z
        .enum(["content", "files", "count"])
        .check(z.describe("Show matching lines, names of files with matches, or matching lines per file.")),
    ),
    limit: z.optional(
      z
        .int()
        .check(
          z.minimum(1),
          z.maximum(100_000),
          z.describe("Most matching lines in all (in other modes: files); 100 if not given."),
        ),
    ),
    max_per_file: z.optional(
      z.int().check(z.minimum(1), z.maximum(100_000), z.describe("Most matching lines of one file.")),
    ),
    hidden: z.optional(
      z.boolean().check(z.describe("Also search names that begin with a dot (never .git).")),
    ),
    no_ignore: z.optional(
      z.boolean().check(z.describe("Also search what .gitignore and its like leave out.")),
    ),
  }),
  limits: { maxChars: 20_000, maxLines: 200, keep: "head" },
  accesses: ({ path = "." }) => [{ kind: "read", path }],

  run: (input, context) => grep(input, context, usualBudget),
};

/** The same with another measure of what is searched in process before ripgrep is started. */
export async function grep(
  input: GrepInput,
  context: ToolContext,
  budget: Budget,
): Promise<ToolOutput<GrepData>> {
  const request = readRequest(input);
  const scope = await findScope(context.environment, input.path ?? ".");
  const results = await search(scope, request, context, budget);
  const continuation = results.isLimited ? { continuation: describeLimit(request) } : {};
  return { ...showResults(results, request, scope), ...continuation };
}

function lineCount(description: string) {
  return z.int().check(z.minimum(0), z.maximum(1000), z.describe(description));
}
