import { detectEncoding, detectionBytes, detectUtf16 } from "../lib/text/encoding.ts";
import { diffRuns, type Run } from "./diff-runs.ts";

type ContentMerge =
  | { readonly kind: "merged"; readonly content: Uint8Array }
  | { readonly kind: "collides"; readonly collisions: readonly Collision[] }
  /** One of the three contents is binary. */
  | { readonly kind: "binary" };

/** Applies the change from `base` to `theirs` to `ours`, byte for byte. */
export function mergeContents(base: Uint8Array, ours: Uint8Array, theirs: Uint8Array): ContentMerge {
  const [baseLines, ourLines, theirLines] = [base, ours, theirs].map(byteLines);
  if (!baseLines || !ourLines || !theirLines) return { kind: "binary" };
  const merge = mergeLines(baseLines, ourLines, theirLines);
  return merge.clean
    ? { kind: "merged", content: fromByteLines(merge.lines) }
    : { kind: "collides", collisions: merge.collisions };
}

/** Returns the lines of a file with their ends, one character per byte; undefined for binary content. */
export function byteLines(content: Uint8Array): readonly string[] | undefined {
  const head = content.subarray(0, detectionBytes);
  if (detectEncoding(head, { complete: head.length === content.length }) === "binary") return undefined;
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString("latin1");
  const utf16 = detectUtf16(head);
  if (utf16) return splitAfter(bytes, utf16 === "utf-16le" ? "\n\0" : "\0\n", 2);
  // A lone carriage return ends a line only in files without line feeds.
  return splitAfter(bytes, bytes.includes("\n") ? "\n" : "\r", 1);
}

export function fromByteLines(lines: readonly string[]): Uint8Array {
  return Buffer.from(lines.join(""), "latin1");
}

/** Splits after each line end at a multiple of `step`, the smallest character size in bytes. */
function splitAfter(bytes: string, lineEnd: string, step: 1 | 2): readonly string[] {
  const lines: string[] = [];
  let start = 0;
  for (let at = bytes.indexOf(lineEnd); at !== -1; at = bytes.indexOf(lineEnd, at + 1)) {
    if (at % step !== 0) continue;
    lines.push(bytes.slice(start, at + lineEnd.length));
    start = at + lineEnd.length;
  }
  if (start < bytes.length) lines.push(bytes.slice(start));
  return lines;
}

export interface Collision {
  readonly base: readonly string[];
  readonly ours: readonly string[];
  readonly theirs: readonly string[];
  /** The line in `ours` where the collision begins, counted from 1. */
  readonly line: number;
}

type Merge =
  | { readonly clean: true; readonly lines: readonly string[] }
  | { readonly clean: false; readonly collisions: readonly Collision[] };

/** Applies the changes from `base` to `theirs` to `ours`. Different changes that touch or overlap collide. */
function mergeLines(base: readonly string[], ours: readonly string[], theirs: readonly string[]): Merge {
  // The parts are joined at the end, because a file may have more lines than `push` takes arguments.
  const parts: (readonly string[])[] = [];
  const collisions: Collision[] = [];
  let kept = 0;
  for (const { start, end, our, their } of regionsOf(diffRuns(base, ours), diffRuns(base, theirs))) {
    parts.push(base.slice(kept, start));
    const before = base.slice(start, end);
    const mine = ours.slice(our.start, our.end);
    const other = theirs.slice(their.start, their.end);
    if (isAlike(mine, before) || isAlike(mine, other)) parts.push(other);
    else if (isAlike(other, before)) parts.push(mine);
    else collisions.push({ base: before, ours: mine, theirs: other, line: our.start + 1 });
    kept = end;
  }
  parts.push(base.slice(kept));
  return collisions.length > 0 ? { clean: false, collisions } : { clean: true, lines: parts.flat() };
}

/** Lines of the base that one or both sides changed, and the lines of both sides. */
interface Region {
  readonly start: number;
  readonly end: number;
  readonly our: Side;
  readonly their: Side;
}

interface Side {
  readonly start: number;
  readonly end: number;
}

function regionsOf(ours: readonly Run[], theirs: readonly Run[]): readonly Region[] {
  const spans: { readonly start: number; end: number }[] = [];
  const runs = [...ours, ...theirs].sort((left, right) => left.oldStart - right.oldStart);
  for (const { oldStart, oldEnd } of runs) {
    const last = spans.at(-1);
    if (last && oldStart <= last.end) last.end = Math.max(last.end, oldEnd);
    else spans.push({ start: oldStart, end: oldEnd });
  }
  const our = sideOf(ours);
  const their = sideOf(theirs);
  return spans.map(({ start, end }) => ({ start, end, our: our(start, end), their: their(start, end) }));
}

/** Returns a function from spans of the base to the lines of one side. Its spans must come in order. */
function sideOf(runs: readonly Run[]): (start: number, end: number) => Side {
  let next = 0;
  let growth = 0;
  return (start, end) => {
    const first = start + growth;
    for (let run = runs[next]; run && run.oldEnd <= end; run = runs[next]) {
      growth += run.newEnd - run.newStart - (run.oldEnd - run.oldStart);
      next += 1;
    }
    return { start: first, end: end + growth };
  };
}

function isAlike(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((line, index) => line === right[index]);
}
