import type { Change, Document } from "./document.ts";

export interface HunkLine {
  readonly kind: "keep" | "remove" | "add";
  readonly text: string;
}

/** What a call contains for one position in the file. */
export interface Hunk {
  /** The true position of its first line, counted from 0. */
  readonly at: number;
  readonly lines: readonly HunkLine[];
}

export function oldLines({ lines }: Hunk): string[] {
  return lines.filter(({ kind }) => kind !== "add").map(({ text }) => text);
}

export function newLines({ lines }: Hunk): string[] {
  return lines.filter(({ kind }) => kind !== "remove").map(({ text }) => text);
}

/** The position after its last line. */
export function endOf(hunk: Hunk): number {
  return hunk.at + oldLines(hunk).length;
}

/** Positions of old lines in the file. Added lines have the position of the next old line. */
export function positions(hunk: Hunk): number[] {
  let next = hunk.at;
  return hunk.lines.map(({ kind }) => (kind === "add" ? next : next++));
}

export function mapLines(hunk: Hunk, change: (line: HunkLine, position: number) => string): Hunk {
  const at = positions(hunk);
  return {
    ...hunk,
    lines: hunk.lines.map((line, index) => ({ ...line, text: change(line, at[index]!) })),
  };
}

/** Whether a line is on both sides of a hunk, so that it is unclear which copy is the file's. */
export function isRepeated(hunk: Hunk, { kind, text }: HunkLine): boolean {
  return hunk.lines.some((line) => line.kind !== kind && line.text.trim() === text.trim());
}

export interface Cut {
  /** The minimum number of lines shown before and after a change. */
  readonly context: number;
  /** Whether the lines from..to identify one position. Context grows until they do. */
  readonly isUnique: (document: Document, from: number, to: number) => boolean;
}

/** Makes hunks around changes. Returns undefined when a few lines do not identify a position. */
export function cutHunks(
  document: Document,
  changes: readonly Change[],
  { context, isUnique }: Cut,
): Hunk[] | undefined {
  const windows: { from: number; to: number; changes: Change[] }[] = [];
  for (const change of changes) {
    const window = growWindow(document, change, context, isUnique);
    if (!window) return undefined;
    const last = windows.at(-1);
    if (last && window.from <= last.to) {
      last.to = Math.max(last.to, window.to);
      last.changes.push(change);
    } else windows.push({ ...window, changes: [change] });
  }
  return windows.map((window) => hunkOf(document, window.changes, window.from, window.to));
}

const maxContext = 10;

function growWindow(document: Document, change: Change, context: number, isUnique: Cut["isUnique"]) {
  for (let size = context; size <= maxContext; size++) {
    const from = Math.max(0, change.at - size);
    const to = Math.min(document.lines.length, change.at + change.removed.length + size);
    if (to > from && isUnique(document, from, to)) return { from, to };
  }
  return undefined;
}

/** The lines from..to of a document, with the changes inside them. */
export function hunkOf(document: Document, changes: readonly Change[], from: number, to: number): Hunk {
  const lines: HunkLine[] = [];
  let next = from;
  const keepUntil = (stop: number) => {
    for (; next < stop; next++) lines.push({ kind: "keep", text: document.lines[next]! });
  };
  for (const { at, removed, added } of changes) {
    keepUntil(at);
    lines.push(...removed.map((text) => ({ kind: "remove" as const, text })));
    lines.push(...added.map((text) => ({ kind: "add" as const, text })));
    next = at + removed.length;
  }
  keepUntil(to);
  return { at: from, lines };
}
