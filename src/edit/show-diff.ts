import type { FilePlan } from "./edit-request.ts";
import type { LineTable } from "./line-table.ts";
import { type Source, sourcesOf } from "./source.ts";
import { visible } from "./visible.ts";

/**
 * A plan's changes as a unified diff, which git applies where the file is in UTF-8 and its lines end with line feeds.
 * The places are known from the plan, so nothing is compared.
 */
export function showDiff(plan: FilePlan, options: { readonly context: number } = { context: 3 }): string {
  const before = linesOf(plan.path, plan.action === "add" ? undefined : plan.before);
  const after = linesOf(plan.path, plan.action === "delete" ? undefined : plan.after);
  const oldName = plan.action === "add" ? "/dev/null" : `a/${"from" in plan ? plan.from : plan.path}`;
  const newName = plan.action === "delete" ? "/dev/null" : `b/${plan.path}`;
  if (plan.changes.length === 0) return "from" in plan ? showMove(plan) : "";
  const hunks = groupChanges(plan, before, options.context).map((group) => showHunk(group, before, after));
  return [`--- ${oldName}`, `+++ ${newName}`, ...hunks.flat(), ""].join("\n");
}

function showMove({ action, from, path }: FilePlan & { readonly action: "move" | "copy" }): string {
  const verb = action === "move" ? "rename" : "copy";
  return `${verb} from ${from}\n${verb} to ${path}\n`;
}

/** Changes that share context, in lines counted from 0. */
interface Group {
  start: number;
  end: number;
  /** How many lines more the file has by then. */
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
    // Where only line ends change they have to be seen.
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
