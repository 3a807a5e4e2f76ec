import { diffRuns } from "../../edit/diff-runs.ts";
import { fitTo, type InsertionTarget, type Snippet } from "./snippet.ts";

/** What stands from `start` to `end` gives way to `text`; offsets count UTF-16 units. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** One way to put new lines into a text. */
export interface BlockChange {
  /** What gives way. */
  readonly start: number;
  readonly end: number;
  readonly snippet: Snippet;
  readonly target: InsertionTarget;
  /** How the indentation of the snippet is understood; see `fitTo`. */
  readonly reading: 0 | 1;
  /** The first line begins inside a line of the text, behind what indents that. */
  readonly isInline: boolean;
  readonly lineEnd: string;
  /** Stands around the new lines: line ends, separators, indentation of what follows. */
  readonly lead?: string | undefined;
  readonly tail?: string | undefined;
  /** The text that gives way, where it is a block of its own. */
  readonly old?: string | undefined;
  /** A separator that the element before needs now. */
  readonly also?: Splice | undefined;
}

/** `literal`: the numbers of the lines that lie inside a string, which stay as they were given. */
export function splicesOf(change: BlockChange, literal: ReadonlySet<number>): readonly Splice[] {
  const { start, end, snippet, target, reading, isInline, lineEnd, lead = "", tail = "", also, old } = change;
  const fitted = fitTo(snippet, target, { reading, literal });
  const lines = snippet.lines.map((line, index) => (literal.has(index) ? line : fitted(line, index)));
  if (isInline) lines[0] = lines[0]!.trimStart();
  const splice = {
    start,
    end,
    text: lead + (old === undefined ? lines.join(lineEnd) : keepLineEnds(lines, old, lineEnd)) + tail,
  };
  return also ? [also, splice] : [splice];
}

/** The same change with either reading of the snippet's indentation. */
export function withReadings(change: Omit<BlockChange, "reading">): readonly BlockChange[] {
  const isPlain = change.snippet.lines.length === 1 || change.target.indentation === "";
  return isPlain
    ? [{ ...change, reading: 0 }]
    : [
        { ...change, reading: 0 },
        { ...change, reading: 1 },
      ];
}

/** A text with all splices made. */
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

/** Where what stands at an offset stands afterwards; undefined for what gives way. */
export function movedBy(splices: readonly Splice[], offset: number): number | undefined {
  let shift = 0;
  for (const { start, end, text } of inOrder(splices)) {
    if (offset < start) break;
    if (offset < end) return undefined;
    shift += text.length - (end - start);
  }
  return offset + shift;
}

/** New lines with the line ends of the old ones that they repeat: some files have several kinds. */
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
  // The first line may begin in the middle of one.
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
