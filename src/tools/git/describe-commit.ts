import type { DiffFile } from "../../git/diff/parse-diff.ts";
import type { Commit } from "../../git/log.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { printable, printableLine, showPath } from "../../lib/text/printable.ts";
import type { GitDiffData } from "./diff.ts";

/** Shows a commit in one line: "1a2b3c4 2026-03-01 Ada Lovelace: Add the engine (HEAD -> main)". */
export function describeLine({ hash, date, author, subject, refs }: Commit): string {
  const names = refs.length === 0 ? "" : ` (${refs.join(", ")})`;
  return printableLine(`${hash.slice(0, 9)} ${date.slice(0, 10)} ${author.name}: ${subject}${names}`);
}

/** Shows a commit with its whole message. */
export function describeWhole({ hash, parents, author, date, refs, subject, body }: Commit): string {
  const lines = [
    `commit ${hash}${refs.length === 0 ? "" : ` (${refs.join(", ")})`}`,
    ...(parents.length > 1 ? [`Merge: ${parents.map((parent) => parent.slice(0, 9)).join(" ")}`] : []),
    `Author: ${author.name} <${author.email}>`,
    `Date: ${date}`,
    "",
    ...[subject, ...(body === "" ? [] : ["", ...body.split("\n")])].map((line) => `    ${line}`.trimEnd()),
  ];
  return printable(lines.join("\n"));
}

/** Shows the files of a commit, if they were requested. */
export function describeFiles({ files = [] }: Commit): readonly string[] {
  return files.map(({ path, additions, deletions }) =>
    additions === undefined
      ? `    ${showPath(path)} binary`
      : `    ${showPath(path)} +${additions} -${deletions}`,
  );
}

type Described = Pick<GitDiffData, "compared" | "files" | "additions" | "deletions" | "hidden">;

/** Shows a diff and its totals. A cut diff ends with a list of files, so that the others can be requested. */
export function describeDiff(data: Described, text: string, isCut: boolean): string {
  const { files } = data;
  if (files.length === 0) return describeNumbers(data);
  const body = text === "" || text.endsWith("\n") ? text : `${text}\n`;
  if (!isCut) return `${body}[${summary(data)}]${leftOut(data)}`;
  const shown = files.slice(0, shownFiles).map(describeFile);
  const more = files.length > shownFiles ? [`and ${files.length - shownFiles} more`] : [];
  return `${body}[… cut; ${summary(data)}: ${[...shown, ...more].join(", ")}]${leftOut(data)}`;
}

const shownFiles = 40;

export function describeNumbers(data: Described): string {
  const { files, compared } = data;
  const nothing = data.hidden.length === 0 ? "No differences" : "No differences that can be shown";
  if (files.length === 0) return `${nothing}: ${compared}.${leftOut(data)}`;
  return [...files.map(describeFile), `[${summary(data)}]`].join("\n") + leftOut(data);
}

function summary({ files, additions, deletions, compared }: Described): string {
  return `${compared}: ${counted(files.length, "file")} changed, +${additions} -${deletions}`;
}

function describeFile({ path, from, status, additions, deletions, isBinary }: DiffFile): string {
  const name = from === undefined ? showPath(path) : `${showPath(from)} -> ${showPath(path)}`;
  const kind = status === "modified" ? "" : ` ${status}`;
  return isBinary ? `${name}${kind} binary` : `${name}${kind} +${additions} -${deletions}`;
}

/** Names the files that were skipped, but not the rule: an explicit request for one of them names it. */
function leftOut({ hidden }: Pick<Described, "hidden">): string {
  if (hidden.length === 0) return "";
  const names = hidden.slice(0, 10).map(showPath);
  const more = hidden.length > 10 ? ", …" : "";
  const files = counted(hidden.length, "file hidden by rules was", "files hidden by rules were");
  return `\n[${files} skipped: ${names.join(", ")}${more}]`;
}

/** Counts the added and deleted lines of all files. */
export function sums(files: readonly DiffFile[]): Pick<GitDiffData, "additions" | "deletions"> {
  return {
    additions: files.reduce((sum, file) => sum + file.additions, 0),
    deletions: files.reduce((sum, file) => sum + file.deletions, 0),
  };
}
