import { ToolError } from "../../contract/error.ts";
import { isHereDocumentEnd, looksLikeHunk } from "./headers.ts";
import type { Strictness } from "./patch.ts";

/** The lines between `*** Begin Patch` and `*** End Patch`. */
interface PatchBody {
  readonly lines: readonly string[];
  /** Its first line in the whole text, counted from 1. */
  readonly firstLine: number;
}

/** Extracts all patches without the fences and prose around them. Throws when one is cut off. */
export function patchBodies(patch: string, strictness: Strictness): readonly PatchBody[] {
  const lines = patch.split("\n");
  const bodies: PatchBody[] = [];
  const isBegin = (line: string) => isMarker(line, "Begin Patch", strictness);
  let begin = lines.findIndex(isBegin);
  if (begin === -1 && strictness === "loose" && lines.some(isSection)) return [withoutEnvelope(lines)];
  refuseOutside(lines.slice(0, begin === -1 ? lines.length : begin), 1);
  while (begin !== -1) {
    const start = begin + 1;
    const end = findEnd(lines, start, strictness);
    if (end === -1) {
      if (strictness === "loose" && isComplete(lines)) return [...bodies, withoutEnd(lines, start)];
      throw new ToolError("invalid-input", "The patch does not end with `*** End Patch`", {
        hint: "It may have been cut off: send it whole, or in smaller patches.",
      });
    }
    bodies.push({ lines: withoutEnvironment(lines.slice(start, end)), firstLine: start + 1 });
    const next = lines.findIndex((line, index) => index > end && isBegin(line));
    refuseOutside(lines.slice(end + 1, next === -1 ? lines.length : next), end + 2, looksLikeHunk);
    begin = next;
  }
  if (bodies.length === 0) {
    throw new ToolError("invalid-input", "The patch does not begin with `*** Begin Patch`", {
      hint: "Put it between the lines `*** Begin Patch` and `*** End Patch`.",
    });
  }
  return bodies;
}

/** Finds the end marker. An indented one counts only in a loose reading and when there is no other. */
function findEnd(lines: readonly string[], start: number, strictness: Strictness): number {
  const plain = lines.findIndex(
    (line, index) => index >= start && line.startsWith("***") && line.trimEnd() === "*** End Patch",
  );
  if (plain !== -1 || strictness === "strict") return plain;
  return lines.findLastIndex((line, index) => index >= start && isEnd(line));
}

function withoutEnvelope(lines: readonly string[]): PatchBody {
  const first = lines.findIndex(isSection);
  refuseOutside(lines.slice(0, first), 1);
  return withoutEnd(lines, first);
}

/** Returns everything from `first` on, except an end marker or the line that closes a wrapping. */
function withoutEnd(lines: readonly string[], first: number): PatchBody {
  const filled = lastFilled(lines);
  const end = isEnd(lines[filled]!) || closesWrapping(lines, filled) ? filled : filled + 1;
  return { lines: withoutEnvironment(lines.slice(first, end)), firstLine: first + 1 };
}

/** Whether a patch without end marker is complete: its wrapping is closed, or it ends with a marker or with context. */
function isComplete(lines: readonly string[]): boolean {
  const filled = lastFilled(lines);
  if (closesWrapping(lines, filled)) return true;
  if (filled === lines.length - 1) return false;
  const context = lines.slice(Math.max(0, filled - 2), filled + 1);
  return (
    /^\*\*\* (?:End of File|Delete File:)/.test(lines[filled]!) ||
    context.every((line) => /^(?: |$)/.test(line))
  );
}

/** Returns the last line that is not empty. A line with only a space is a blank context line. */
function lastFilled(lines: readonly string[]): number {
  return lines.findLastIndex((line) => line !== "" && line !== "\r");
}

function closesWrapping(lines: readonly string[], at: number): boolean {
  return /^(```|~~~)\s*$/.test(lines[at]!) || isHereDocumentEnd(lines, at);
}

/** Whether a line is a marker. A loose reading ignores case and the spacing of the stars. */
function isMarker(line: string, marker: "Begin Patch" | "End Patch", strictness: Strictness): boolean {
  if (strictness === "strict") return line.includes(marker) && line.trim() === `*** ${marker}`;
  const text = /^\s*\*{3}\s*(\w+ \w+)\s*(?:\*{3})?\s*$/.exec(line)?.[1];
  return text?.toLowerCase() === marker.toLowerCase();
}

function isEnd(line: string): boolean {
  return isMarker(line, "End Patch", "loose");
}

function isSection(line: string): boolean {
  return /^\s*\*\*\*\s*(Add|Update|Delete) File:/i.test(line);
}

function refuseOutside(
  lines: readonly string[],
  firstLine: number,
  isLost: (line: string) => boolean = () => false,
): void {
  const outside = lines.findIndex((line) => isSection(line) || isEnd(line) || isLost(line));
  if (outside !== -1) {
    const message = `Line ${firstLine + outside} is outside of the patch: ${JSON.stringify(lines[outside])}`;
    const hint = "Put all files between one `*** Begin Patch` and one `*** End Patch`.";
    throw new ToolError("invalid-input", message, { hint });
  }
  if (lines.some((line) => /^\s*(?:bash -\w*c\s+["'])?cd\s+\S.*apply_?patch/.test(line))) {
    throw new ToolError("invalid-input", "A `cd` command precedes the patch", {
      hint: "Omit `cd` and name the files relative to the workspace.",
    });
  }
}

function withoutEnvironment(lines: readonly string[]): readonly string[] {
  return /^\*\*\* Environment ID: \S/.test(lines[0] ?? "") ? lines.slice(1) : lines;
}

/**
 * Returns the possible readings, most likely first, of a patch or diff that is a single line because its line ends are
 * written as `\n`: as a JSON or Python string, or with only line ends and tabs escaped. Other texts stay unchanged.
 */
export function unescapeWhole(text: string): readonly string[] {
  const line = text.trim();
  if (line.includes("\n") || !/\\n(?:\*\*\*|---|\+\+\+|@@)/.test(line)) return [text];
  const body = /^(["'])(.*)\1$/.exec(line)?.[2] ?? inObject(line) ?? line;
  const readings = [withoutEscapes(body, /\\([ntr])/g)];
  if (isEscaped(body, "'") && /^'|\\'/.test(line)) readings.unshift(withoutEscapes(body, /\\([\\'ntr])/g));
  if (isEscaped(body, '"')) readings.unshift(withoutEscapes(body, /\\(u[\da-fA-F]{4}|[\\"/ntr])/g));
  return [...new Set(readings)];
}

/** Extracts the patch from the JSON of a whole call. */
function inObject(line: string): string | undefined {
  if (!/^\{.*\}$/.test(line)) return undefined;
  return /"((?:[^"\\]|\\.)*\\n(?:\*\*\*|@@)(?:[^"\\]|\\.)*)"/.exec(line)?.[1];
}

/** Whether the text could be a quoted string: it has no bare quote and no bare backslash. */
function isEscaped(text: string, quote: string): boolean {
  const rest = text.replace(/\\["'\\/bfnrtu]/g, "");
  return !rest.includes("\\") && !rest.includes(quote);
}

function withoutEscapes(text: string, pattern: RegExp): string {
  return text.replace(pattern, (_, code: string) =>
    code.length > 1 ? String.fromCharCode(Number.parseInt(code.slice(1), 16)) : (characters[code] ?? code),
  );
}

const characters: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };
