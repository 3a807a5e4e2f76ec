import * as z from "zod/mini";
import type { Tool, ToolContext, ToolOutput } from "../../contract/tool.ts";
import type { SearchMode } from "../../contract/whole-operations.ts";
import type { LeftOut } from "../../files/visible-paths.ts";
import { amount, atMost, flag, string } from "../fields.ts";
import { readRequest } from "./grep-request.ts";
import { type Budget, searchAll, usualBudget } from "./grep-search.ts";
import { isOutputHandle } from "./scope.ts";
import { describeLimit, showResults } from "./show-results.ts";

export interface GrepData {
  readonly mode: SearchMode;
  /** The matching lines in mode "content", ordered by path and line. */
  readonly matches: readonly GrepMatch[];
  /** The files with matches, ordered by path, and the number of their matching lines (1 in mode "files"). */
  readonly files: readonly { readonly path: string; readonly count: number }[];
  /** Whether there are more results than `limit`. */
  readonly limited: boolean;
  /** The kinds of files that were not searched. Set when nothing was found in a folder. */
  readonly leftOut?: LeftOut | undefined;
  readonly engine: "built-in" | "ripgrep";
  /** The number of searched files, if known. */
  readonly searchedFiles: number | undefined;
  readonly skipped: {
    /** The number of binary files, as far as they were counted. */
    readonly binary: number;
    readonly unreadable: readonly string[];
    /** Files that the policy denies, such as secrets. The list may be incomplete. */
    readonly guarded?: readonly string[];
    /** Files with a line that is too long to search completely. */
    readonly partly: readonly string[];
    /** Files that are too large to search across lines. */
    readonly tooLarge: readonly string[];
  };
  /** The searched file, if it is a single binary file. */
  readonly binary?: { readonly path: string; readonly matches?: boolean | undefined };
}

export interface GrepMatch {
  readonly path: string;
  /** The line number, from 1. */
  readonly line: number;
  /** The line without its end, or only the match. A long line is cut around the match and marked with "[…]". */
  readonly text: string;
  readonly before?: readonly string[];
  readonly after?: readonly string[];
}

const input = z.strictObject({
  pattern: z.string(),
  path: string("File, directory or out_... handle. Default: the workspace."),
  literal: flag("Treat the pattern as plain text."),
  ignore_case: z.optional(z.boolean()),
  whole_word: z.optional(z.boolean()),
  multiline: flag("Match across lines."),
  exclude: string("Regex of lines to skip."),
  only_matching: flag("Return only the matching parts."),
  context: z.optional(lineCount("Lines around each match.")),
  before: z.optional(lineCount()),
  after: z.optional(lineCount()),
  glob: z.optional(
    z
      .union([z.string(), z.array(z.string()).check(z.maxLength(100))])
      .check(z.describe('"*.ts", "src/**"; "!*.test.ts" excludes.')),
  ),
  type: string('"ts", "py", "rust".'),
  mode: z.optional(z.enum(["content", "files", "count"]).check(z.describe("Default content."))),
  limit: amount(1, 100_000, "Default 100."),
  max_per_file: amount(1, 100_000, "Maximum matches per file."),
  hidden: flag("Include dotfiles."),
  no_ignore: flag("Include ignored files."),
});

export type GrepInput = z.infer<typeof input>;

export const searchGrep: Tool<GrepInput, GrepData> = {
  name: "search.grep",
  description:
    "Search file contents by regex (ripgrep syntax). Skips ignored, hidden and binary files. For file names use search.glob.",
  risk: "read",
  input,
  limits: { maxChars: 20_000, maxLines: 200, keep: "head" },
  accesses: ({ path = "." }) => [{ kind: "read", path }],

  run: (input, context) => grep(input, context, usualBudget),
};

/** Searches with the given budget for the in-process search. */
export async function grep(
  input: GrepInput,
  context: ToolContext,
  budget: Budget,
): Promise<ToolOutput<GrepData>> {
  const request = readRequest(input);
  const { environment, signal } = context;
  // Stored outputs are on this machine.
  const isThere = environment.search !== undefined && !isOutputHandle(input.path ?? ".");
  const found = isThere
    ? await environment.search!(input, { signal })
    : await searchAll(input, context, budget);
  const continuation = found.isLimited ? { continuation: describeLimit(request) } : {};
  return { ...showResults(found, request), ...continuation };
}

function lineCount(description?: string) {
  return z.int().check(z.minimum(0), atMost(1000), ...(description ? [z.describe(description)] : []));
}
