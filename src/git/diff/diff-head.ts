import { unquoteC } from "../../lib/c-quoted.ts";
import type { DiffFile } from "./diff-reader.ts";

export type Draft = { -readonly [Key in keyof DiffFile]: DiffFile[Key] };

/** What git says of a file before its hunks; undefined when that does not tell its name. */
export function readHead(head: readonly string[], prefix: string): Draft | undefined {
  const [, kind, names = ""] = /^(?:diff --|\* )(git|cc|combined|Unmerged path) (.*)$/m.exec(head[0]!) ?? [];
  const path = kind === "git" ? bothNames(names, prefix) : nameOf(names);
  const file: Draft & { path: string } = {
    path: path ?? "",
    status: kind === "Unmerged path" ? "unmerged" : "modified",
    additions: 0,
    deletions: 0,
    isBinary: false,
    patch: "",
    isCut: false,
  };
  for (const line of head.slice(1)) readLine(line, file, kind !== "git");
  if (file.path === "") return undefined;
  file.path = prefix + file.path;
  if (file.from !== undefined) file.from = prefix + file.from;
  return file;
}

/** Stands in the place of hunks. */
export function isBinaryNote(line: string): boolean {
  return line.startsWith("Binary files ") || line.startsWith("GIT binary patch");
}

function readLine(line: string, file: Draft, isCombined: boolean): void {
  const [, field, value = ""] = fields.exec(line) ?? [];
  switch (field) {
    case "new file mode":
      file.status = "added";
      break;
    case "deleted file mode":
      file.status = "deleted";
      break;
    case "new mode":
      if (file.status === "modified") file.status = "mode changed";
      break;
    case "index":
      if (file.status === "mode changed") file.status = "modified";
      // The outcome of a merge has no hash while it is in the working tree only.
      if (isCombined && /\.\.0+$/.test(value)) file.status = "unmerged";
      break;
    case "rename from":
    case "copy from":
      file.status = field === "copy from" ? "copied" : "renamed";
      file.from = nameOf(value);
      break;
    case "rename to":
    case "copy to":
      file.path = nameOf(value);
      break;
    default:
      if (isBinaryNote(line)) file.isBinary = true;
  }
}

const fields =
  /^(new file mode|deleted file mode|new mode|index|rename from|copy from|rename to|copy to) (.*)\n?$/;

/** "a/name b/name": both are the same but for their first letter, unless the file was renamed, which is said below. */
function bothNames(text: string, prefix: string): string | undefined {
  const [, from, to] = /^("(?:[^"\\]|\\.)*") ("(?:[^"\\]|\\.)*")$/.exec(text) ?? [];
  const middle = (text.length - 1) / 2;
  const [left, right] =
    from !== undefined && to !== undefined
      ? [unquoteC(from), unquoteC(to)]
      : [text.slice(0, middle), text.slice(middle + 1)];
  const name = left.startsWith(`a/${prefix}`) ? left.slice(2 + prefix.length) : undefined;
  return name !== undefined && right === `b/${prefix}${name}` ? name : undefined;
}

function nameOf(text: string): string {
  return text.startsWith('"') ? unquoteC(text) : text;
}
