import { ToolError } from "../contract/error.ts";
import { unquoteC } from "../lib/c-quoted.ts";

/** What a diff says about a file before its hunks. A name that is missing stands for /dev/null. */
export interface DiffHeader {
  readonly oldName?: string | undefined;
  readonly newName?: string | undefined;
  /** Names without the prefixes a/ and b/, as renames have them. */
  readonly isPlain: boolean;
  readonly isRename: boolean;
  readonly isCopy: boolean;
  /** The time stamp of the old or new file is the epoch, as `diff -N` has it for a file that is not there. */
  readonly oldIsEpoch: boolean;
  readonly newIsEpoch: boolean;
  /** Its lines end with carriage returns, so those of the hunks say nothing. */
  readonly hasCarriageReturns: boolean;
  /** Permission bits the file is to get. */
  readonly mode?: number | undefined;
  /** The line after it. */
  readonly end: number;
}

export function isDiffHeader(lines: readonly string[], at: number): boolean {
  const line = lines[at] ?? "";
  if (line.startsWith("diff --git ")) return true;
  if (!line.startsWith("--- ") || !lines[at + 1]?.startsWith("+++ ")) return false;
  // "--- x" and "+++ y" may also remove "-- x" and add "++ y"; a header is followed by a hunk, or by nothing.
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
  if (oldName === undefined && newName === undefined) throw nameless(start);
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

/** A name without time stamp and quotes; undefined for /dev/null. */
function fileName(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const name = text.startsWith('"') ? unquoteC(text) : text.replace(/\t.*$/, "").trimEnd();
  return name === "/dev/null" || name === "" ? undefined : name;
}

/** "a/name b/name": both halves are the same but for their first letter, unless the file is renamed. */
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
  throw new ToolError("unsupported", `The diff makes a link or submodule (mode ${mode})`, {
    hint: "Only regular files can be made this way; use the shell for links.",
  });
}

function refuseBinary(lines: readonly string[], at: number): void {
  if (!/^(GIT binary patch|Binary files )/.test(lines[at] ?? "")) return;
  throw new ToolError("unsupported", `Line ${at + 1} of the diff changes a binary file`, {
    hint: "Leave binary files out of the diff.",
  });
}

function nameless(at: number): ToolError {
  return new ToolError("invalid-input", `The diff names no file at line ${at + 1}`, {
    hint: "Write `--- a/path` and `+++ b/path`.",
  });
}
