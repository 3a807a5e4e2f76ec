import type { ToolOutput } from "../../contract/tool.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { showPath } from "../../lib/text/printable.ts";
import type { EditData, EditedFile } from "../../tools/edit/describe-edit.ts";
import { maxTimeoutMs } from "../../tools/shell/describe-run.ts";
import type { ShellRunData } from "../../tools/shell/run.ts";
import type { Dialect, Failure } from "../dialect.ts";
import type { DataOf } from "../rename.ts";

export function outputOf({ stdout, stderr, together }: ShellRunData): string {
  return (together ?? `${stdout}${stderr}`).replace(/\n$/, "");
}

export function notesOf({ remarks, sandbox }: Pick<ShellRunData, "remarks" | "sandbox">): readonly string[] {
  return [
    ...remarks.map((remark) => `[${remark}]`),
    ...(sandbox === "bwrap" ? [] : [`[sandbox: ${sandbox}]`]),
  ];
}

/** Says which lines were read, and how to continue; empty at the end of the file. */
export function continuationOf(
  { files: [file] }: DataOf<"file.read">,
  continueWith: (nextLine: number) => string,
): { readonly continuation?: string } {
  if (file?.kind !== "text" || (file.nextOffset ?? file.cutBytes) === undefined) return {};
  const { firstLine, lines, totalLines, nextOffset } = file;
  const range = lines === 1 ? `Line ${firstLine}` : `Lines ${firstLine}-${firstLine + lines - 1}`;
  const of = totalLines === undefined ? "" : ` of ${totalLines}`;
  const cut = file.cutBytes === undefined ? "" : `, truncated by ${counted(file.cutBytes, "byte")}`;
  const rest = file.cutBytes === undefined ? "" : " Find text in the rest with search.grep.";
  const next = nextOffset === undefined ? "" : ` Continue with ${continueWith(nextOffset)}.`;
  return { continuation: `${range}${of}${cut}.${rest}${next}` };
}

/** Shows one file per line, for dialects without arguments for limits and hidden files. */
export function showFiles(
  { files, total, limited, leftOut }: DataOf<"search.glob">,
  pattern: string,
): { readonly text: string; readonly continuation?: string } {
  if (files.length === 0) return { text: `No file matches ${pattern}.${notSearched(leftOut)}` };
  const text = files.map(({ path }) => showPath(path)).join("\n");
  if (!limited) return { text };
  return { text, continuation: `${files.length} of ${counted(total, "file")} shown; narrow the pattern.` };
}

/** Says which files a search without results has left out, for dialects without arguments to include them. */
export function notSearched(leftOut: DataOf<"search.glob">["leftOut"] = []): string {
  const kinds = leftOut.join(" and ");
  return kinds === "" ? "" : ` ${kinds[0]!.toUpperCase()}${kinds.slice(1)} files were not searched.`;
}

/** Returns the notes about files that could not be searched, which are the last lines of the text. */
export function remarksIn(text: string, { skipped }: DataOf<"search.grep">): readonly string[] {
  const { unreadable, guarded = [], partly, tooLarge } = skipped;
  const count = [unreadable, guarded, partly, tooLarge].filter(({ length }) => length > 0).length;
  return count === 0 ? [] : text.split("\n").slice(-count);
}

/** Shows matching lines and their count; `hint` says how to get more. */
export function showMatches(
  { data, text }: ToolOutput<DataOf<"search.grep">>,
  { hint }: { readonly hint: string },
): { readonly text: string; readonly continuation?: string | undefined } {
  const { matches, files, limited, binary } = data;
  const [, ...remarks] = text.split("\n");
  // The canonical message names arguments that these dialects lack.
  if (files.length === 0 && binary === undefined)
    return { text: [`No matches.${notSearched(data.leftOut)}`, ...remarks].join("\n") };
  if (binary !== undefined) return { text };
  const count = `[${counted(matches.length, "match", "matches")} in ${counted(files.length, "file")}]`;
  return {
    text: `${text}\n${count}`,
    continuation: limited ? `There are more matches: ${hint}.` : undefined,
  };
}

/** Shows one line per file, as git prints them, and notes on how the patch was read. */
export function answerPatch({ data }: ToolOutput<EditData>): string {
  return data.files
    .flatMap((file) => [changeOf(file), ...file.notes.map((note) => `  (${note})`)])
    .join("\n");
}

function changeOf({ action, path, from }: EditedFile): string {
  return action === "move" ? `R ${from} -> ${path}` : `${changeMarks[action]} ${path}`;
}

const changeMarks = { delete: "D", update: "M", add: "A", copy: "A" } as const;

/** Formats failures for dialects with timeouts in seconds: the hint of `shell.run` names milliseconds. */
export const failureInSeconds: NonNullable<Dialect["failure"]> = ({ hint, details, ...failure }) => {
  // A hint without milliseconds says that there is no longer time limit.
  const isLess = details?.kind === "command-timeout" && details.timeoutMs < maxTimeoutMs;
  const most = maxTimeoutMs / 1000;
  return failureLines({
    ...failure,
    hint: isLess ? `Give a larger \`timeout_secs\` (at most ${most}).` : hint,
  });
};

export function failureLines({ message, hint, output }: Omit<Failure, "code">): string {
  return [message, hint, output].filter((part) => part).join("\n");
}
