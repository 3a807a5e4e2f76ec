import type { ToolOutput } from "../../contract/tool.ts";
import { counted } from "../../lib/counted.ts";
import type { FileListData } from "../../tools/file/list.ts";
import type { GlobData } from "../../tools/search/glob.ts";
import type { GrepData } from "../../tools/search/grep.ts";
import type { ShellRunData } from "../../tools/shell/run.ts";
import type { Answer } from "../answer.ts";
import { remarksOf } from "../shared/said-by.ts";

/** Exit code, how long it took, and what it said on each stream. */
export function answerCommand({ data }: ToolOutput<ShellRunData>): string {
  const { exitCode, signal, durationMs, stdout, stderr } = data;
  const streams = Object.entries({ stdout, stderr }).filter(([, said]) => said !== "");
  return [
    signal === null ? `exit code: ${exitCode}` : `ended by ${signal}`,
    `duration: ${durationMs} ms`,
    ...streams.flatMap(([name, said]) => [`${name}:`, said.replace(/\n$/, "")]),
    ...(streams.length === 0 ? ["[no output]"] : []),
    ...remarksOf(data),
  ].join("\n");
}

/** The lines found; the ways on that it names are those that this dialect has. */
export function answerGrep(
  { data, text }: ToolOutput<GrepData>,
  { pattern, path = "the workspace", max_results: limit = 100 }: GrepGiven,
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

interface GrepGiven {
  readonly pattern: string;
  readonly path?: string | undefined;
  readonly max_results?: number | undefined;
}

export function answerGlob(
  { data, text }: ToolOutput<GlobData>,
  { pattern, path = "the workspace" }: { readonly pattern?: unknown; readonly path?: unknown },
): Answer {
  if (data.files.length === 0)
    return `No file in ${path} matches ${pattern}. Files that are hidden or ignored were left out.`;
  const shown = `${data.files.length} of ${counted(data.total, "file")} shown; narrow the pattern.`;
  return { text, ...(data.limited && { continuation: shown }) };
}

export function answerListing({ data, text }: ToolOutput<FileListData>): Answer {
  const stopped = `Stopped at ${counted(data.shown, "entry", "entries")}; list a directory of it.`;
  return { text, ...(data.limited && { continuation: stopped }) };
}
