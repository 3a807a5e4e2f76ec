import { ToolError } from "../contract/error.ts";
import type { Block } from "./block.ts";
import type { Match } from "./match.ts";
import { isTelling } from "./places.ts";
import { occurrences } from "./search.ts";
import type { Source } from "./source.ts";

/** The line where the whole new text stands; only asked when the old one does not. */
export function newTextLine(source: Source, block: Block): number | undefined {
  for (const at of newTextOffsets(source, block)) return source.lines.lineAt(at);
  return undefined;
}

/**
 * The line where a block that is not found seems to be done: its new text stands there and is long enough not to do so
 * by chance, or it stands where the old text would have to be, `nearest`.
 */
export function seemsDoneAt(source: Source, block: Block, nearest: number | undefined): number | undefined {
  const text = block.newLines.join("\n");
  if (block.oldLines.join("\n").includes(text)) return undefined;
  const isLong = block.newLines.filter(isTelling).length > 1 || text.trim().length >= longText;
  if (isLong) return newTextLine(source, block);
  if (nearest === undefined || !isTelling(text)) return undefined;
  const { lines, utf8 } = source;
  const start = lines.start(Math.max(0, nearest));
  const end = lines.start(Math.min(nearest + block.oldLines.length, lines.count));
  const found = utf8.slice(start, end);
  const at = found.indexOf(text);
  return at === -1 ? undefined : lines.lineAt(start + Buffer.byteLength(found.slice(0, at)));
}

/** Characters of a single line. */
const longText = 40;

/** What is found with some tolerance only is done already where the new text stands as it is. */
export function isDone(source: Source, block: Block, matches: readonly Match[]): boolean {
  const { oldLines, newLines } = block;
  for (const at of newTextOffsets(source, block)) {
    const first = source.lines.lineAt(at);
    const last = first + newLines.length - 1;
    if (at !== source.lines.start(first) || source.lines.text(last) !== newLines.at(-1)) continue;
    if (matches.some(({ line }) => first < line + oldLines.length && line <= last)) return true;
  }
  return false;
}

/**
 * A call that is sent twice adds its lines twice, if its context does not show what was to follow them. Context of a
 * sound hunk goes on until the lines differ.
 */
export function refuseDone(
  { path, lines }: Source,
  { name, oldLines, newLines, runs, place }: Block,
  { line }: Match,
): void {
  if (place.isInsertion || !runs.every(({ oldStart, oldEnd }) => oldStart === oldEnd)) return;
  for (const { oldStart, newStart, newEnd } of runs) {
    const added = newLines.slice(newStart, newEnd);
    const stands = (first: number) =>
      first >= 0 &&
      first + added.length <= lines.count &&
      added.every((text, index) => lines.text(first + index) === text);
    const at = line + oldStart;
    const isDone =
      (oldStart === oldLines.length && stands(at)) || (oldStart === 0 && stands(at - added.length));
    if (!isDone || !isTelling(added.join("\n"))) continue;
    throw new ToolError(
      "no-match",
      `${path}: the lines that ${name} adds are already there, at line ${line + oldStart + 1}`,
      {
        hint: "It seems to be done. To add them once more, give context on both sides.",
      },
    );
  }
}

/** Where the new text stands, if it adds anything and can be recognised. */
function newTextOffsets(source: Source, { newLines, runs }: Block): Iterable<number> {
  const text = newLines.join("\n");
  const addsNothing = runs.every(({ newStart, newEnd }) => newStart === newEnd);
  return addsNothing || !isTelling(text) ? [] : occurrences(source, text);
}
