import { counted } from "../../lib/counted.ts";
import { cutLines } from "./cut-lines.ts";

/** Lines counted from 1, both ends included. */
export interface LineSpan {
  readonly first: number;
  readonly last: number;
}

/** "line 3", "lines 4-6 and 20", the first ten. */
export function listLines(spans: readonly LineSpan[]): string {
  const shown = spans
    .slice(0, maxSpans)
    .map(({ first, last }) => (first === last ? `${first}` : `${first}-${last}`));
  const isOne = spans.length === 1 && spans[0]!.first === spans[0]!.last;
  const rest = spans.length > maxSpans ? [`${spans.length - maxSpans} more places`] : [];
  const [last, ...others] = [...shown, ...rest].reverse();
  return `${isOne ? "line" : "lines"} ${others.length === 0 ? last : `${others.reverse().join(", ")} and ${last}`}`;
}

const maxSpans = 10;

/** A unified diff without the names of its files, cut where a model has seen enough of it. */
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
