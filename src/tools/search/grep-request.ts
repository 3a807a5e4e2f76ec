import { FileFilter } from "../../files/file-filter.ts";
import type { Visibility } from "../../files/visibility.ts";
import { type RustRegex, translateRegex } from "../../text/rust-regex.ts";
import type { GrepInput } from "./grep.ts";

export type GrepMode = "content" | "files" | "count";

/** What a search is for, with everything decided that the input left open. */
export interface GrepRequest extends Visibility {
  readonly pattern: string;
  readonly literal: boolean;
  readonly ignoreCase: boolean;
  readonly wholeWord: boolean;
  readonly multiline: boolean;
  readonly regex: RustRegex;
  readonly filter: FileFilter;
  readonly mode: GrepMode;
  /** Lines shown before and after each match. */
  readonly before: number;
  readonly after: number;
  /** Matching lines, or files, at most. */
  readonly limit: number;
}

/** Throws `invalid-input` for a pattern, glob or type that makes no sense. */
export function readRequest(input: GrepInput): GrepRequest {
  const { pattern, glob = [], type, mode = "content", limit = 100, context = 0 } = input;
  const { literal = false, ignore_case: ignoreCase = false, whole_word: wholeWord = false } = input;
  const { multiline = false } = input;
  return {
    pattern,
    literal,
    ignoreCase,
    wholeWord,
    multiline,
    regex: translateRegex(pattern, { literal, ignoreCase, wholeWord, multiline }),
    filter: new FileFilter({ globs: typeof glob === "string" ? [glob] : glob, type }),
    mode,
    before: input.before ?? context,
    after: input.after ?? context,
    limit,
    hidden: input.hidden ?? false,
    ignoreFiles: !(input.no_ignore ?? false),
  };
}
