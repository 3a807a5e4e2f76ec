import { counted } from "../../lib/counted.ts";
import { showPath } from "../../lib/show-path.ts";
import type { GrepData, GrepMatch } from "../../tools/search/grep.ts";
import type { Answer } from "../answer.ts";
import type { DialectTool } from "../dialect.ts";
import { reshape } from "../reshape.ts";

const modes = { content: "content", files_with_matches: "files", count: "count" } as const;

const usualLimit = 250;
const noLimit = 100_000;

interface Given {
  readonly output_mode?: keyof typeof modes | undefined;
  readonly "-n"?: boolean | undefined;
  readonly head_limit?: number | undefined;
  readonly offset?: number | undefined;
}

export const grep: DialectTool = reshape(["search.grep"], {
  name: "Grep",
  summary:
    "Search the content of files with a regular expression, as ripgrep reads it. Leaves out ignored files. Use this, " +
    "not grep or rg in a command.",
  input: (z) => {
    const lines = (words: string) =>
      z.optional(z.int().check(z.minimum(0), z.maximum(1000), z.describe(words)));
    return z.strictObject({
      pattern: z.string().check(z.describe("The expression: log.*Error, function\\s+\\w+, interface\\{\\}")),
      path: z.optional(z.string().check(z.describe("File or directory; the workspace if not given."))),
      glob: z.optional(z.string().check(z.describe("Only files like this: *.{ts,tsx}"))),
      output_mode: z.optional(
        z
          .enum(["content", "files_with_matches", "count"])
          .check(
            z.describe(
              "Lines, files with matches (if not given), or counts. What says content is for that mode.",
            ),
          ),
      ),
      "-B": lines("content: lines before each match."),
      "-A": lines("content: lines after each match."),
      "-C": lines("The same as context."),
      context: lines("content: lines before and after each match."),
      "-n": z.optional(z.boolean().check(z.describe("content: line numbers; true if not given."))),
      "-i": z.optional(z.boolean().check(z.describe("Ignore case."))),
      "-o": z.optional(z.boolean().check(z.describe("content: just what matches, one a line."))),
      type: z.optional(z.string().check(z.describe("Only files of this type: js, py, rust."))),
      head_limit: z.optional(
        z.int().check(z.minimum(0), z.describe("Most lines or entries; 250 if not given, 0 for all.")),
      ),
      offset: z.optional(z.int().check(z.minimum(0), z.describe("Skip so many; 0 if not given."))),
      multiline: z.optional(z.boolean().check(z.describe("Match across lines, . too; false if not given."))),
    });
  },
  means: ({ pattern, path, glob, type, multiline, output_mode: mode = "files_with_matches", ...given }) => {
    const { "-A": after, "-B": before, "-C": around, "-i": ignore_case, "-o": only_matching } = given;
    return [
      "search.grep",
      {
        pattern: multiline ? `(?s)${pattern}` : pattern,
        path,
        ...(glob !== undefined && { glob }),
        type,
        multiline,
        mode: modes[mode],
        ignore_case,
        hidden: true,
        // One more than is shown tells whether there is more.
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
    continuation: hasMore ? `There are more: see them with offset ${offset + shown.length}.` : undefined,
  };
}

function headOf({ mode }: GrepData, all: readonly string[], shown: readonly string[]): readonly string[] {
  if (all.length === 0) return [mode === "files" ? "No files found" : "No matches found"];
  if (shown.length === 0) return [`Nothing is left after so many: there are ${all.length}.`];
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

/** As ripgrep prints them: "--" stands where lines are left out between neighbours of matches. */
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

/** What could not be searched, which stands in brackets below the rest. */
function remarksIn(text: string, { skipped }: GrepData): readonly string[] {
  const { unreadable, guarded = [], partly, tooLarge } = skipped;
  const count = [unreadable, guarded, partly, tooLarge].filter(({ length }) => length > 0).length;
  return count === 0 ? [] : text.split("\n").slice(-count);
}
