import type { Run } from "../../edit/diff-runs.ts";
import { visible } from "../../edit/rewrite/show-diff.ts";
import { boundDiff } from "./show-lines.ts";

/** Where two lists of lines, line ends included, differ, as hunks of a diff with a line of context. */
export function showRuns(before: readonly string[], after: readonly string[], runs: readonly Run[]): string {
  return boundDiff(runs.flatMap((run) => showRun(before, after, run)).join("\n"));
}

function showRun(
  before: readonly string[],
  after: readonly string[],
  { oldStart, oldEnd, newStart, newEnd }: Run,
): readonly string[] {
  const above = oldStart > 0 ? 1 : 0;
  const below = oldEnd < before.length ? 1 : 0;
  const range = (start: number, end: number) => `${start + 1 - above},${end - start + above + below}`;
  const removed = before.slice(oldStart, oldEnd);
  const added = after.slice(newStart, newEnd);
  // Where only line ends differ they have to be seen.
  const show =
    removed.map(withoutEnd).join("\n") === added.map(withoutEnd).join("\n") ? withVisibleEnd : withoutEnd;
  return [
    `@@ -${range(oldStart, oldEnd)} +${range(newStart, newEnd)} @@`,
    ...before.slice(oldStart - above, oldStart).map((line) => ` ${withoutEnd(line)}`),
    ...removed.map((line) => `-${show(line)}`),
    ...added.map((line) => `+${show(line)}`),
    ...before.slice(oldEnd, oldEnd + below).map((line) => ` ${withoutEnd(line)}`),
  ];
}

function withoutEnd(line: string): string {
  return line.replace(/\r?\n$/, "");
}

function withVisibleEnd(line: string): string {
  const text = withoutEnd(line);
  return text + (text === line ? " <no line end>" : visible(line.slice(text.length)));
}
