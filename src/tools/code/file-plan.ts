import { diffRuns } from "../../edit/diff-runs.ts";
import type { FilePlan } from "../../edit/edit-request.ts";
import type { Splice } from "../../edit/rewrite/rewrite.ts";
import { applySplices, changesOf, encodingNotes } from "../../edit/rewrite/splice.ts";
import { refuseHalfCharacters } from "../../edit/source.ts";
import type { CodeFile } from "./code-file.ts";

/** Plans to change a file's text to `after`. Only the differences are written, in the file's encoding. */
export function filePlan({
  file,
  after,
  notes,
}: {
  readonly file: Omit<CodeFile, "outline">;
  readonly after: string;
  readonly notes: readonly string[];
}): FilePlan & { readonly action: "update" } {
  const { path, source, bytes } = file;
  const splices = splicesBetween(file.text, after);
  for (const { text } of splices) refuseHalfCharacters(text);
  return {
    action: "update",
    path,
    before: bytes,
    after: applySplices(
      bytes,
      source,
      splices.map((splice) => ({ ...splice, name: "the new code" })),
    ),
    changes: changesOf(
      source,
      splices.map((splice) => ({ ...splice, tier: "exact" as const })),
    ),
    notes: [...notes, ...encodingNotes(source, splices)],
  };
}

function splicesBetween(before: string, after: string): readonly Splice[] {
  const [old, recent] = [linesOf(before), linesOf(after)];
  const oldStarts = startsOf(old);
  const newStarts = startsOf(recent);
  let units = 0;
  let bytes = 0;
  const toBytes = (offset: number) => {
    bytes += Buffer.byteLength(before.slice(units, offset));
    units = offset;
    return bytes;
  };
  return diffRuns(old, recent).map((run) => {
    const removed = before.slice(oldStarts[run.oldStart], oldStarts[run.oldEnd]);
    const added = after.slice(newStarts[run.newStart], newStarts[run.newEnd]);
    const { head, tail } = alike(removed, added);
    const start = toBytes(oldStarts[run.oldStart]! + head);
    const end = toBytes(oldStarts[run.oldEnd]! - tail);
    return { start, end, text: added.slice(head, added.length - tail) };
  });
}

function linesOf(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function startsOf(lines: readonly string[]): readonly number[] {
  const starts = [0];
  for (const line of lines) starts.push(starts.at(-1)! + line.length);
  return starts;
}

/** Counts the UTF-16 units that are equal at the start and at the end, without splitting characters and line ends. */
function alike(one: string, other: string): { readonly head: number; readonly tail: number } {
  const shorter = Math.min(one.length, other.length);
  let head = 0;
  while (head < shorter && one[head] === other[head]) head += 1;
  if (head > 0 && /[\ud800-\udbff\r]/.test(one[head - 1]!)) head -= 1;
  let tail = 0;
  while (tail < shorter - head && one.at(-1 - tail) === other.at(-1 - tail)) tail += 1;
  if (tail > 0 && /[\udc00-\udfff\n]/.test(one.at(-tail)!)) tail -= 1;
  return { head, tail };
}
