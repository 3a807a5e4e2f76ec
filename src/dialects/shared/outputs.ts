import type { ToolOutput } from "../../contract/tool.ts";
import { counted } from "../../lib/counted.ts";
import { showPath } from "../../lib/show-path.ts";
import type { EditData, EditedFile } from "../../tools/edit/describe-edit.ts";
import type { ShellRunData } from "../../tools/shell/run.ts";
import type { Dialect } from "../dialect.ts";
import type { DataOf } from "../rename.ts";

/** What a command said, on both streams in the order it came. */
export function outputOf({ stdout, stderr, together }: ShellRunData): string {
  return (together ?? `${stdout}${stderr}`).replace(/\n$/, "");
}

/** What else is worth knowing, a line each. */
export function remarksOf({
  remarks,
  sandbox,
}: Pick<ShellRunData, "remarks" | "sandbox">): readonly string[] {
  return [
    ...remarks.map((remark) => `[${remark}]`),
    ...(sandbox === "bwrap" ? [] : [`[sandbox: ${sandbox}]`]),
  ];
}

/** Which lines of how many were read, and what to give to read on; nothing when the file ends there. */
export function howToReadOn(
  { files: [file] }: DataOf<"file.read">,
  wayOn: (nextLine: number) => string,
): { readonly continuation?: string } {
  if (file?.kind !== "text" || (file.nextOffset ?? file.cutBytes) === undefined) return {};
  const { firstLine, lines, totalLines, nextOffset } = file;
  const range = lines === 1 ? `Line ${firstLine}` : `Lines ${firstLine}-${firstLine + lines - 1}`;
  const of = totalLines === undefined ? "" : ` of ${totalLines}`;
  const cut = file.cutBytes === undefined ? "" : `, which goes on for ${counted(file.cutBytes, "byte")}`;
  const way = nextOffset === undefined ? "" : ` To read on give ${wayOn(nextOffset)}.`;
  return { continuation: `${range}${of}${cut}.${way}` };
}

/** Files one a line, for dialects in which neither a limit nor hidden files can be asked for. */
export function showFiles(
  { files, total, limited }: DataOf<"search.glob">,
  pattern: string,
): { readonly text: string; readonly continuation?: string } {
  if (files.length === 0) return { text: `No file matches ${pattern}.` };
  const text = files.map(({ path }) => showPath(path)).join("\n");
  if (!limited) return { text };
  return { text, continuation: `${files.length} of ${counted(total, "file")} shown; narrow the pattern.` };
}

/** Lines that match, then how many there are; `wayOut` says what can be done where there are more. */
export function showMatches(
  { data, text }: ToolOutput<DataOf<"search.grep">>,
  { wayOut }: { readonly wayOut: string },
): { readonly text: string; readonly continuation?: string } {
  const { matches, files, limited, binary } = data;
  const [, ...remarks] = text.split("\n");
  // What we say of searching otherwise names fields that these dialects do not have.
  if (files.length === 0 && binary === undefined)
    return { text: ["No line matches.", ...remarks].join("\n") };
  if (binary !== undefined) return { text };
  const count = `[${counted(matches.length, "match", "matches")} in ${counted(files.length, "file")}]`;
  return {
    text: `${text}\n${count}`,
    ...(limited ? { continuation: `There are more: ${wayOut}.` } : {}),
  };
}

/** A line for each file, as git tells of them, and what there is to say about how the patch was understood. */
export function answerPatch({ data }: ToolOutput<EditData>): string {
  return data.files
    .flatMap((file) => [changeOf(file), ...file.notes.map((note) => `  (${note})`)])
    .join("\n");
}

function changeOf({ action, path, from }: EditedFile): string {
  switch (action) {
    case "move":
      return `R ${from} -> ${path}`;
    case "delete":
      return `D ${path}`;
    case "update":
      return `M ${path}`;
    case "add":
    case "copy":
      return `A ${path}`;
  }
}

/** For dialects that give a command's time in seconds, and run none in the background. */
export const failureInSeconds: NonNullable<Dialect["failure"]> = ({ message, hint, output }) => {
  const wayOut = hint?.includes("`timeout_secs`") ? "Give a larger `timeout_secs` (at most 600)." : hint;
  return [message, wayOut, output].filter((part) => part).join("\n");
};
