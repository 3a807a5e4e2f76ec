import { errorWith, ToolError } from "../../contract/error.ts";
import type { PreviewContext, SeenPart } from "../../contract/tool.ts";
import { diffRuns } from "../../edit/diff-runs.ts";
import { asBuffer, containsBytes } from "../../lib/bytes/bytes.ts";
import { byteOrderMarkLength, decodeText, encodingOf } from "../../lib/text/encoding.ts";
import { listLines, showRuns } from "./show-lines.ts";

/** Describes how a file differs from the content that the caller last saw. */
export interface Drift {
  /** The changed lines by their current numbers: "line 3", "lines 4-6 and 20". */
  readonly at: string;
  readonly diff: string;
}

export async function driftSince(
  path: string,
  bytes: Uint8Array,
  { seen }: PreviewContext,
): Promise<Drift | undefined> {
  return driftOf(await seen.recall(path), bytes);
}

/** Compares content, not times. Returns undefined if all seen lines still exist, even at other numbers. */
export function driftOf(seen: readonly SeenPart[], present: Uint8Array): Drift | undefined {
  const bytes = asBuffer(present).subarray(byteOrderMarkLength(present));
  const outdated = seen.filter((part) =>
    part.lines === "all" ? !bytes.equals(part.bytes) : !containsBytes(bytes, part.bytes),
  );
  if (outdated.length === 0) return undefined;
  const decode = decoderFor(present);
  const now = linesOf(decode(bytes));
  const known = asKnown(outdated, now, decode);
  const runs = diffRuns(known, now);
  if (runs.length === 0) return undefined;
  const spans = runs.map(({ newStart, newEnd }) => ({
    first: newStart + 1,
    last: Math.max(newEnd, newStart + 1),
  }));
  return { at: listLines(spans), diff: showRuns(known, now, runs) };
}

/** Returns the lines of the file as the caller knows it: the current lines, except those that the caller saw. */
function asKnown(
  outdated: readonly SeenPart[],
  now: readonly string[],
  decode: (bytes: Uint8Array) => string,
): readonly string[] {
  const [first] = outdated;
  if (first?.lines === "all") return linesOf(decode(first.bytes));
  return outdated.reduceRight<readonly string[]>((known, part) => {
    const lines = linesOf(decode(part.bytes));
    const positions = uniqueLines(lines, now);
    const { start, end } = spanIn(lines, part.lines === "all" ? 0 : part.lines.first - 1, positions);
    return [...known.slice(0, start), ...lines, ...known.slice(end)];
  }, now);
}

/** Returns the positions of lines that occur once in the file, or -1 for lines that occur more often. */
function uniqueLines(lines: readonly string[], now: readonly string[]): ReadonlyMap<string, number> {
  const wanted = new Set(lines);
  const positions = new Map<string, number>();
  for (let index = 0; index < now.length; index += 1) {
    const line = now[index]!;
    if (wanted.has(line)) positions.set(line, positions.has(line) ? -1 : index);
  }
  return positions;
}

function spanIn(
  lines: readonly string[],
  first: number,
  positions: ReadonlyMap<string, number>,
): { start: number; end: number } {
  const isUnique = (line: string) => (positions.get(line) ?? -1) >= 0;
  const head = lines.findIndex(isUnique);
  const tail = lines.findLastIndex(isUnique);
  const start = head === -1 ? first : Math.max(0, positions.get(lines[head]!)! - head);
  const end = tail === -1 ? first + lines.length : positions.get(lines[tail]!)! + lines.length - tail;
  return start <= end ? { start, end } : { start: first, end: first + lines.length };
}

function decoderFor(file: Uint8Array): (bytes: Uint8Array) => string {
  const detected = encodingOf(file);
  const encoding = detected === "binary" ? "latin1" : detected;
  return (bytes) => decodeText(bytes, encoding).text;
}

function linesOf(text: string): readonly string[] {
  const lines: string[] = [];
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf("\n", start) + 1 || text.length;
    lines.push(text.slice(start, end));
    start = end;
  }
  return lines;
}

/** Adds the changes since the caller last saw the file, because the edit may have fitted the old content. */
export async function explainMiss(
  error: unknown,
  { path, bytes }: { readonly path: string; readonly bytes: Uint8Array },
  context: PreviewContext,
): Promise<unknown> {
  if (!(error instanceof ToolError) || !misses.has(error.code)) return error;
  const drift = await driftSince(path, bytes, context);
  if (!drift) return error;
  return errorWith(error, {
    message: `${error.message}\n${path} has changed since you last saw it, at ${drift.at}:\n${drift.diff}`,
  });
}

const misses: ReadonlySet<string> = new Set(["no-match", "ambiguous-match", "stale"]);
