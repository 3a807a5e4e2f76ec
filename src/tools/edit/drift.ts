import type { SeenPart, ToolContext } from "../../contract/tool.ts";
import { asBuffer } from "../../text/as-buffer.ts";
import { diffRuns, type Run } from "../../text/edit/diff-runs.ts";
import { showDiff } from "../../text/edit/show-diff.ts";
import { byteOrderMarkLength, decodeText, detectEncoding, detectionBytes } from "../../text/encoding.ts";
import { boundDiff, listLines } from "./show-lines.ts";

/** How a file differs from what the caller last saw of it. */
export interface Drift {
  /** The lines as they are now: "line 3", "lines 4-6 and 20". */
  readonly at: string;
  readonly diff: string;
}

/** How a file that holds `bytes` differs from what this caller last saw. */
export async function driftSince(
  path: string,
  bytes: Uint8Array,
  { seen }: ToolContext,
): Promise<Drift | undefined> {
  return driftOf(path, await seen.recall(path), bytes);
}

/** Undefined when all that was seen is still there; lines that only moved are. Compares content, never times. */
export function driftOf(path: string, seen: readonly SeenPart[], present: Uint8Array): Drift | undefined {
  const bytes = asBuffer(present).subarray(byteOrderMarkLength(present));
  const outdated = seen.filter((part) =>
    part.lines === "all" ? !bytes.equals(part.bytes) : !bytes.includes(asBuffer(part.bytes)),
  );
  if (outdated.length === 0) return undefined;
  const decode = decoderFor(present);
  const now = linesOf(decode(bytes));
  const known = asKnown(outdated, now, decode);
  const runs = diffRuns(known, now);
  return runs.length === 0
    ? undefined
    : { at: listLines(runs.map(toRange)), diff: show(path, known, now, runs) };
}

/** The file as the caller knows it: what is there now, with the lines it saw in place of what they have become. */
function asKnown(
  outdated: readonly SeenPart[],
  now: readonly string[],
  decode: (bytes: Uint8Array) => string,
): readonly string[] {
  const places = placesOf(now);
  return outdated.reduceRight<readonly string[]>((known, part) => {
    const lines = linesOf(decode(part.bytes));
    if (part.lines === "all") return lines;
    const { start, end } = whereabouts(lines, part.lines.first - 1, places);
    return [...known.slice(0, start), ...lines, ...known.slice(end)];
  }, now);
}

/** Where lines stand that are there only once; they tell where others have been. */
function placesOf(lines: readonly string[]): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  for (const [index, line] of lines.entries()) places.set(line, places.has(line) ? -1 : index);
  return places;
}

function whereabouts(
  lines: readonly string[],
  first: number,
  places: ReadonlyMap<string, number>,
): { start: number; end: number } {
  const isTelling = (line: string) => (places.get(line) ?? -1) >= 0;
  const head = lines.findIndex(isTelling);
  const tail = lines.findLastIndex(isTelling);
  const start = head === -1 ? first : Math.max(0, places.get(lines[head]!)! - head);
  const end = tail === -1 ? first + lines.length : places.get(lines[tail]!)! + lines.length - tail;
  return start <= end ? { start, end } : { start: first, end: first + lines.length };
}

function show(path: string, known: readonly string[], now: readonly string[], runs: readonly Run[]): string {
  const changes = runs.map((run) => ({
    firstLine: run.oldStart + 1,
    removedLines: run.oldEnd - run.oldStart,
    addedLines: run.newEnd - run.newStart,
    tier: "exact" as const,
  }));
  const [before, after] = [Buffer.from(known.join("")), Buffer.from(now.join(""))];
  return boundDiff(showDiff({ action: "update", path, before, after, changes, notes: [] }, { context: 1 }));
}

function toRange({ newStart, newEnd }: Run): { first: number; last: number } {
  return { first: newStart + 1, last: Math.max(newEnd, newStart + 1) };
}

function decoderFor(file: Uint8Array): (bytes: Uint8Array) => string {
  const head = file.subarray(0, detectionBytes);
  const detected = detectEncoding(head, { complete: head.length === file.length });
  const encoding = detected === "binary" ? "latin1" : detected;
  return (bytes) => decodeText(bytes, encoding).text;
}

function linesOf(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}
