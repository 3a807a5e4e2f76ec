import type { Run } from "../../edit/diff-runs.ts";
import { visible } from "../../edit/rewrite/show-diff.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { characterStart } from "../../lib/text/truncate.ts";

/** A range of lines, counted from 1, both ends included. */
export interface LineSpan {
  readonly first: number;
  readonly last: number;
}

/** Lists at most ten spans: "line 3", "lines 4-6 and 20". */
export function listLines(spans: readonly LineSpan[]): string {
  const shown = spans
    .slice(0, maxSpans)
    .map(({ first, last }) => (first === last ? `${first}` : `${first}-${last}`));
  const isOne = spans.length === 1 && spans[0]!.first === spans[0]!.last;
  const rest = spans.length > maxSpans ? [`${spans.length - maxSpans} more`] : [];
  const [last, ...others] = [...shown, ...rest].reverse();
  return `${isOne ? "line" : "lines"} ${others.length === 0 ? last : `${others.reverse().join(", ")} and ${last}`}`;
}

const maxSpans = 10;

/** Cuts a unified diff to the part a model needs, without file names. */
export function boundDiff(diff: string): string {
  const lines = diff
    .replace(/^--- .*\n\+\+\+ .*\n/, "")
    .replace(/\n$/, "")
    .split("\n");
  const shown = cutLines(lines.slice(0, maxDiffLines));
  const hidden = lines.length - shown.length;
  return [...shown, ...(hidden > 0 ? [`… ${counted(hidden, "more line")} of difference`] : [])].join("\n");
}

const maxDiffLines = 60;

/** Cuts long lines of a diff around the difference between an old line and its new one. */
function cutLines(lines: readonly string[]): readonly string[] {
  return lines.map((line, index) =>
    line.length > maxChars ? cutLine(line, counterpart(lines, index)) : line,
  );
}

const maxChars = 300;

/** This many characters are shown before the first difference. */
const lead = 80;

function cutLine(line: string, other: string | undefined): string {
  let same = 1;
  while (other !== undefined && same < line.length && line[same] === other[same]) same += 1;
  const start = same > maxChars / 2 ? characterStart(line, same - lead) : 1;
  const end = characterStart(line, start + maxChars);
  return `${line[0]}${start > 1 ? "…" : ""}${line.slice(start, end)}${end < line.length ? "…" : ""}`;
}

/** Returns the line with the opposite sign at the same index of its run. Removed lines precede added ones. */
function counterpart(lines: readonly string[], index: number): string | undefined {
  const sign = lines[index]![0];
  const isRemoved = sign === "-";
  if (!isRemoved && sign !== "+") return undefined;
  const start = runStart(lines, index, sign);
  if (isRemoved) {
    let end = index;
    while (lines[end]?.startsWith("-")) end += 1;
    return startingWith("+", lines[end + index - start]);
  }
  const removedStart = runStart(lines, start - 1, "-");
  return removedStart + index - start < start
    ? startingWith("-", lines[removedStart + index - start])
    : undefined;
}

function runStart(lines: readonly string[], index: number, sign: string): number {
  let start = index;
  while (lines[start - 1]?.startsWith(sign)) start -= 1;
  return start;
}

function startingWith(sign: string, line: string | undefined): string | undefined {
  return line?.startsWith(sign) ? line : undefined;
}

/** Shows the differences of two lists of lines (with line ends) as hunks with one line of context. */
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
  // Line ends are made visible if nothing else differs.
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
