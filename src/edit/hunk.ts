import type { Block, Place } from "./block.ts";
import { diffRuns, type Run } from "./diff-runs.ts";

/** One line of a hunk, as the call marks it. */
export interface HunkLine {
  readonly kind: "context" | "removed" | "added";
  readonly text: string;
  /** Ended with a carriage return and a line feed in the patch. */
  readonly carriageReturn?: boolean;
  /** An empty line where a context line should start with a space. */
  readonly bare?: boolean;
}

export function blockOfHunk(
  name: string,
  lines: readonly HunkLine[],
  place: Place,
  finalLineEnd?: boolean,
): Block {
  const oldLines = lines.filter(({ kind }) => kind !== "added");
  const newLines = lines.filter(({ kind }) => kind !== "removed");
  const isMarked = oldLines[0]?.text.startsWith("\ufeff") === true;
  const oldTexts = textsOf(oldLines, isMarked);
  const newTexts = textsOf(newLines, isMarked);
  const marked = markedRuns(lines);
  const lineEnds = lineEndsChanged(lines, marked);
  const isAboutText = lineEnds === undefined && finalLineEnd === undefined;
  return {
    name,
    oldLines: oldTexts,
    newLines: newTexts,
    runs: isAboutText ? marked.flatMap((run) => refine(run, oldTexts, newTexts)) : marked,
    isHunk: true,
    isContext: (oldLine) => oldLines[oldLine]!.kind === "context",
    wholeLines: true,
    place,
    finalLineEnd,
    lineEnds,
    bareEdges: bareEdges(lines),
  };
}

/** Part of a hunk: old lines `start` up to `end`, with the runs `firstRun` up to `lastRun`. */
export function partOfHunk(
  block: Block,
  { start, end, firstRun, lastRun }: { start: number; end: number; firstRun: number; lastRun: number },
): Block {
  const newLine = (oldLine: number, run: number) => {
    const passed = block.runs[run - 1];
    return passed ? passed.newEnd + oldLine - passed.oldEnd : oldLine;
  };
  const newStart = newLine(start, firstRun);
  const endsBlock = end === block.oldLines.length;
  return {
    name: block.name,
    oldLines: block.oldLines.slice(start, end),
    newLines: block.newLines.slice(newStart, newLine(end, lastRun)),
    runs: block.runs.slice(firstRun, lastRun).map((run) => ({
      oldStart: run.oldStart - start,
      oldEnd: run.oldEnd - start,
      newStart: run.newStart - newStart,
      newEnd: run.newEnd - newStart,
    })),
    isHunk: block.isHunk,
    isContext: (oldLine) => block.isContext(oldLine + start),
    wholeLines: true,
    place: {
      ...block.place,
      firstLine: block.place.firstLine === undefined ? undefined : block.place.firstLine + start,
      endOfFile: endsBlock ? block.place.endOfFile : undefined,
    },
    finalLineEnd: endsBlock ? block.finalLineEnd : undefined,
  };
}

/** A byte-order mark is not part of the file's text, so it is not part of the first line either. */
function textsOf(lines: readonly HunkLine[], isMarked: boolean): readonly string[] {
  return lines.map(({ text }, index) => (isMarked && index === 0 ? text.replace(/^\ufeff/, "") : text));
}

/** The runs as the markers of the patch say. */
function markedRuns(lines: readonly HunkLine[]): readonly Run[] {
  const runs: Run[] = [];
  let oldLine = 0;
  let newLine = 0;
  for (let index = 0; index < lines.length; ) {
    const start = { oldStart: oldLine, newStart: newLine };
    for (; index < lines.length && lines[index]!.kind !== "context"; index += 1) {
      if (lines[index]!.kind === "removed") oldLine += 1;
      else newLine += 1;
    }
    if (oldLine > start.oldStart || newLine > start.newStart)
      runs.push({ ...start, oldEnd: oldLine, newEnd: newLine });
    for (; index < lines.length && lines[index]!.kind === "context"; index += 1) {
      oldLine += 1;
      newLine += 1;
    }
  }
  return runs;
}

/** Lines that are removed and added again as they were do not change. */
function refine(run: Run, oldLines: readonly string[], newLines: readonly string[]): readonly Run[] {
  if (run.oldStart === run.oldEnd || run.newStart === run.newEnd) return [run];
  const inner = diffRuns(oldLines.slice(run.oldStart, run.oldEnd), newLines.slice(run.newStart, run.newEnd));
  return inner.map(({ oldStart, oldEnd, newStart, newEnd }) => ({
    oldStart: oldStart + run.oldStart,
    oldEnd: oldEnd + run.oldStart,
    newStart: newStart + run.newStart,
    newEnd: newEnd + run.newStart,
  }));
}

/**
 * A patch in one kind of line end says nothing about the file's. One that removes a line and adds it again with
 * another line end does, and then means the line ends of all it adds.
 */
function lineEndsChanged(
  lines: readonly HunkLine[],
  runs: readonly Run[],
): ReadonlyMap<number, string> | undefined {
  if (!lines.some(({ carriageReturn }) => carriageReturn)) return undefined;
  const oldLines = lines.filter(({ kind }) => kind !== "added");
  const newLines = lines.filter(({ kind }) => kind !== "removed");
  const changes = runs.some((run) =>
    oldLines.slice(run.oldStart, run.oldEnd).some((line, index) => {
      const next = newLines[run.newStart + index];
      return next?.text === line.text && next.kind === "added" && next.carriageReturn !== line.carriageReturn;
    }),
  );
  if (!changes) return undefined;
  return new Map(newLines.map(({ carriageReturn }, index) => [index, carriageReturn ? "\r\n" : "\n"]));
}

function bareEdges(lines: readonly HunkLine[]): readonly [number, number] | undefined {
  const first = lines.findIndex(({ bare }) => !bare);
  if (first === -1) return undefined;
  const last = lines.length - 1 - lines.findLastIndex(({ bare }) => !bare);
  return first > 0 || last > 0 ? [first, last] : undefined;
}
