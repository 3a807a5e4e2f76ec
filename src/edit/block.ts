import { diffRuns, type Run } from "./diff-runs.ts";

/** One hunk, or one find-and-replace: `oldLines` become `newLines`. */
export interface Block {
  /** For messages: "hunk 2", "edit 1". */
  readonly name: string;
  readonly oldLines: readonly string[];
  readonly newLines: readonly string[];
  /** The lines that change. The other old lines are context. */
  readonly runs: readonly Run[];
  /** Whether the call itself marks the changed lines. Otherwise old and new lines are compared. */
  readonly isHunk?: boolean | undefined;
  /** Whether an old line only helps to find the position. Such a line may be stale. */
  isContext(oldLine: number): boolean;
  /** Whole lines (a hunk), or text that may begin and end inside a line (find and replace). */
  readonly wholeLines: boolean;
  readonly hints: LocationHints;
  /** Whether the file must end with a line end afterwards. Undefined leaves its end unchanged. */
  readonly finalLineEnd?: boolean | undefined;
  /** Line ends that the call changes explicitly, by index of the new line. */
  readonly lineEnds?: ReadonlyMap<number, string> | undefined;
  /** How many blank lines at the start and end may be formatting of the patch instead of context. */
  readonly bareEdges?: readonly [first: number, last: number] | undefined;
}

/** Hints in the call about the position of a block, besides its lines. */
export interface LocationHints {
  /** Lines of the file above the block, outermost first. */
  readonly headers: readonly string[];
  /** A diff tool guessed the header, so it may choose between matches but excludes none. */
  readonly isHeading?: boolean | undefined;
  /** The block's first line, counted from 1. */
  readonly firstLine?: number | undefined;
  /** By its line numbers the hunk replaces no line: new lines go before `firstLine`. */
  readonly isInsertion?: boolean | undefined;
  readonly endOfFile?: boolean | undefined;
}

export function blockOfTexts(name: string, find: string, replace: string): Block {
  const split = () => ({ oldLines: splitLines(find), newLines: splitLines(replace) });
  return textBlock(name, { headers: [] }, split);
}

function splitLines(text: string): readonly string[] {
  return text.split(text.includes("\r") ? /\r?\n/ : "\n");
}

/** Returns the block with other lines. A hunk keeps its runs; for other blocks they are computed again. */
export function withLines(block: Block, oldLines: readonly string[], newLines: readonly string[]): Block {
  if (block.isHunk) return { ...block, oldLines, newLines };
  if (block.wholeLines) return wholeLinesBlock(block, oldLines, newLines);
  return textBlock(block.name, block.hints, () => ({ oldLines, newLines }));
}

type BlockLines = Pick<Block, "oldLines" | "newLines">;

/** Makes the block of a find-and-replace. Its lines and runs are computed on first use. */
function textBlock(name: string, hints: LocationHints, split: () => BlockLines): Block {
  let lines: BlockLines | undefined;
  let runs: readonly Run[] | undefined;
  const block: Block = {
    name,
    hints,
    wholeLines: false,
    get oldLines() {
      lines ??= split();
      return lines.oldLines;
    },
    get newLines() {
      lines ??= split();
      return lines.newLines;
    },
    get runs() {
      runs ??= diffRuns(block.oldLines, block.newLines);
      return runs;
    },
    isContext: (oldLine) => isOutside(block.runs, oldLine),
  };
  return block;
}

function isOutside(runs: readonly Run[], oldLine: number): boolean {
  return !runs.some((run) => run.oldStart <= oldLine && oldLine < run.oldEnd);
}

/** Returns the block as whole lines, or undefined when only one of its texts ends with a line end. */
export function asWholeLines(block: Block): Block | undefined {
  if (block.wholeLines) return block;
  const { oldLines, newLines } = block;
  const closes = oldLines.length > 1 && oldLines.at(-1) === "";
  if (closes !== (newLines.length > 1 && newLines.at(-1) === "") && newLines.join("") !== "")
    return undefined;
  return closes
    ? wholeLinesBlock(block, oldLines.slice(0, -1), newLines.slice(0, -1))
    : wholeLinesBlock(block, oldLines, newLines);
}

export function wholeLinesBlock(
  { name, hints }: Pick<Block, "name" | "hints">,
  oldLines: readonly string[],
  newLines: readonly string[],
): Block {
  const runs = diffRuns(oldLines, newLines);
  const isContext = (oldLine: number) => isOutside(runs, oldLine);
  return { name, oldLines, newLines, runs, isContext, wholeLines: true, hints };
}

export interface HunkLine {
  readonly kind: "context" | "removed" | "added";
  readonly text: string;
  /** In the patch, the line ends with a carriage return and a line feed. */
  readonly carriageReturn?: boolean;
  /** An empty line, although a context line should start with a space. */
  readonly bare?: boolean;
}

export function blockOfHunk(
  name: string,
  lines: readonly HunkLine[],
  hints: LocationHints,
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
    hints,
    finalLineEnd,
    lineEnds,
    bareEdges: bareEdges(lines),
  };
}

/** Returns the old lines `start` up to `end` of a hunk, with the runs `firstRun` up to `lastRun`. */
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
    hints: {
      ...block.hints,
      firstLine: block.hints.firstLine === undefined ? undefined : block.hints.firstLine + start,
      endOfFile: endsBlock ? block.hints.endOfFile : undefined,
    },
    finalLineEnd: endsBlock ? block.finalLineEnd : undefined,
  };
}

function textsOf(lines: readonly HunkLine[], isMarked: boolean): readonly string[] {
  return lines.map(({ text }, index) => (isMarked && index === 0 ? text.replace(/^\ufeff/, "") : text));
}

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

/** Removes the lines from a run that are removed and added again unchanged. */
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
 * Returns the line ends of the new lines if the hunk removes a line and adds it again with another line end. In every
 * other hunk the line ends say nothing about the file.
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

/** The part of a patch or diff about one file. */
export type FileSection = AddSection | DeleteSection | UpdateSection;

export interface AddSection {
  readonly kind: "add";
  readonly name: string;
  readonly lines: readonly string[];
  readonly finalLineEnd: boolean;
  readonly mode?: number | undefined;
}

export interface DeleteSection {
  readonly kind: "delete";
  readonly names: readonly string[];
  /** The expected content. A file with other content is not deleted. */
  readonly lines?: readonly string[] | undefined;
}

export interface UpdateSection {
  readonly kind: "update";
  /** Possible names of the file, most likely first, because a diff gives an old and a new name. */
  readonly names: readonly string[];
  readonly blocks: readonly Block[];
  readonly moveTo?: string | undefined;
  readonly isCopy?: boolean;
  readonly mode?: number | undefined;
}
