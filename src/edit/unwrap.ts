import { type Block, wholeLinesBlock, withLines } from "./block.ts";
import { stripGutters } from "./gutters.ts";
import { partOfHunk } from "./hunk.ts";
import { isBlankLine } from "./tiers.ts";
import { unescapings } from "./unescape.ts";

/** A block freed from something a model wrapped around its text. */
export interface Unwrapped {
  readonly block: Block;
  readonly note: string;
  /** It is only meant at the very end of the file. */
  readonly endsFile?: boolean;
  /** The block with its own blank lines, where these were taken off, and how many of them stood before it. */
  readonly outer?: { readonly block: Block; readonly blankLinesBefore: number } | undefined;
  /** Removes the level of escaping that was removed. */
  readonly undo?: ((text: string) => string) | undefined;
}

/** What the block may have been before it was wrapped, likely wrappings first, one or two deep. */
export function* unwrappings(block: Block): Generator<Unwrapped> {
  const outers = [...once(block)];
  yield* outers;
  for (const outer of outers) {
    for (const inner of once(outer.block)) {
      if (inner.note === outer.note) continue;
      const endsFile = (outer.endsFile ?? false) || (inner.endsFile ?? false);
      const note = `${outer.note}; ${inner.note}`;
      yield {
        block: inner.block,
        note,
        endsFile,
        outer: inner.outer ?? outer.outer,
        undo: outer.undo ?? inner.undo,
      };
    }
  }
}

function* once(block: Block): Generator<Unwrapped> {
  yield* withoutBareEdges(block);
  yield* withoutLineAfterEnd(block);
  yield* withoutFence(block);
  yield* withoutBlankEdges(block);
  yield* withoutGutters(block);
  for (const { oldText, newText, undo } of unescapings(block)) {
    yield {
      block: withLines(block, oldText.split("\n"), newText.split("\n")),
      note: "one level of escaping removed",
      undo,
    };
  }
}

function* withoutBareEdges(block: Block): Generator<Unwrapped> {
  if (!block.bareEdges) return;
  const [first, last] = block.bareEdges;
  const { length } = block.oldLines;
  const runs = { firstRun: 0, lastRun: block.runs.length };
  const without = (start: number, end: number): Unwrapped => ({
    block: partOfHunk(block, { start, end, ...runs }),
    note: "blank lines around it ignored",
  });
  if (last > 0) yield without(0, length - last);
  if (first > 0) yield without(first, length);
  if (first > 0 && last > 0) yield without(first, length - last);
}

/** The line end of the last line, taken for a blank line of context. */
function* withoutLineAfterEnd(block: Block): Generator<Unwrapped> {
  const last = block.oldLines.length - 1;
  if (!block.wholeLines || last < 1 || block.oldLines[last] !== "" || !block.isContext(last)) return;
  if (block.runs.some((run) => run.oldEnd > last)) return;
  const part = partOfHunk(block, { start: 0, end: last, firstRun: 0, lastRun: block.runs.length });
  yield { block: part, note: "blank line after the end of the file ignored", endsFile: true };
}

/** ```lang … ``` around the text to find, and around the new text where it is there too. */
function* withoutFence(block: Block): Generator<Unwrapped> {
  if (block.wholeLines) return;
  const oldLines = unfence(block.oldLines);
  if (!oldLines) return;
  const newLines = unfence(block.newLines) ?? closedLines(block).newLines;
  yield { block: wholeLinesBlock(block, oldLines, newLines), note: "code fence removed" };
}

function unfence(lines: readonly string[]): readonly string[] | undefined {
  const first = lines.findIndex((line) => !isBlankLine(line));
  const last = lines.findLastIndex((line) => !isBlankLine(line));
  const fence = /^\s*(`{3,}|~{3,})[^`]*$/.exec(lines[first] ?? "")?.[1];
  return fence !== undefined && last > first && lines[last]!.trim() === fence
    ? lines.slice(first + 1, last)
    : undefined;
}

/** Blank lines before and after the text to find; what remains must be whole lines. */
function* withoutBlankEdges(block: Block): Generator<Unwrapped> {
  if (block.wholeLines) return;
  const { oldLines, newLines } = closedLines(block);
  const first = oldLines.findIndex((line) => !isBlankLine(line));
  const last = oldLines.length - 1 - oldLines.findLastIndex((line) => !isBlankLine(line));
  if (first === -1 || first + last === 0) return;
  // As many as the old text has too many; further ones are new.
  const leading = Math.min(first, countBlank(newLines));
  const trailing = Math.min(last, countBlank(newLines.slice(leading).reverse()));
  const trimmed = newLines.slice(leading, newLines.length - trailing);
  yield {
    block: wholeLinesBlock(block, oldLines.slice(first, oldLines.length - last), trimmed),
    note: "blank lines around it ignored",
    outer: { block, blankLinesBefore: first },
  };
}

function* withoutGutters(block: Block): Generator<Unwrapped> {
  const lines = block.wholeLines ? block : closedLines(block);
  for (const { oldLines, newLines, firstLine } of stripGutters(lines.oldLines, lines.newLines)) {
    const unwrapped = block.wholeLines
      ? withLines(block, oldLines, newLines)
      : wholeLinesBlock(block, oldLines, newLines);
    yield { block: { ...unwrapped, place: { ...block.place, firstLine } }, note: "line numbers removed" };
  }
}

/** The lines of a text of whole lines: what follows a final line end is no line, and then not in the new text either. */
function closedLines({ oldLines, newLines }: Block): Pick<Block, "oldLines" | "newLines"> {
  if (oldLines.length < 2 || oldLines.at(-1) !== "") return { oldLines, newLines };
  return {
    oldLines: oldLines.slice(0, -1),
    newLines: newLines.at(-1) === "" ? newLines.slice(0, -1) : newLines,
  };
}

function countBlank(lines: readonly string[]): number {
  const filled = lines.findIndex((line) => !isBlankLine(line));
  return filled === -1 ? lines.length : filled;
}
