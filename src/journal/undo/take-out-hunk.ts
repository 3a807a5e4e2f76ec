import { ToolError } from "../../contract/error.ts";
import type { EntryState } from "../../contract/history.ts";
import { byteLines, fromByteLines } from "../../edit/merge.ts";
import { counted } from "../../lib/counted.ts";
import type { Contents } from "./contents.ts";
import type { Net } from "./net-changes.ts";
import { showChange } from "./show-change.ts";

/** The net change of one file without all its hunks but one, so that undoing it takes back only that. */
export async function onlyHunk(net: Net, number: number, contents: Contents): Promise<Net> {
  const [piece, ...older] = net.pieces;
  if (piece === undefined || older.length > 0)
    throw notByHunk(net.path, "somebody else changed it between the calls");
  const { before, after } = piece;
  if (before.kind !== "file" || after.kind !== "file")
    throw notByHunk(net.path, "it was made, removed or replaced as a whole");
  const [old, recent] = await Promise.all([contents.peek(before), contents.peek(after)]);
  if (!(old instanceof Uint8Array && recent instanceof Uint8Array))
    throw notByHunk(net.path, "what it held is no longer kept, or is too large");
  const [oldLines, recentLines] = [byteLines(old), byteLines(recent)];
  if (!oldLines || !recentLines) throw notByHunk(net.path, "it is no text");
  const hunk = pickHunk(await showChange(net.path, before, after, contents), number, net.path);
  const lines = [
    ...recentLines.slice(0, hunk.newStart),
    ...oldLines.slice(hunk.oldStart, hunk.oldStart + hunk.oldCount),
    ...recentLines.slice(hunk.newStart + hunk.newCount),
  ];
  const wanted: EntryState = contents.add(fromByteLines(lines), after.mode);
  return { ...net, pieces: [{ ...piece, before: wanted }] };
}

interface Hunk {
  readonly oldStart: number;
  readonly oldCount: number;
  readonly newStart: number;
  readonly newCount: number;
}

/** By the very headers that are shown, so that the numbers mean the same. Lines are counted from 0. */
function pickHunk(diff: string, number: number, path: string): Hunk {
  const headers = [...diff.matchAll(/^@@ -(\d+),(\d+) \+(\d+),(\d+) @@/gm)];
  const header = headers[number - 1];
  if (header === undefined)
    throw new ToolError(
      "invalid-input",
      `${path} has ${counted(headers.length, "hunk")}, no hunk ${number}`,
      {
        hint: "See them with their numbers: journal.diff, or toolcrib diff.",
      },
    );
  const [oldFirst, oldCount, newFirst, newCount] = header.slice(1).map(Number) as [
    number,
    number,
    number,
    number,
  ];
  // A hunk without lines on one side names the line before it.
  const start = (first: number, count: number) => (count === 0 ? first : first - 1);
  return { oldStart: start(oldFirst, oldCount), oldCount, newStart: start(newFirst, newCount), newCount };
}

function notByHunk(path: string, why: string): ToolError {
  return new ToolError("unsupported", `${path} cannot be undone by hunks: ${why}`, {
    hint: "Undo the whole file.",
  });
}
