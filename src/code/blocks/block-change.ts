import { diffRuns } from "../../edit/diff-runs.ts";
import type { TextSpan } from "../lines.ts";
import { fitTo, type InsertionTarget, type Snippet } from "./snippet.ts";

export interface Splice extends TextSpan {
  readonly text: string;
}

export interface BlockChange extends TextSpan {
  readonly snippet: Snippet;
  readonly target: InsertionTarget;
  /** The interpretation of the snippet's indentation; see `fitTo`. */
  readonly reading: 0 | 1;
  /** Whether the first new line begins inside a line of the text, after its indentation. */
  readonly isInline: boolean;
  readonly lineEnd: string;
  /** Text before and after the new lines: line ends, separators, indentation. */
  readonly lead?: string | undefined;
  readonly tail?: string | undefined;
  readonly old?: string | undefined;
  /** A separator to add after the previous element. */
  readonly also?: Splice | undefined;
}

/** Returns the splices of a change. `literal` holds the numbers of the lines inside a string, which stay unchanged. */
export function splicesOf(change: BlockChange, literal: ReadonlySet<number>): readonly Splice[] {
  const { start, end, snippet, target, reading, isInline, lineEnd, lead = "", tail = "", also, old } = change;
  const fitted = fitTo(snippet, target, { reading, literal });
  const lines = snippet.lines.map((line, index) => (literal.has(index) ? line : fitted(line, index)));
  if (isInline) lines[0] = lines[0]!.trimStart();
  const body = old === undefined ? lines.join(lineEnd) : keepLineEnds(lines, old, lineEnd);
  const splice = { start, end, text: lead + body + tail };
  return also ? [also, splice] : [splice];
}

export function withReadings(change: Omit<BlockChange, "reading">): readonly BlockChange[] {
  const isPlain = change.snippet.lines.length === 1 || change.target.indentation === "";
  return (isPlain ? ([0] as const) : ([0, 1] as const)).map((reading) => ({ ...change, reading }));
}

export function spliced(text: string, splices: readonly Splice[]): string {
  let result = "";
  let kept = 0;
  for (const { start, end, text: added } of inOrder(splices)) {
    result += text.slice(kept, start) + added;
    kept = end;
  }
  return result + text.slice(kept);
}

export function inOrder(splices: readonly Splice[]): readonly Splice[] {
  return [...splices].sort((one, other) => one.start - other.start || one.end - other.end);
}

export function movedBy(splices: readonly Splice[], offset: number): number | undefined {
  let shift = 0;
  for (const { start, end, text } of inOrder(splices)) {
    if (offset < start) break;
    if (offset < end) return undefined;
    shift += text.length - (end - start);
  }
  return offset + shift;
}

/** Gives new lines the line ends of the old lines that they repeat, because some files mix line ends. */
function keepLineEnds(lines: readonly string[], old: string, lineEnd: string): string {
  const oldLines = old.split(/\r?\n/);
  const oldEnds = old.match(/\r?\n/g) ?? [];
  if (oldEnds.every((end) => end === lineEnd)) return lines.join(lineEnd);
  const ends = lines.map(() => lineEnd);
  let shift = 0;
  let from = 0;
  const keep = (to: number) => {
    for (let line = from; line < to; line += 1) ends[line + shift] = oldEnds[line] ?? lineEnd;
  };
  // The first line may be only a part of a line, so its indentation is ignored.
  const trimmed = (all: readonly string[]) =>
    all.map((line, index) => (index === 0 ? line.trimStart() : line));
  for (const run of diffRuns(trimmed(oldLines), trimmed(lines))) {
    keep(run.oldStart);
    from = run.oldEnd;
    shift = run.newEnd - run.oldEnd;
  }
  keep(oldLines.length);
  return lines.map((line, index) => (index === lines.length - 1 ? line : line + ends[index])).join("");
}
