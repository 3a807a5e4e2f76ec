import { ToolError } from "../contract/error.ts";
import { counted } from "../lib/counted.ts";
import { seemsDoneAt } from "./already-done.ts";
import type { Block } from "./block.ts";
import { compareAt, linesSharingWords, type PartialPlace, partialPlaces } from "./places.ts";
import type { Source } from "./source.ts";
import { isBlankLine } from "./tiers.ts";
import { visibleDifference } from "./visible.ts";

/** Why a block was not found: the nearest place, the first line that differs there, and what to do. */
export function notFound(source: Source, block: Block): ToolError {
  const place = nearestPlace(source, block);
  const done = seemsDoneAt(source, block, place?.line);
  const start = `${source.path}: ${block.name} was not found`;
  const nearest = place ? `. ${describe(source, block, place)}` : "";
  if (done !== undefined) {
    return new ToolError("no-match", `${start}, but its new text is already at line ${done + 1}${nearest}`, {
      hint: "It seems to be done. Read the file before you change it again.",
    });
  }
  return new ToolError("no-match", `${start}${nearest || ", nor anything like it"}`, {
    hint: "Read the file again and copy the old lines as they are now.",
  });
}

function describe(source: Source, block: Block, place: PartialPlace): string {
  const total = block.oldLines.filter((line) => !isBlankLine(line)).length;
  const first = Math.max(place.line, 0);
  const last = Math.min(place.line + block.oldLines.length, source.lines.count) - 1;
  const range = last > first ? `lines ${first + 1}-${last + 1}` : `line ${first + 1}`;
  const agreement = total > 1 ? `, where ${place.agreeing.length} of ${counted(total, "line")} agree` : "";
  return `The nearest place is ${range}${agreement}.${firstDifference(source, block, place)}${shown(source, first, last)}`;
}

function firstDifference(source: Source, block: Block, place: PartialPlace): string {
  const index = place.differing.find((each) => !isBlankLine(block.oldLines[each]!)) ?? place.differing[0];
  if (index === undefined) return "";
  const line = place.line + index;
  if (line < 0 || line >= source.lines.count) return " The rest lies beyond the file.";
  const difference = visibleDifference(block.oldLines[index]!, source.lines.text(line));
  return ` The first difference is line ${line + 1}:\n  wanted: ${difference.wanted}\n  found:  ${difference.found}`;
}

const maxShownLines = 12;
const maxShownChars = 200;

function shown(source: Source, first: number, last: number): string {
  if (last === first) return "";
  const lines: string[] = [];
  for (let line = first; line <= Math.min(last, first + maxShownLines - 1); line += 1) {
    const text = source.lines.text(line);
    lines.push(`${line + 1} | ${text.length > maxShownChars ? `${text.slice(0, maxShownChars)}…` : text}`);
  }
  if (last >= first + maxShownLines) lines.push("…");
  return `\nThe file there:\n${lines.join("\n")}`;
}

function nearestPlace(source: Source, block: Block): PartialPlace | undefined {
  return partialPlaces(source, block)[0] ?? placeByWords(source, block);
}

/** No line is the same: the line that shares most words with the longest old line. */
function placeByWords(source: Source, block: Block): PartialPlace | undefined {
  const index = block.oldLines.reduce(
    (longest, line, each) => (line.length > block.oldLines[longest]!.length ? each : longest),
    0,
  );
  const shared = linesSharingWords(source, block.oldLines[index] ?? "");
  const [best] = [...shared].sort((left, right) => right[1] - left[1] || left[0] - right[0]);
  return best ? compareAt(source, block, best[0] - index) : undefined;
}
