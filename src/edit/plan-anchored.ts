import { ToolError } from "../contract/error.ts";
import type { SeenPart } from "../contract/tool.ts";
import { contentHash } from "../lib/bytes/content-hash.ts";
import {
  type Anchor,
  type AnchoredText,
  anchoredText,
  anchorHash,
  joinLines,
  type Lines,
  parseAnchor,
  showAnchored,
} from "./anchors.ts";
import { type Block, wholeLinesBlock } from "./block.ts";
import { refusePlaceholders } from "./diagnose/placeholder.ts";
import { diffRuns } from "./diff-runs.ts";
import type { AnchoredEdit, AnchoredRequest, FilePlan, ReadFile } from "./edit-request.ts";
import { inFile, missing } from "./plan-sections.ts";
import { rewrite, type Splice } from "./rewrite/rewrite.ts";
import { applySplices, changesNothing, changesOf, encodingNotes, overlapping } from "./rewrite/splice.ts";
import { Source, sourcesOf } from "./source.ts";

/**
 * Plans edits by anchors. An anchor must fit the line of its number; a line that has moved is shown, never followed. The
 * lines that an edit removes must be those that the caller has seen.
 */
export function planAnchored(request: AnchoredRequest, read: ReadFile): FilePlan {
  return inFile(request.path, () => planLines(request, read));
}

function planLines(request: AnchoredRequest, read: ReadFile): FilePlan {
  const { path } = request;
  const before = read(path);
  if (before === undefined) throw missing(path);
  const file = openFile(path, before);
  const edits = request.edits.map((edit, index) =>
    parseEdit(path, edit, request.edits.length > 1 ? `edit ${index + 1}` : "the edit"),
  );
  refuseStale(file, edits);
  refuseUnseen(file, edits, request);
  for (const edit of edits) refuseAnchors(file, edit);
  const splices = replacementsOf(file, edits).flatMap((replacement) =>
    splicesOf(file.source, replacement).map((splice) => ({
      ...splice,
      name: replacement.name,
      tier: "exact" as const,
    })),
  );
  return {
    action: "update",
    path,
    before,
    after: applySplices(before, file.source, splices),
    changes: changesOf(file.source, splices),
    notes: encodingNotes(file.source, splices),
  };
}

/** A file as `file.read` shows its lines, and as splices change it. */
interface AnchoredFile extends AnchoredText {
  readonly source: Source;
  /** Returns the bytes of lines `first` to `last`, counted from 1. */
  bytesOf(first: number, last: number): Uint8Array;
}

function openFile(path: string, bytes: Uint8Array): AnchoredFile {
  const text = anchoredText(path, bytes);
  const [reading] = sourcesOf(path, bytes);
  const source = new Source(path, reading!.text, "lf");
  if (text.lines.length !== source.lines.count)
    throw new ToolError("unsupported", `${path} has no clear encoding, so its lines cannot be numbered`, {
      hint: "Use edit.replace.",
    });
  const offset = (line: number) => source.text.fileOffset(source.lines.start(line));
  return { ...text, source, bytesOf: (first, last) => bytes.subarray(offset(first - 1), offset(last)) };
}

interface ParsedEdit extends Pick<AnchoredEdit, "op"> {
  readonly name: string;
  readonly from: Anchor;
  readonly to: Anchor;
  readonly newLines: readonly string[];
}

function parseEdit(path: string, { op, from, to, text }: AnchoredEdit, name: string): ParsedEdit {
  const isInsertion = op === "insert_before" || op === "insert_after";
  const fault = (problem: string, hint: string) =>
    new ToolError("invalid-input", `${path}: ${name} ${problem}`, { hint });
  if (isInsertion && to) throw fault(`has op ${op} and \`to\``, "Give only `from`, the line next to it.");
  if (op === "delete" && text) throw fault("has op delete and `text`", "Leave out `text`, or use replace.");
  if (op !== "delete" && !text)
    throw fault(
      "has no `text`",
      'Give the new lines. For an empty line give "\\n"; to remove lines use delete.',
    );
  const anchors = [from, to || from].map((anchor) => {
    const parsed = parseAnchor(anchor);
    if (parsed) return parsed;
    throw fault(
      `has an invalid anchor: ${JSON.stringify(anchor.slice(0, 100))}`,
      "Copy anchors from file.read with `anchors`, for example 12:k3f9.",
    );
  });
  const [first, last] = anchors as [Anchor, Anchor];
  if (first.line > last.line)
    throw fault(`ends at line ${last.line}, before it begins`, "Give the first line as `from`.");
  return { op, name, from: first, to: last, newLines: op === "delete" ? [] : newLinesOf(text!) };
}

/** Returns the lines of new text, in which "\n" is one empty line. */
function newLinesOf(text: string): readonly string[] {
  return (text.endsWith("\n") ? text.replace(/\r?\n$/, "") : text).split(/\r?\n/);
}

/** Refuses anchors that do not fit the line of their number, and shows the current lines. */
function refuseStale(file: AnchoredFile, edits: readonly ParsedEdit[]): void {
  const { lines } = file;
  const named = new Map(edits.flatMap(({ from, to }) => [from, to]).map((each) => [nameOf(each), each]));
  const stale = [...named.values()].filter(({ line, hash }) => {
    const isInFile = line >= 1 && line <= lines.length;
    return !isInFile || anchorHash(lines, line - 1) !== hash;
  });
  if (stale.length === 0) return;
  const found = stale.slice(0, maxReasons).map((anchor) => ({ anchor, line: findMoved(lines, anchor) }));
  const reasons = found.map(({ anchor, line }) => {
    if (line !== undefined) return `${nameOf(anchor)} is now line ${line}`;
    return anchor.line < 1 || anchor.line > lines.length
      ? `${nameOf(anchor)} is not in the file, which has ${lines.length} lines`
      : `${nameOf(anchor)} is stale: line ${anchor.line} or a line next to it has changed`;
  });
  const more = stale.length > maxReasons ? `; ${stale.length - maxReasons} more are stale` : "";
  const places = found.flatMap(({ anchor, line }) => (line === undefined ? [anchor.line] : [line]));
  throw showingLines(file, `${reasons.join("; ")}${more}`, places.map(around));
}

const maxReasons = 5;

function nameOf({ line, hash }: Anchor): string {
  return `${line}:${hash}`;
}

/** Returns the only line that the anchor would fit if it had the anchor's number. */
function findMoved(lines: readonly string[], { line, hash }: Anchor): number | undefined {
  const fitting = lines.flatMap((_, index) => (anchorHash(lines, index, line) === hash ? [index + 1] : []));
  return fitting.length === 1 ? fitting[0] : undefined;
}

/**
 * Refuses edits of lines that differ from those that the caller has seen at the same position. Of a range that the caller
 * has not seen, the anchors cover only the first two and the last two lines.
 */
function refuseUnseen(
  file: AnchoredFile,
  edits: readonly ParsedEdit[],
  { seen = [], isKnown = false }: AnchoredRequest,
): void {
  if (isKnown) return;
  const states = compareSeen(file, seen);
  for (const edit of edits) {
    const { name, from, to } = edit;
    const around = { first: from.line - margin, last: to.line + margin };
    for (let line = from.line; line <= to.line; line += 1) {
      const state = states.get(line);
      if (state === "changed")
        throw showingLines(file, `line ${line} has changed or moved since you last saw it`, [around]);
      if (state !== undefined || line <= from.line + 1 || line >= to.line - 1) continue;
      const message = `${file.source.path}: ${name} would remove line ${line}, which you have not read`;
      throw new ToolError("stale", message, {
        hint: `Read lines ${from.line} to ${to.line} first, or give \`expected_hash\`.`,
      });
    }
    if (states.get(from.line) !== "same" && isRepeated(file.lines, edit))
      throw showingLines(
        file,
        `${nameOf(from)} is one of several equal places, and lines above it may have changed`,
        [around],
      );
  }
}

/** Whether the lines of an edit, with the lines above and below, occur elsewhere in the file, too. */
function isRepeated(lines: readonly string[], { from, to }: ParsedEdit): boolean {
  const start = from.line - 2;
  const length = to.line + 1 - start;
  const isEqual = (other: number) => {
    for (let index = 0; index < length; index += 1)
      if (lines[other + index] !== lines[start + index]) return false;
    return true;
  };
  return lines.some((_, index) => index - 1 !== start && isEqual(index - 1));
}

/** "alike": the same text, but lines above it may have been added or removed. */
type LineState = "same" | "alike" | "changed";

/** Compares the seen lines with the current ones of the same numbers. A line that was never seen has no entry. */
function compareSeen(file: AnchoredFile, seen: readonly SeenPart[]): ReadonlyMap<number, LineState> {
  const { lines, decode } = file;
  const states = new Map<number, LineState>();
  for (const part of seen) {
    const known = decode(part.bytes);
    const start = part.lines === "all" ? 0 : part.lines.first - 1;
    const now = part.lines === "all" ? lines : lines.slice(start, start + known.length);
    const isPlaced = placedLines(file, part, known, now);
    for (const [index, isSame] of sameLines(known, now).entries())
      states.set(start + index + 1, !isSame ? "changed" : isPlaced(index) ? "same" : "alike");
  }
  return states;
}

/**
 * Returns whether a seen line certainly has its old number: everything above it is unchanged, or everything below it and
 * the number of lines.
 */
function placedLines(
  file: AnchoredFile,
  { lines, aboveHash }: SeenPart,
  known: readonly string[],
  now: readonly string[],
): (index: number) => boolean {
  const above = lines === "all" ? 0 : lines.first - 1;
  const isUnmoved =
    above === 0 || (above <= file.lines.length && aboveHash === contentHash(file.bytesOf(1, above)));
  const firstDifference = known.findIndex((line, index) => line !== now[index]);
  const lastDifference = known.findLastIndex((line, index) => line !== now[index]);
  const hasOldEnd = lines === "all" && known.length === now.length;
  return (index) =>
    (isUnmoved && (firstDifference === -1 || index < firstDifference)) ||
    (hasOldEnd && index > lastDifference);
}

/** Returns for each old line whether the new line of the same number is the same one, by the fewest changes. */
function sameLines(known: readonly string[], now: readonly string[]): readonly boolean[] {
  const same = known.map(() => true);
  const runs = diffRuns(known, now);
  for (const [index, { oldStart, oldEnd, newStart, newEnd }] of runs.entries()) {
    const next = runs[index + 1]?.oldStart ?? known.length;
    same.fill(false, oldStart, newEnd === oldEnd ? oldEnd : next);
    // Among repeated lines, the lines that were added or removed may also be others.
    if (newStart === newEnd) slide(known, oldStart, oldEnd, (line) => same.fill(false, line, line + 1));
    else if (oldStart === oldEnd)
      slide(now, newStart, newEnd, (line) => {
        const old = line < newStart ? line - newStart + oldStart : line - newEnd + oldEnd;
        same.fill(false, old, old + 1);
      });
  }
  return same;
}

/** Calls `mark` for the lines above and below the run `start` to `end` that it could contain instead of its own. */
function slide(lines: readonly string[], start: number, end: number, mark: (line: number) => void): void {
  for (let up = 1; up <= start && lines[start - up] === lines[end - up]; up += 1) mark(start - up);
  for (let down = 0; end + down < lines.length && lines[start + down] === lines[end + down]; down += 1)
    mark(end + down);
}

/** Lines `start` up to `end`, counted from 0, become `newLines`. An insertion has no old lines. */
interface Replacement {
  readonly name: string;
  readonly start: number;
  readonly end: number;
  readonly newLines: readonly string[];
}

/** Returns the replacements in the order of the file, adjacent ones joined. Refuses edits that overlap. */
function replacementsOf({ source }: AnchoredFile, edits: readonly ParsedEdit[]): readonly Replacement[] {
  const sorted = edits
    .map(replacementOf)
    .sort((left, right) => left.start - right.start || left.end - right.end);
  const joined: Replacement[] = [];
  for (const [index, next] of sorted.entries()) {
    const previous = sorted[index - 1];
    // The order of two insertions at one position would be a guess.
    const isSamePosition =
      next.start === next.end && previous?.start === previous?.end && previous?.end === next.start;
    if (previous && (next.start < previous.end || isSamePosition))
      throw overlapping(source.path, previous.name, next.name, next.start);
    if (changesNoLine(source, next)) throw changesNothing(source.path, next.name);
    const last = joined.at(-1);
    if (last?.end !== next.start) joined.push(next);
    else
      joined[joined.length - 1] = { ...last, end: next.end, newLines: [...last.newLines, ...next.newLines] };
  }
  return joined;
}

function replacementOf({ op, name, from, to, newLines }: ParsedEdit): Replacement {
  if (op === "insert_before") return { name, start: from.line - 1, end: from.line - 1, newLines };
  if (op === "insert_after") return { name, start: from.line, end: from.line, newLines };
  return { name, start: from.line - 1, end: to.line, newLines };
}

function changesNoLine(source: Source, replacement: Replacement): boolean {
  const { start, end, newLines } = replacement;
  return (
    end - start === newLines.length &&
    newLines.every((line, index) => line === source.lines.text(start + index))
  );
}

function splicesOf(source: Source, replacement: Replacement): readonly Splice[] {
  const block = blockOf(source, replacement);
  const first = replacement.start - (isAfter(replacement) ? 1 : 0);
  refusePlaceholders(source, block, replacement.newLines.join("\n"));
  const start = source.lines.start(first);
  const end = source.lines.contentEnd(first + block.oldLines.length - 1);
  return rewrite(source, block, { tier: "exact", line: first, start, end });
}

/** Whether a replacement is an insertion after a line, not before the first one. */
function isAfter({ start, end }: Replacement): boolean {
  return start === end && start > 0;
}

/** Makes the block of a replacement. That of an insertion has the line above as its context, or the first line. */
function blockOf({ lines }: Source, replacement: Replacement): Block {
  const { name, start, end, newLines } = replacement;
  const texts = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => lines.text(from + index));
  const head = { name, hints: { headers: [] } };
  if (start < end) return wholeLinesBlock(head, texts(start, end), newLines);
  const at = isAfter(replacement) ? 1 : 0;
  const oldLines = texts(start - at, start - at + 1);
  const all = at === 1 ? [...oldLines, ...newLines] : [...newLines, ...oldLines];
  const run = { oldStart: at, oldEnd: at, newStart: at, newEnd: at + newLines.length };
  return { ...wholeLinesBlock(head, oldLines, all), runs: [run], isContext: () => true };
}

/** Refuses new lines that begin with a current anchor of the file, which the caller has copied by mistake. */
function refuseAnchors({ source: { path }, lines }: AnchoredFile, { name, newLines }: ParsedEdit): void {
  const copied = newLines.find((line) => {
    const anchor = /^\d{1,9}:[0-9a-z]{4}\|/.test(line) ? parseAnchor(line) : undefined;
    return (
      anchor && lines[anchor.line - 1] !== undefined && anchorHash(lines, anchor.line - 1) === anchor.hash
    );
  });
  if (copied === undefined) return;
  throw new ToolError(
    "invalid-input",
    `${path}: the text of ${name} contains anchors: ${copied.slice(0, 100)}`,
    {
      hint: "Give the new lines without anchors.",
    },
  );
}

/** This many lines are shown above and below the lines of a refusal. */
const margin = 3;

function around(line: number): Lines {
  return { first: line - margin, last: line + margin };
}

/** Makes the refusal of a stale edit, which shows current lines with anchors to send it again. */
function showingLines(file: AnchoredFile, reason: string, wanted: readonly Lines[]): ToolError {
  const { lines, source } = file;
  const { path } = source;
  const parts = joinLines(wanted, lines.length);
  const shown = parts.map((part) => showAnchored(lines, part).join("\n"));
  const message = [
    `${path}: ${reason}.`,
    ...(shown.length > 0 ? ["The current lines:", shown.join("\n…\n")] : []),
  ];
  return new ToolError("stale", message.join("\n"), {
    hint: "Nothing was written. Send the edit again with the current anchors, or give `expected_hash`.",
    details: {
      kind: "shows-lines",
      path,
      parts: parts.map(({ first, last }) => ({
        bytes: file.bytesOf(first, last),
        lines: { first, count: last - first + 1 },
        aboveHash: contentHash(file.bytesOf(1, first - 1)),
      })),
    },
  });
}
