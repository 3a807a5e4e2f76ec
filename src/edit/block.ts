import { diffRuns, type Run } from "./diff-runs.ts";

/** What one hunk or one find-and-replace says: these lines become those. */
export interface Block {
  /** For messages: "hunk 2", "edit 1". */
  readonly name: string;
  readonly oldLines: readonly string[];
  readonly newLines: readonly string[];
  /** Which lines change; old lines outside are context. */
  readonly runs: readonly Run[];
  /** The call itself marks which lines change; else they are compared. */
  readonly isHunk?: boolean | undefined;
  /** Whether an old line is there only to find the place, so that it may be behind the file. */
  isContext(oldLine: number): boolean;
  /** Whole lines (a hunk), or text that may begin and end inside a line (find and replace). */
  readonly wholeLines: boolean;
  readonly place: Place;
  /** Whether the file is to end with a line end afterwards; undefined: as it does now. */
  readonly finalLineEnd?: boolean | undefined;
  /** Line ends the call names itself because they are what it changes, by new line. */
  readonly lineEnds?: ReadonlyMap<number, string> | undefined;
  /** How many lines at the start and end are bare blank lines, which may be layout of the patch and no context. */
  readonly bareEdges?: readonly [first: number, last: number] | undefined;
}

/** What the call says about where its lines are, beyond the lines themselves. */
export interface Place {
  /** Lines that stand above it, outermost first. */
  readonly headers: readonly string[];
  /** A tool picked the header from the lines above: it may choose between places, but forbids none. */
  readonly isHeading?: boolean | undefined;
  /** The number of its first line, counted from 1. */
  readonly firstLine?: number | undefined;
  /** Its numbers say that it replaces no line, so lines to add go before `firstLine`. */
  readonly isInsertion?: boolean | undefined;
  readonly endOfFile?: boolean | undefined;
}

export function blockOfTexts(name: string, find: string, replace: string): Block {
  return new TextBlock(name, { headers: [] }, () => ({
    oldLines: splitLines(find),
    newLines: splitLines(replace),
  }));
}

function splitLines(text: string): readonly string[] {
  return text.split(text.includes("\r") ? /\r?\n/ : "\n");
}

/** The same block with its lines spelled otherwise. A hunk keeps what is context; text is compared anew. */
export function withLines(block: Block, oldLines: readonly string[], newLines: readonly string[]): Block {
  if (block.isHunk) return { ...block, oldLines, newLines };
  if (block.wholeLines) return wholeLinesBlock(block, oldLines, newLines);
  return new TextBlock(block.name, block.place, () => ({ oldLines, newLines }));
}

/** Text for text. Its lines and how they differ are worked out only when they are asked for. */
class TextBlock implements Block {
  readonly name: string;
  readonly wholeLines = false;
  readonly place: Place;
  readonly #split: () => Pick<Block, "oldLines" | "newLines">;
  #lines: Pick<Block, "oldLines" | "newLines"> | undefined;
  #runs: readonly Run[] | undefined;

  constructor(name: string, place: Place, split: () => Pick<Block, "oldLines" | "newLines">) {
    this.name = name;
    this.place = place;
    this.#split = split;
  }

  get oldLines(): readonly string[] {
    this.#lines ??= this.#split();
    return this.#lines.oldLines;
  }

  get newLines(): readonly string[] {
    this.#lines ??= this.#split();
    return this.#lines.newLines;
  }

  get runs(): readonly Run[] {
    this.#runs ??= diffRuns(this.oldLines, this.newLines);
    return this.#runs;
  }

  isContext(oldLine: number): boolean {
    return isOutside(this.runs, oldLine);
  }
}

function isOutside(runs: readonly Run[], oldLine: number): boolean {
  return !runs.some((run) => run.oldStart <= oldLine && oldLine < run.oldEnd);
}

/** Text of which is known that it begins and ends with its lines; undefined when it does not end as it began. */
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
  { name, place }: Pick<Block, "name" | "place">,
  oldLines: readonly string[],
  newLines: readonly string[],
): Block {
  const runs = diffRuns(oldLines, newLines);
  const isContext = (oldLine: number) => isOutside(runs, oldLine);
  return { name, oldLines, newLines, runs, isContext, wholeLines: true, place };
}
