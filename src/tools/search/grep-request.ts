import { ToolError } from "../../contract/error.ts";
import type { SearchMode, SearchWanted } from "../../contract/whole-operations.ts";
import { FileFilter } from "../../files/file-filter.ts";
import type { Visibility } from "../../files/visible-paths.ts";
import { type RustRegex, translateRegex } from "../../lib/rust-regex/rust-regex.ts";

/** Returns whether a search could backtrack endlessly, so that it needs a time limit. */
export function mayBacktrack({ regex, exclude }: Pick<GrepRequest, "regex" | "exclude">): boolean {
  return regex.mayBacktrack || exclude?.mayBacktrack === true;
}

/** A search with all defaults filled in. */
export interface GrepRequest extends Visibility {
  readonly pattern: string;
  readonly literal: boolean;
  readonly ignoreCase: boolean;
  readonly wholeWord: boolean;
  readonly multiline: boolean;
  readonly regex: RustRegex;
  /** Matching lines are skipped. */
  readonly exclude: RustRegex | undefined;
  /** Whether only the match is shown instead of its line. */
  readonly onlyMatching: boolean;
  readonly filter: FileFilter;
  readonly mode: SearchMode;
  readonly before: number;
  readonly after: number;
  /** The maximum number of matching lines, or of files. */
  readonly limit: number;
  /** The maximum number of matching lines per file. */
  readonly maxPerFile: number;
}

/** Fills in the defaults. Throws `invalid-input` for an invalid pattern, glob or type. */
export function readRequest(input: SearchWanted): GrepRequest {
  const { pattern, glob = [], type, mode = "content", limit = 100, context = 0 } = input;
  const { literal = false, ignore_case: ignoreCase = false, whole_word: wholeWord = false } = input;
  const { multiline = false, exclude, only_matching: onlyMatching = false } = input;
  const filter = new FileFilter({ globs: typeof glob === "string" ? [glob] : glob, type });
  return {
    pattern,
    literal,
    ignoreCase,
    wholeWord,
    multiline,
    regex: translateRegex(pattern, { literal, ignoreCase, wholeWord, multiline }),
    exclude: exclude === undefined ? undefined : readExclude(exclude, ignoreCase),
    onlyMatching,
    filter,
    mode,
    before: onlyMatching ? 0 : (input.before ?? context),
    after: onlyMatching ? 0 : (input.after ?? context),
    limit,
    maxPerFile: input.max_per_file ?? Number.POSITIVE_INFINITY,
    hidden: input.hidden ?? filter.namesHidden,
    ignoreFiles: !(input.no_ignore ?? false),
  };
}

function readExclude(pattern: string, ignoreCase: boolean): RustRegex {
  const regex = translateRegex(pattern, { ignoreCase });
  if (regex.untranslatable === undefined) return regex;
  throw new ToolError("unsupported", `\`exclude\` does not support this pattern: ${regex.untranslatable}`, {
    hint: "Use a simpler `exclude`.",
  });
}
