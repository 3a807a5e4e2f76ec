import { ToolError } from "../../contract/error.ts";
import { RefusedPath } from "../../contract/guard.ts";
import type { ToolContext } from "../../contract/tool.ts";
import { FileFilter } from "../../files/file-filter.ts";
import { listFiles } from "../../files/list-files.ts";
import { readCode } from "./code-file.ts";
import { chooseSymbols, type Listed, type SymbolsChosen } from "./show-symbols.ts";

export interface FolderChosen extends SymbolsChosen {
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
}

/** What the files of a folder declare. */
export interface FolderSymbols {
  readonly files: readonly FolderFile[];
  /** How many files there are, whatever is in them. */
  readonly total: number;
  /** The number of the file to go on with, when not all were looked at. */
  readonly nextOffset: number | undefined;
  readonly skipped: {
    /** Files that rules keep from being read, as they may hold secrets. */
    readonly guarded: readonly string[];
    readonly unreadable: readonly string[];
    readonly tooLarge: readonly string[];
  };
}

interface FolderFile {
  readonly path: string;
  readonly language: string;
  readonly faults: number;
  readonly listed: readonly Listed[];
  /** Those of this file that are not listed. */
  readonly hidden: number;
}

/** Looks at the files that search.grep would search, in the order of their paths, until enough symbols are found. */
export async function symbolsInFolder(
  directory: string,
  { depth = 1, offset = 0, limit = 500, ...chosen }: FolderChosen,
  context: ToolContext,
): Promise<FolderSymbols> {
  const wanted = { directory, filter: new FileFilter({ globs: [] }), hidden: false, ignoreFiles: true };
  const paths = [...(await listFiles(wanted, context)).paths].sort();
  const files: FolderFile[] = [];
  const skipped = { guarded: [] as string[], unreadable: [] as string[], tooLarge: [] as string[] };
  let found = 0;
  let next = offset;
  for (; next < paths.length && found < limit && next < offset + maxFiles; next += 1) {
    const path = paths[next]!;
    if (next % 50 === 0) context.progress(`${next} of ${paths.length} files`);
    try {
      const { outline } = await readCode(path, context, maxBytes);
      const all = chooseSymbols(outline, { ...chosen, depth });
      const listed = all.slice(0, Math.max(1, limit - found));
      found += listed.length;
      if (listed.length === 0) continue;
      const { language, faults } = outline;
      files.push({ path, language, faults: faults.length, listed, hidden: all.length - listed.length });
    } catch (error) {
      if (!(error instanceof ToolError) || context.signal.aborted) throw error;
      if (error instanceof RefusedPath) skipped.guarded.push(path);
      else if (error.code === "too-large") skipped.tooLarge.push(path);
      // What no grammar reads declares nothing, and what is gone by now is not there.
      else if (error.code !== "unsupported" && error.code !== "not-found") skipped.unreadable.push(path);
    }
  }
  return { files, total: paths.length, nextOffset: next < paths.length ? next : undefined, skipped };
}

/** Each is parsed: more of them take too long for one answer. */
const maxFiles = 2_000;

/** What is larger is data, or generated. */
const maxBytes = 1024 * 1024;
