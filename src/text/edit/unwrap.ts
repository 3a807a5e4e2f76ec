import { type Block, partOfHunk, wholeLinesBlock, withLines } from "./block.ts";
import { stripGutters } from "./gutters.ts";
import { isBlankLine } from "./tiers.ts";
import { unescapings } from "./unescape.ts";

/** A block freed from something a model wrapped around its text. */
export interface Unwrapped {
  readonly block: Block;
  readonly note: string;
}

/** What the block may have been before it was wrapped, likely wrappings first, one or two deep. */
export function* unwrappings(block: Block): Generator<Unwrapped> {
  for (const outer of once(block)) {
    yield outer;
    for (const inner of once(outer.block)) {
      if (inner.note !== outer.note) yield { block: inner.block, note: `${outer.note}; ${inner.note}` };
    }
  }
}

function* once(block: Block): Generator<Unwrapped> {
  yield* withoutBareEdges(block);
  yield* withoutFence(block);
  yield* withoutBlankEdges(block);
  yield* withoutGutters(block);
  for (const { oldText, newText } of unescapings(block)) {
    yield {
      block: withLines(block, oldText.split("\n"), newText.split("\n")),
      note: "one level of escaping removed",
    };
  }
}

function* withoutBareEdges(block: Block): Generator<Unwrapped> {
  if (!block.bareEdges) return;
  const [first, last] = block.bareEdges;
  const { length } = block.oldLines;
  const runs = { firstRun: 0, lastRun: block.runs.length };
  const note = "blank lines around it ignored";
  if (last > 0) yield { block: partOfHunk(block, { start: 0, end: length - last, ...runs }), note };
  if (first > 0) yield { block: partOfHunk(block, { start: first, end: length, ...runs }), note };
  if (first > 0 && last > 0)
    yield { block: partOfHunk(block, { start: first, end: length - last, ...runs }), note };
}

/** ```lang … ``` around the text to find, and around the new text where it is there too. */
function* withoutFence(block: Block): Generator<Unwrapped> {
  if (block.wholeLines) return;
  const oldLines = unfence(block.oldLines);
  if (!oldLines) return;
  const newLines = unfence(block.newLines) ?? withoutFinalBlank(block.newLines);
  yield { block: wholeLinesBlock(block, oldLines, newLines), note: "code fence removed" };
}

function unfence(lines: readonly string[]): readonly string[] | undefined {
  const inner = trimBlankLines(lines);
  const fence = /^\s*(`{3,}|~{3,})[^`]*$/.exec(inner[0] ?? "")?.[1];
  return fence !== undefined && inner.length > 2 && inner.at(-1)!.trim() === fence
    ? inner.slice(1, -1)
    : undefined;
}

/** Blank lines before and after the text to find; what remains must be whole lines. */
function* withoutBlankEdges(block: Block): Generator<Unwrapped> {
  if (block.wholeLines) return;
  const oldLines = trimBlankLines(block.oldLines);
  const dropped = block.oldLines.length - oldLines.length - (block.oldLines.at(-1) === "" ? 1 : 0);
  if (oldLines.length === 0 || dropped === 0) return;
  yield {
    block: wholeLinesBlock(block, oldLines, trimBlankLines(block.newLines)),
    note: "blank lines around it ignored",
  };
}

function* withoutGutters(block: Block): Generator<Unwrapped> {
  const trim = block.wholeLines ? (lines: readonly string[]) => lines : withoutFinalBlank;
  for (const { oldLines, newLines, firstLine } of stripGutters(trim(block.oldLines), trim(block.newLines))) {
    const unwrapped = block.wholeLines
      ? withLines(block, oldLines, newLines)
      : wholeLinesBlock(block, oldLines, newLines);
    yield { block: { ...unwrapped, place: { ...block.place, firstLine } }, note: "line numbers removed" };
  }
}

function trimBlankLines(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => !isBlankLine(line));
  return first === -1 ? [] : lines.slice(first, lines.findLastIndex((line) => !isBlankLine(line)) + 1);
}

function withoutFinalBlank(lines: readonly string[]): readonly string[] {
  return lines.length > 1 && lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}
