import type { Document, Line, LineEnd, Revision } from "./documents.ts";
import type { Hunk, HunkLine } from "./modification.ts";

/** Adjacent lines that are replaced. Both sides may be empty; then nothing changes there. */
interface Turn {
  /** The first old line, counted from 0. */
  readonly start: number;
  readonly removed: readonly Line[];
  readonly added: readonly string[];
}

/**
 * Returns the expected document. A new line ends like the line it replaces, else like the line above; the presence of
 * a final line end does not change.
 */
export function revised({ document, steps, appended }: Revision): Document {
  const { lines } = document;
  const after: Line[] = [];
  let kept = 0;
  for (const { start, removed, added } of turnsOf({ document, steps, appended })) {
    after.push(...lines.slice(kept, start));
    for (const [index, text] of added.entries()) {
      const replaced = removed.length === 0 ? start - 1 : start + Math.min(index, removed.length - 1);
      after.push({ text, end: lineEndNear(lines, Math.max(0, replaced)) });
    }
    kept = start + removed.length;
  }
  after.push(...lines.slice(kept));
  const isOpen = lines.at(-1)?.end === "";
  return {
    ...document,
    lines: after.map(({ text, end }, index) => {
      if (index === after.length - 1 && isOpen) return { text, end: "" };
      return { text, end: end === "" ? lineEndNear(lines, lines.length - 1) : end };
    }),
  };
}

/** Returns the revision as hunks with this many context lines. */
export function hunksOfRevision(revision: Revision, context: number): readonly Hunk[] {
  const { lines } = revision.document;
  const hunks: { start: number; end: number; lines: HunkLine[] }[] = [];
  for (const { start, removed, added } of turnsOf(revision)) {
    let hunk = hunks.at(-1);
    if (!hunk || start - context > hunk.end + context) {
      closeHunk(hunk, lines, context);
      const first = Math.max(0, start - context);
      hunk = { start: first, end: first, lines: [] };
      hunks.push(hunk);
    }
    for (const { text } of lines.slice(hunk.end, start)) hunk.lines.push({ sign: " ", text });
    for (const { text } of removed) hunk.lines.push({ sign: "-", text });
    for (const text of added) hunk.lines.push({ sign: "+", text });
    hunk.end = start + removed.length;
  }
  closeHunk(hunks.at(-1), lines, context);
  return hunks;
}

function closeHunk(
  hunk: { readonly end: number; readonly lines: HunkLine[] } | undefined,
  lines: readonly Line[],
  context: number,
): void {
  if (!hunk) return;
  for (const { text } of lines.slice(hunk.end, hunk.end + context)) hunk.lines.push({ sign: " ", text });
}

function turnsOf({ document, steps, appended }: Revision): readonly Turn[] {
  const turns: { start: number; removed: Line[]; added: string[] }[] = [];
  const at = (line: number) => {
    const last = turns.at(-1);
    if (last && last.start + last.removed.length === line) return last;
    const turn = { start: line, removed: [], added: [] };
    turns.push(turn);
    return turn;
  };
  for (const [index, { inserted, becomes }] of steps.entries()) {
    if (inserted.length > 0) at(index).added.push(...inserted);
    if (becomes === "itself") continue;
    const turn = at(index);
    turn.removed.push(document.lines[index]!);
    turn.added.push(...becomes);
  }
  if (appended.length > 0) at(steps.length).added.push(...appended);
  return turns;
}

function lineEndNear(lines: readonly Line[], from: number): LineEnd {
  return lines.slice(0, from + 1).findLast(({ end }) => end !== "")?.end ?? "\n";
}
