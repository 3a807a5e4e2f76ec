import { ToolError } from "../../contract/error.ts";
import type { Change } from "../edit-request.ts";
import { looser, type TierName } from "../match/tiers.ts";
import type { LineTable, Source } from "../source.ts";
import type { Splice } from "./rewrite.ts";

interface NamedSplice extends Splice {
  readonly name: string;
}

/** Applies all splices at once; every other byte stays. Throws when splices overlap or nothing changes. */
export function applySplices(
  before: Uint8Array,
  { text, path, lines }: Source,
  splices: readonly NamedSplice[],
): Uint8Array {
  const sorted = [...splices].sort((left, right) => left.start - right.start || left.end - right.end);
  const parts: Uint8Array[] = [];
  let kept = 0;
  let previous: NamedSplice | undefined;
  for (const splice of sorted) {
    if (previous && overlap(previous, splice)) {
      throw overlapping(path, previous.name, splice.name, lines.lineAt(splice.start));
    }
    if (splice.end < splice.start) throw new ToolError("internal", `${path}: a change ends before it begins`);
    const start = text.fileOffset(splice.start);
    parts.push(before.subarray(kept, start), text.encode(splice.text));
    kept = splice.end === splice.start ? start : text.fileOffset(splice.end);
    previous = splice;
  }
  const after = Buffer.concat([...parts, before.subarray(kept)]);
  if (after.length === before.length && after.equals(before))
    throw changesNothing(path, "all changes together");
  return after;
}

/** Returns a note with the encoding of new letters, if it is a guess. */
export function encodingNotes({ text: { guess } }: Source, splices: readonly Splice[]): readonly string[] {
  const hasLetters = splices.some(({ text }) => /[^\0-\x7f\uf780-\uf7ff]/.test(text));
  return guess && hasLetters ? [`the file is not valid UTF-8; new letters were written as ${guess}`] : [];
}

export function changesNothing(path: string, name: string): ToolError {
  return new ToolError("invalid-input", `${path}: ${name} would change nothing`, {
    hint: "Give new text that differs from the old.",
  });
}

export function overlapping(path: string, first: string, second: string, line: number): ToolError {
  const message = `${path}: ${first} and ${second} change the same text at line ${line + 1}`;
  const hint = "Combine both changes: all changes of a call apply to the original file.";
  return new ToolError("invalid-input", message, { hint });
}

/** Whether splices overlap. Two insertions at one position do too, because their order would be a guess. */
function overlap(first: Splice, second: Splice): boolean {
  return second.start < first.end || (second.start === first.start && second.end === first.end);
}

/** Returns the lines that the splices touch, in file order. */
export function changesOf(
  source: Source,
  splices: readonly (Splice & { readonly tier: TierName })[],
): readonly Change[] {
  const changes: Change[] = [];
  for (const splice of [...splices].sort((left, right) => left.start - right.start)) {
    const change = changeOf(source, splice, splice.tier);
    const last = changes.at(-1);
    const sharesLine = last !== undefined && change.firstLine < last.firstLine + last.removedLines;
    if (sharesLine) changes[changes.length - 1] = join(last, change);
    else changes.push(change);
  }
  return changes;
}

function join(earlier: Change, later: Change): Change {
  return {
    firstLine: earlier.firstLine,
    removedLines: earlier.removedLines + later.removedLines - 1,
    addedLines: earlier.addedLines + Math.max(0, later.addedLines - 1),
    tier: looser(earlier.tier, later.tier),
  };
}

/** Returns the lines that a splice touches. A partly touched line counts as a whole. */
function changeOf({ lines, utf8 }: Source, { start, end, text }: Splice, tier: TierName): Change {
  const lineOf = (offset: number) => (offset < utf8.length ? lines.lineAt(offset) : lineAtEnd(lines));
  const first = lineOf(start);
  const last = lineOf(end);
  const keepsStart = start > lines.start(first);
  const closesLine = text === "" ? !keepsStart : endsLine(text);
  const isWhole = end === lines.start(last) && closesLine;
  const after = isWhole || lines.start(last) === utf8.length ? last : last + 1;
  // Of the rest of the last line only its end is read, because the line may be huge.
  const rest = text + utf8.slice(Math.max(end, lines.start(after) - 2), lines.start(after));
  const isUnclosed = (rest !== "" || keepsStart) && !endsLine(rest);
  const addedLines = countLineEnds(rest, lines) + (isUnclosed ? 1 : 0);
  return { firstLine: first + 1, removedLines: after - first, addedLines, tier };
}

function endsLine(text: string): boolean {
  return text.endsWith("\n") || text.endsWith("\r");
}

function countLineEnds(text: string, { breaks }: LineTable): number {
  return text.split(breaks === "any" && text.includes("\r") ? /\r\n|\n|\r/ : "\n").length - 1;
}

/** Returns the line at the end of the text: the last one, or the next if the last one has a line end. */
function lineAtEnd(lines: LineTable): number {
  return lines.count > 0 && lines.lineEnd(lines.count - 1) === "" ? lines.count - 1 : lines.count;
}

/** Shortens a splice by the whole lines at the start and end of `old` that stay the same. */
export function trimLines(old: string, { start, end, text }: Splice): Splice {
  const shorter = Math.min(old.length, text.length);
  let head = 0;
  for (let at = 0; at < shorter && old.charCodeAt(at) === text.charCodeAt(at); at += 1) {
    if (old.charCodeAt(at) === 10) head = at + 1;
  }
  let tail = 0;
  const last = shorter - head;
  const isSame = (at: number) => old.charCodeAt(old.length - at) === text.charCodeAt(text.length - at);
  for (let at = 1; at <= last && isSame(at); at += 1) {
    if (old.charCodeAt(old.length - at) === 10) tail = at - 1;
  }
  return {
    start: start + Buffer.byteLength(old.slice(0, head)),
    end: end - Buffer.byteLength(old.slice(old.length - tail)),
    text: text.slice(head, text.length - tail),
  };
}
