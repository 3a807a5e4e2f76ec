import type { FilePlan } from "./edit-request.ts";
import type { LineTable } from "./line-table.ts";
import { type Source, sourcesOf } from "./source.ts";
import { visible } from "./visible.ts";

/** A plan's changes as a unified diff. The places are known from the plan, so nothing is compared. */
export function showDiff(plan: FilePlan, options: { readonly context: number } = { context: 3 }): string {
  const before = linesOf(plan.path, plan.action === "add" ? undefined : plan.before);
  const after = linesOf(plan.path, plan.action === "delete" ? undefined : plan.after);
  const oldName = plan.action === "add" ? "/dev/null" : `a/${"from" in plan ? plan.from : plan.path}`;
  const newName = plan.action === "delete" ? "/dev/null" : `b/${plan.path}`;
  if (plan.changes.length === 0) return "from" in plan ? showMove(plan) : "";
  const hunks = groupChanges(plan, before, options.context).map((group) => showHunk(group, before, after));
  return [`--- ${oldName}`, `+++ ${newName}`, ...hunks.flat()].join("\n");
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
    for (; line < change.start; line += 1) shown.push(` ${before.text(line)}`);
    const removed = range(before, line, change.removed);
    const added = range(after, line + shift, change.added);
    const show = removed.join("\n") === added.join("\n") ? visibleEnds : plainLines;
    shown.push(...show(before, line, change.removed, "-"), ...show(after, line + shift, change.added, "+"));
    line += change.removed;
    shift += change.added - change.removed;
  }
  for (; line < end; line += 1) shown.push(` ${before.text(line)}`);
  const oldCount = end - start;
  const newCount = oldCount + shift - growth;
  const number = (first: number, count: number) => `${count === 0 ? first : first + 1},${count}`;
  return [`@@ -${number(start, oldCount)} +${number(start + growth, newCount)} @@`, ...shown];
}

function range(lines: LineTable, first: number, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => lines.text(first + index));
}

function plainLines(lines: LineTable, first: number, count: number, sign: string): readonly string[] {
  return range(lines, first, count).map((text) => sign + text);
}

/** Where only line ends change they have to be seen. */
function visibleEnds(lines: LineTable, first: number, count: number, sign: string): readonly string[] {
  return range(lines, first, count).map((text, index) => {
    const end = lines.lineEnd(first + index);
    return `${sign}${text}${end === "" ? " <no line end>" : visible(end)}`;
  });
}

function linesOf(path: string, bytes: Uint8Array | undefined): LineTable {
  const [source] = sourcesOf(path, bytes ?? new Uint8Array()) as Generator<Source>;
  return source!.lines;
}
