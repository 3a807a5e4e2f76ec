import { showPath } from "../../lib/show-path.ts";
import type { GrepData, GrepMatch } from "../../tools/search/grep.ts";
import type { Answer } from "../answer.ts";
import type { DialectTool } from "../dialect.ts";
import { reshape } from "../reshape.ts";
import { filteringFields, takesIgnored } from "./filtering.ts";

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
    const lines = (words: string) =>
      z.optional(z.int().check(z.minimum(0), z.maximum(1000), z.describe(words)));
    const most = (words: string) =>
      z.optional(z.int().check(z.minimum(1), z.maximum(100_000), z.describe(words)));
    return z.strictObject({
      pattern: z.string().check(z.describe("The expression: \\bMatchMe\\b")),
      dir_path: z.optional(z.string().check(z.describe("Directory or file; the workspace if not given."))),
      include_pattern: z.optional(z.string().check(z.describe("Only files like this: *.ts, src/**"))),
      exclude_pattern: z.optional(
        z.string().check(z.describe("An expression: lines that match it, too, are left out.")),
      ),
      names_only: z.optional(z.boolean().check(z.describe("Only the files with matches."))),
      case_sensitive: z.optional(z.boolean().check(z.describe("false if not given."))),
      fixed_strings: z.optional(z.boolean().check(z.describe("Take the pattern as plain text."))),
      context: lines("Lines around each match."),
      after: lines("Lines after each match."),
      before: lines("Lines before each match."),
      no_ignore: z.optional(z.boolean().check(z.describe("Also what ignore files leave out."))),
      max_matches_per_file: most("Most matches of one file."),
      total_max_matches: most("Most matches in all; 100 if not given."),
    });
  },
  means: ({ pattern, dir_path: path, include_pattern: glob, exclude_pattern: exclude, ...given }) => [
    "search.grep",
    {
      pattern,
      path,
      ...(glob !== undefined && { glob }),
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

/** `L12: text` for lines that match, `L11- text` for those around them, each once. */
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
      pattern: z.string().check(z.minLength(1), z.describe("Name pattern.")),
      dir_path: z.optional(z.string().check(z.describe("Directory; the workspace if not given."))),
      case_sensitive: z.optional(z.boolean().check(z.describe("false if not given."))),
      ...filteringFields(z),
    }),
  means: ({ pattern, dir_path: path, case_sensitive, ...given }) => [
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
