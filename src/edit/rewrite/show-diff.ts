import { detectEncoding, detectionBytes } from "../../lib/text/encoding.ts";
import { showPath } from "../../lib/text/printable.ts";
import { diffRuns } from "../diff-runs.ts";
import type { Change, FilePlan } from "../edit-request.ts";
import { type LineTable, type Source, sourcesOf } from "../source.ts";

/** Shows a plan as a unified diff, which git can apply to UTF-8 files with line feeds. */
export function showDiff(plan: FilePlan, options: { readonly context: number } = { context: 3 }): string {
  const before = linesOf(plan.path, plan.action === "add" ? undefined : plan.before);
  const after = linesOf(plan.path, plan.action === "delete" ? undefined : plan.after);
  const oldName = plan.action === "add" ? "/dev/null" : inHeader("a", "from" in plan ? plan.from : plan.path);
  const newName = plan.action === "delete" ? "/dev/null" : inHeader("b", plan.path);
  if (plan.changes.length === 0) {
    if (!("from" in plan)) return "";
    const verb = plan.action === "move" ? "rename" : "copy";
    return `${verb} from ${showPath(plan.from)}\n${verb} to ${showPath(plan.path)}\n`;
  }
  const hunks = groupChanges(plan, before, options.context).map((group) => showHunk(group, before, after));
  return [`--- ${oldName}`, `+++ ${newName}`, ...hunks.flat(), ""].join("\n");
}

/** An absolute path gets no prefix, so that it can be read back. One with line ends is quoted, so that it adds no lines. */
function inHeader(prefix: "a" | "b", path: string): string {
  return showPath(path.startsWith("/") ? path : `${prefix}/${path}`);
}

/** Changes that share context, in lines counted from 0. */
interface Group {
  start: number;
  end: number;
  /** How many more lines the new file has before this hunk. */
  readonly growth: number;
  readonly changes: { readonly start: number; readonly removed: number; readonly added: number }[];
}

function groupChanges({ changes }: FilePlan, before: LineTable, context: number): readonly Group[] {
  const groups: Group[] = [];
  let growth = 0;
  for (const { firstLine, removedLines, addedLines } of changes) {
    const start = firstLine - 1;
    const change = { start, removed: removedLines, added: addedLines };
    const last = groups.at(-1);
    let end = start + removedLines;
    while (end < start + removedLines + context && before.start(end) < before.utf8.length) end += 1;
    if (last && start - context <= last.end) {
      last.end = end;
      last.changes.push(change);
    } else groups.push({ start: Math.max(0, start - context), end, growth, changes: [change] });
    growth += addedLines - removedLines;
  }
  return groups;
}

function showHunk(
  { start, end, growth, changes }: Group,
  before: LineTable,
  after: LineTable,
): readonly string[] {
  const shown: string[] = [];
  let line = start;
  let shift = growth;
  for (const change of changes) {
    shown.push(...signed(" ", before, line, change.start - line));
    line = change.start;
    const show = (text: TextOf) => ({
      removed: signed("-", before, line, change.removed, text),
      added: signed("+", after, line + shift, change.added, text),
    });
    const plain = show(plainText);
    // A change of only line ends shows them.
    const { removed, added } = readAlike(plain.removed, plain.added) ? show(textAndLineEnd) : plain;
    shown.push(...removed, ...added);
    line += change.removed;
    shift += change.added - change.removed;
  }
  shown.push(...signed(" ", before, line, end - line));
  const oldCount = end - start;
  const newCount = oldCount + shift - growth;
  const number = (first: number, count: number) => `${count === 0 ? first : first + 1},${count}`;
  return [`@@ -${number(start, oldCount)} +${number(start + growth, newCount)} @@`, ...shown];
}

type TextOf = (lines: LineTable, line: number) => string;

const plainText: TextOf = (lines, line) => lines.text(line);
const textAndLineEnd: TextOf = (lines, line) => lines.text(line) + visible(lines.lineEnd(line));

function signed(
  sign: string,
  lines: LineTable,
  first: number,
  count: number,
  text: TextOf = plainText,
): readonly string[] {
  const shown = Array.from({ length: count }, (_, index) => sign + text(lines, first + index));
  const isUnclosed = count > 0 && lines.lineEnd(first + count - 1) === "";
  return isUnclosed ? [...shown, "\\ No newline at end of file"] : shown;
}

function readAlike(removed: readonly string[], added: readonly string[]): boolean {
  return (
    removed.length === added.length &&
    removed.every((line, index) => line.slice(1) === added[index]!.slice(1))
  );
}

function linesOf(path: string, bytes: Uint8Array | undefined): LineTable {
  const [source] = sourcesOf(path, bytes ?? new Uint8Array()) as Generator<Source>;
  return source!.lines;
}

/** One file before and after; "nothing" if it does not exist. */
export interface Contents {
  readonly path: string;
  readonly before: Uint8Array | "nothing";
  readonly after: Uint8Array | "nothing";
}

/** Shows two contents of a file as a unified diff, or a note if one is binary. Empty when they are equal. */
export function diffContents({ path, before, after }: Contents): string {
  if (before === "nothing" && after === "nothing") return "";
  if (isBinary(before) || isBinary(after))
    return sameBytes(before, after) ? "" : `Binary file ${showPath(path)} differs\n`;
  const plan = { path, notes: [], changes: changesBetween(path, before, after) };
  if (before === "nothing") return showDiff({ ...plan, action: "add", after: after as Uint8Array });
  if (after === "nothing") return showDiff({ ...plan, action: "delete", before });
  return showDiff({ ...plan, action: "update", before, after });
}

function changesBetween(
  path: string,
  before: Contents["before"],
  after: Contents["after"],
): readonly Change[] {
  const [oldLines, newLines] = [before, after].map((bytes) => {
    const lines = linesOf(path, bytes === "nothing" ? undefined : bytes);
    return Array.from({ length: lines.count }, (_, line) => lines.text(line) + lines.lineEnd(line));
  });
  return diffRuns(oldLines!, newLines!).map(({ oldStart, oldEnd, newStart, newEnd }) => ({
    firstLine: oldStart + 1,
    removedLines: oldEnd - oldStart,
    addedLines: newEnd - newStart,
    tier: "exact",
  }));
}

function isBinary(bytes: Contents["before"]): boolean {
  if (bytes === "nothing") return false;
  const head = bytes.subarray(0, detectionBytes);
  return detectEncoding(head, { complete: bytes.length <= detectionBytes }) === "binary";
}

function sameBytes(before: Contents["before"], after: Contents["after"]): boolean {
  return before !== "nothing" && after !== "nothing" && Buffer.compare(before, after) === 0;
}

/** Makes blanks visible: `·` for a space, `→` for a tab, code points for lookalikes. */
export function visible(line: string): string {
  return line.replace(/[\s\S]/gu, (character) => {
    if (character === " ") return "·";
    if (character === "\t") return "→";
    return unclear.test(character) ? `<U+${hex(character)}>` : character;
  });
}

/** Returns both lines, long ones only around their first difference. */
export function visibleDifference(wanted: string, found: string): { wanted: string; found: string } {
  let same = 0;
  while (same < wanted.length && wanted[same] === found[same]) same += 1;
  const start = same > maxShown / 2 ? same - maxShown / 4 : 0;
  const show = (line: string) => {
    const part = line.slice(start, start + maxShown);
    return `${start > 0 ? "…" : ""}${visible(part)}${start + maxShown < line.length ? "…" : ""}`;
  };
  return { wanted: show(wanted), found: show(found) };
}

const maxShown = 160;

/** Matches control characters, unusual blanks, separate combining marks, and quotes and dashes beyond ASCII. */
const unclear = /[\p{C}\p{Z}\p{M}‘’‚‛′“”„‟″‐‑‒–—―−]/u;

function hex(character: string): string {
  return character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0");
}
