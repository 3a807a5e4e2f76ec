import { ToolError } from "../../contract/error.ts";
import { type Block, blockOfHunk, type FileSection, type HunkLine } from "../block.ts";

import {
  type DiffHeader,
  diffNames,
  hintsUnder,
  isDiffHeader,
  isHereDocumentEnd,
  isHunkHeader,
  looksLikeHunk,
  readDiffHeader,
  readHunkHeader,
  withoutPrefix,
} from "./headers.ts";

/*
 * Unified diffs, from git or plain, alone or inside prose and fences:
 *
 *   diff    = (header hunk*)+
 *   header  = ["diff --git a/old b/new" and what git adds] "--- old" "+++ new"
 *   hunk    = "@@ -line,count +line,count @@" [" " heading], line+
 *   line    = (" " | "-" | "+") text | "\ No newline at end of file"      an empty line is an empty context line
 *
 * Line numbers are hints. The counts determine where a hunk ends only if the line there can follow a hunk.
 */

/** Parses a diff. Throws `invalid-input` with the number of the unexpected line. */
export function parseDiff(diff: string): readonly FileSection[] {
  const lines = diff.split("\n");
  const sections: FileSection[] = [];
  let at = 0;
  while (at < lines.length) {
    if (!isDiffHeader(lines, at)) {
      if (isHunkHeader(lines[at]!) && /@@ -\d/.test(lines[at]!))
        throw new ToolError("invalid-input", `The hunk at line ${at + 1} of the diff has no file`, {
          hint: "Write `--- a/path` and `+++ b/path` before it.",
        });
      at += 1;
      continue;
    }
    const header = readDiffHeader(lines, at);
    at = header.end;
    const hunks: Hunk[] = [];
    while (isHunkHeader(lines[afterBlank(lines, at)] ?? "")) {
      const hunk = readHunk(lines, afterBlank(lines, at), hunks.length + 1);
      hunks.push(hunk);
      at = hunk.end;
    }
    sections.push(sectionOf(header, hunks));
  }
  if (sections.length === 0) {
    throw new ToolError("invalid-input", "The diff names no file", {
      hint: "Begin it with `--- a/path` and `+++ b/path`, then `@@` and the lines.",
    });
  }
  return sections;
}

interface Hunk {
  readonly lines: readonly HunkLine[];
  readonly block: Block;
  readonly oldHasFinalLineEnd: boolean;
  readonly newHasFinalLineEnd: boolean;
  readonly end: number;
}

function sectionOf(header: DiffHeader, hunks: readonly Hunk[]): FileSection {
  const { oldName, newName, mode } = header;
  const has = (...kinds: readonly HunkLine["kind"][]) =>
    hunks.some(({ lines }) => lines.some(({ kind }) => kinds.includes(kind)));
  if (oldName === undefined || (header.oldIsEpoch && !has("context", "removed"))) {
    const lineOf = ({ text, carriageReturn }: HunkLine) =>
      carriageReturn && !header.hasCarriageReturns ? `${text}\r` : text;
    return {
      kind: "add",
      name: header.isPlain ? newName! : withoutPrefix(newName!),
      lines: hunks.flatMap(({ lines }) => lines.filter(({ kind }) => kind === "added").map(lineOf)),
      finalLineEnd: hunks.at(-1)?.newHasFinalLineEnd ?? true,
      mode,
    };
  }
  if (newName === undefined || (header.newIsEpoch && !has("context", "added"))) {
    const removed = hunks.flatMap(({ lines }) => lines.filter(({ kind }) => kind === "removed"));
    return {
      kind: "delete",
      names: diffNames(oldName),
      lines: hunks.length > 0 ? removed.map(({ text }) => text) : undefined,
    };
  }
  if (hunks.length === 0 && !header.isRename && !header.isCopy && mode === undefined) {
    throw new ToolError("invalid-input", `The diff has no hunks for ${newName}`, {
      hint: "Follow `+++ path` with `@@` and lines that begin with a space, `-` or `+`.",
    });
  }
  const moves = header.isRename || header.isCopy;
  return {
    kind: "update",
    names: moves ? [oldName] : diffNames(oldName, newName),
    blocks: hunks.map(({ block }) => block),
    moveTo: moves ? newName : undefined,
    isCopy: header.isCopy,
    mode,
  };
}

function readHunk(lines: readonly string[], start: number, number: number): Hunk {
  const header = readHunkHeader(lines[start]!.slice(2).trim());
  const counted = bodyByCounts(lines, start + 1, header.oldCount, header.newCount);
  const end = counted ?? bodyByLooks(lines, start + 1);
  const body: HunkLine[] = [];
  let oldHasFinalLineEnd = true;
  let newHasFinalLineEnd = true;
  for (let at = start + 1; at < end; at += 1) {
    const line = readLine(lines[at]!);
    if (line) body.push(line);
    else if (lines[at]!.startsWith("\\")) {
      if (body.at(-1)?.kind !== "added") oldHasFinalLineEnd = false;
      if (body.at(-1)?.kind !== "removed") newHasFinalLineEnd = false;
    } else throw unexpected(lines, at);
  }
  if (body.every(({ bare }) => bare)) throw unexpected(lines, start);
  const hints = hintsUnder([header], !oldHasFinalLineEnd);
  const finalLineEnd = oldHasFinalLineEnd === newHasFinalLineEnd ? undefined : newHasFinalLineEnd;
  return {
    lines: body,
    block: blockOfHunk(`hunk ${number}`, body, hints, finalLineEnd),
    oldHasFinalLineEnd,
    newHasFinalLineEnd,
    end,
  };
}

function readLine(line: string): HunkLine | undefined {
  const carriageReturn = line.endsWith("\r");
  const text = (carriageReturn ? line.slice(0, -1) : line).slice(1);
  if (line === "" || line === "\r") return { kind: "context", text: "", bare: true, carriageReturn };
  const kind = kindOf(line);
  return kind && { kind, text, carriageReturn };
}

function kindOf(line: string): HunkLine["kind"] | undefined {
  return line === "" || line === "\r" ? "context" : hunkLineKinds[line[0]!];
}

export const hunkLineKinds: Readonly<Record<string, HunkLine["kind"]>> = {
  " ": "context",
  "-": "removed",
  "+": "added",
};

/** Returns the end of the hunk according to its counts; undefined when they are missing or wrong. */
function bodyByCounts(
  lines: readonly string[],
  start: number,
  oldCount: number | undefined,
  newCount: number | undefined,
): number | undefined {
  if (oldCount === undefined || newCount === undefined) return undefined;
  let oldLeft = oldCount;
  let newLeft = newCount;
  let at = start;
  for (; at < lines.length && (oldLeft > 0 || newLeft > 0); at += 1) {
    const kind = kindOf(lines[at]!);
    if (!kind && !lines[at]!.startsWith("\\")) return undefined;
    if (kind && kind !== "added") oldLeft -= 1;
    if (kind && kind !== "removed") newLeft -= 1;
  }
  while (lines[at]?.startsWith("\\")) at += 1;
  return oldLeft === 0 && newLeft === 0 && canFollowHunk(lines, at) ? at : undefined;
}

function canFollowHunk(lines: readonly string[], at: number): boolean {
  const next = afterBlank(lines, at);
  return endsHunk(lines, next) || (next > at && isProse(lines, next));
}

function bodyByLooks(lines: readonly string[], start: number): number {
  let end = start;
  while (!endsHunk(lines, end) && !(lines[end - 1] === "" && isProse(lines, end))) end += 1;
  // The final line end of the text and a blank line before prose are not lines of the hunk.
  const isBlankLayout = end === lines.length || !endsHunk(lines, end);
  return isBlankLayout && lines[end - 1] === "" ? end - 1 : end;
}

function afterBlank(lines: readonly string[], at: number): number {
  let next = at;
  while (next < lines.length && lines[next]!.trim() === "") next += 1;
  return next;
}

/** Whether a hunk ends before a line: at the end of the text or of a wrapping, at a header, or at a mail signature. */
function endsHunk(lines: readonly string[], at: number): boolean {
  const line = lines[at];
  if (line === undefined) return true;
  if (isHunkHeader(line) || isDiffHeader(lines, at)) return true;
  if (!/^(?:```|~~~)/.test(line) && !isHereDocumentEnd(lines, at)) return isSignature(lines, at);
  return isProse(lines, at);
}

/** Whether no line before the next file looks like a line of a hunk. */
function isProse(lines: readonly string[], at: number): boolean {
  if (readLine(lines[at]!)) return false;
  for (let next = at; next < lines.length && !isDiffHeader(lines, next); next += 1) {
    if (looksLikeHunk(lines[next]!)) return false;
  }
  return true;
}

function isSignature(lines: readonly string[], at: number): boolean {
  return (
    lines[at]?.trimEnd() === "--" &&
    !/^[+-]/.test(lines[at + 1] ?? "") &&
    lines.slice(at + 2).every((line) => line.trim() === "")
  );
}

function unexpected(lines: readonly string[], at: number): ToolError {
  const message = `Line ${at + 1} of the diff is unexpected: ${JSON.stringify(lines[at])}`;
  const hint = "Below `@@`, lines begin with a space (context), `-` (remove) or `+` (add).";
  return new ToolError("invalid-input", message, { hint });
}

/** Adds the file names that a diff for one given file may omit. */
export function withHeader(diff: string): string {
  return hasHeader.test(diff) ? diff : diff.replace(/^[^\S\n]*@@/m, `--- file\n+++ file\n$&`);
}

const hasHeader = /^[^\S\n]*(?:diff --git |--- .*\n[^\S\n]*\+\+\+ |\*\*\* (?:Begin Patch|Update File:))/m;

/** Returns the same changes for the file at `path`, regardless of the names in the diff. */
export function onlyChanging(path: string, sections: readonly FileSection[]): readonly FileSection[] {
  const names = new Set(
    sections.map((section) => (section.kind === "add" ? section.name : section.names[0])),
  );
  if (names.size > 1) {
    const message = `The diff changes ${names.size} files, but this call can only change ${path}`;
    throw new ToolError("invalid-input", message, { hint: "Make a separate call for each file." });
  }
  return sections.map((section) => {
    if (section.kind === "update" && section.moveTo === undefined) return { ...section, names: [path] };
    const does = { add: "adds", delete: "deletes", update: "moves" }[section.kind];
    throw new ToolError("invalid-input", `The diff ${does} a file, but this call can only change ${path}`, {
      hint: "Give only hunks that change this file.",
    });
  });
}
