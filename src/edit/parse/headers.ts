import { ToolError } from "../../contract/error.ts";
import { unquoteC } from "../../lib/text/unquote-c.ts";
import type { LocationHints } from "../block.ts";

/** The headers of a file in a diff, before its hunks. A missing name means /dev/null. */
export interface DiffHeader {
  readonly oldName?: string | undefined;
  readonly newName?: string | undefined;
  /** The names have no a/ or b/ prefix, as in renames and copies. */
  readonly isPlain: boolean;
  readonly isRename: boolean;
  readonly isCopy: boolean;
  /** The time stamp is the epoch, which `diff -N` prints for a missing file. */
  readonly oldIsEpoch: boolean;
  readonly newIsEpoch: boolean;
  /** The header's lines end with carriage returns, so those of the hunks mean nothing. */
  readonly hasCarriageReturns: boolean;
  readonly mode?: number | undefined;
  readonly end: number;
}

export function isDiffHeader(lines: readonly string[], at: number): boolean {
  const line = lines[at] ?? "";
  if (line.startsWith("diff --git ")) return true;
  if (!line.startsWith("--- ") || !lines[at + 1]?.startsWith("+++ ")) return false;
  // In a hunk, "--- x" and "+++ y" remove "-- x" and add "++ y". Only a header has a hunk or nothing after it.
  let next = at + 2;
  while (next < lines.length && lines[next]!.trim() === "") next += 1;
  return next === lines.length || /^(@@|diff --git )/.test(lines[next]!);
}

export function readDiffHeader(lines: readonly string[], start: number): DiffHeader {
  const fields = new Map<string, string>();
  let at = start;
  let names: readonly [string, string] | undefined;
  if (lines[at]!.startsWith("diff --git ")) {
    names = gitNames(clean(lines[at]!).slice("diff --git ".length));
    for (at += 1; extended.test(clean(lines[at] ?? "")); at += 1) {
      const [, field, value] = extended.exec(clean(lines[at]!))!;
      fields.set(field!, value!);
    }
  }
  refuseBinary(lines, at);
  let oldIsEpoch = false;
  let newIsEpoch = false;
  let oldName = fileName(fields.get("rename from") ?? fields.get("copy from") ?? names?.[0]);
  let newName = fileName(fields.get("rename to") ?? fields.get("copy to") ?? names?.[1]);
  if (lines[at]?.startsWith("--- ") && lines[at + 1]?.startsWith("+++ ")) {
    const isMoved = fields.has("rename from") || fields.has("copy from");
    if (!isMoved) oldName = fileName(clean(lines[at]!).slice(4));
    if (!isMoved) newName = fileName(clean(lines[at + 1]!).slice(4));
    oldIsEpoch = isEpoch(lines[at]!);
    newIsEpoch = isEpoch(lines[at + 1]!);
    at += 2;
  }
  if (fields.has("new file mode")) oldName = undefined;
  if (fields.has("deleted file mode")) newName = undefined;
  while (at < lines.length && lines[at]!.trim() === "" && /^@@/.test(lines[at + 1] ?? "")) at += 1;
  if (oldName === undefined && newName === undefined)
    throw new ToolError("invalid-input", `The diff names no file at line ${start + 1}`, {
      hint: "Write `--- a/path` and `+++ b/path`.",
    });
  return {
    oldName,
    newName,
    isPlain: fields.has("rename to") || fields.has("copy to"),
    isRename: fields.has("rename to"),
    isCopy: fields.has("copy to"),
    oldIsEpoch,
    newIsEpoch,
    hasCarriageReturns: lines[start]!.endsWith("\r"),
    mode: permissions(fields.get("new file mode") ?? fields.get("new mode")),
    end: at,
  };
}

const extended =
  /^(old mode|new mode|new file mode|deleted file mode|rename from|rename to|copy from|copy to|similarity index|dissimilarity index|index) (.*)$/;

function clean(line: string): string {
  return line.replace(/\r$/, "");
}

function isEpoch(line: string): boolean {
  const stamp = /\t(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.0+)? ([+-]\d\d)(\d\d)/.exec(line);
  return stamp !== null && Date.parse(`${stamp[1]}T${stamp[2]}${stamp[3]}:${stamp[4]}`) === 0;
}

/** Returns a name without time stamp and quotes; undefined for /dev/null. */
function fileName(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const name = text.startsWith('"') ? unquoteC(text) : text.replace(/\t.*$/, "").trimEnd();
  return name === "/dev/null" || name === "" ? undefined : name;
}

/** Splits "a/name b/name". Names with spaces are split in the middle, because both have the same length. */
function gitNames(text: string): readonly [string, string] | undefined {
  const quoted = /^("(?:[^"\\]|\\.)*"|\S+) ("(?:[^"\\]|\\.)*"|\S+)$/.exec(text);
  if (quoted) return [quoted[1]!, quoted[2]!];
  const middle = (text.length - 1) / 2;
  return text[middle] === " " ? [text.slice(0, middle), text.slice(middle + 1)] : undefined;
}

function permissions(mode: string | undefined): number | undefined {
  if (mode === undefined) return undefined;
  const bits = Number.parseInt(mode, 8);
  if ((bits & 0o170000) === 0o100000) return bits & 0o777;
  throw new ToolError("unsupported", `The diff creates a link or submodule (mode ${mode})`, {
    hint: "Create it with a shell command instead.",
  });
}

function refuseBinary(lines: readonly string[], at: number): void {
  if (!/^(GIT binary patch|Binary files )/.test(lines[at] ?? "")) return;
  throw new ToolError("unsupported", `Line ${at + 1} of the diff changes a binary file`, {
    hint: "Omit binary files from the diff.",
  });
}

export interface HunkHeader {
  /** The old line number of a unified diff. */
  readonly firstLine?: number | undefined;
  readonly oldCount?: number | undefined;
  readonly newCount?: number | undefined;
  readonly text: string;
}

/** Whether a line begins a hunk. `@@@` begins a hunk of a merge, which is not supported. */
export function isHunkHeader(line: string): boolean {
  return line.startsWith("@@") && !/^@{3,} -\d/.test(line);
}

/** Parses the text after the first `@@`: `-1,5 +1,6 @@ function name()`, or any part of it. */
export function readHunkHeader(header: string): HunkHeader {
  const numbers = /^-(\d+)(?:,(\d+))?\s+\+(\d+)(?:,(\d+))?\s*(?:@@|$)(.*)$/s.exec(header);
  if (!numbers) return { text: header.replace(/^(?:\.\.\.|…)?\s*@@\s*/, "").trim() };
  const [, start, oldCount = "1", , newCount = "1", text] = numbers;
  return {
    // When the hunk replaces no line, a diff gives the line before the new lines.
    firstLine: Number(start) + (oldCount === "0" ? 1 : 0),
    oldCount: Number(oldCount),
    newCount: Number(newCount),
    text: text!.trim(),
  };
}

/** Returns the hints of a hunk from its headers. The last one is its own. */
export function hintsUnder(headers: readonly HunkHeader[], endOfFile: boolean): LocationHints {
  const own = headers.at(-1);
  return {
    headers: headers.map(({ text }) => text).filter((text) => text !== ""),
    isHeading: own?.firstLine !== undefined,
    firstLine: headers.findLast(({ firstLine }) => firstLine !== undefined)?.firstLine,
    isInsertion: own?.oldCount === 0 && own.firstLine! > 1,
    endOfFile,
  };
}

/** Whether a line is the tag that ends a here-document, which was opened above with `<<TAG` outside of a hunk. */
export function isHereDocumentEnd(lines: readonly string[], at: number): boolean {
  const tag = lines[at]!.replace(/^\t+/, "").trimEnd();
  if (!/^\w[\w-]*$/.test(tag)) return false;
  return lines.slice(0, at).some((line) => /^(?![ +-]).*?<<-?\s*(["']?)([\w-]+)\1/.exec(line)?.[2] === tag);
}

/** Whether a line looks like part of a hunk, rather than a list item, a rule or a signature. */
export function looksLikeHunk(line: string): boolean {
  return /^(?:@@|[+-](?! [\p{L}\p{N}"'`*_[(]|-*\s*$))/u.test(line);
}

export function newPath(name: string): string {
  return unquoted(name).replace(/^(?:\.\/)+/, "");
}

/** Returns the possible names of a file in a diff. If all have a prefix, the names without it come first. */
export function diffNames(oldName: string, newName?: string): readonly string[] {
  const names = newName === undefined ? [oldName] : [newName, oldName];
  return names.every((name) => prefix.test(name)) ? [...names.map(withoutPrefix), ...names] : names;
}

export function withoutPrefix(name: string): string {
  return name.replace(prefix, "");
}

/** Git's prefixes: a/ and b/, or those for index, work tree and commit. */
const prefix = /^[abciow]\//;

/** Yields the paths that a name may mean, in the order to try. */
export function* spellings(name: string): Generator<string> {
  yield name;
  const plain = unquoted(name);
  if (plain !== name) yield plain;
  const relative = plain.replace(/^(?:\.\/)+/, "");
  if (relative !== plain) yield relative;
  if (prefix.test(relative)) yield withoutPrefix(relative);
}

function unquoted(name: string): string {
  return /^(["'`])(.+)\1$/.exec(name)?.[2] ?? name;
}
