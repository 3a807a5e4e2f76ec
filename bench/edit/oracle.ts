import { type Change, type Document, textOf } from "./document.ts";
import { type Hunk, newLines, oldLines } from "./hunk.ts";
import type { Form } from "./task.ts";

/**
 * Decides whether a call has one right answer. Independent of the engines: it ignores far more differences than any
 * of them may, so that a position which is unique for the oracle is unique for every reading of the call.
 */
export function isAlone(document: Document, from: number, to: number, form: Form): boolean {
  const { folded, foldedText } = blurred(document);
  const wanted = folded.slice(from, to);
  if (wanted.join("").length < 6) return false;
  if (form === "edit") return countIn(foldedText, wanted.join("\n")) === 1;
  return countWindows(folded, wanted) === 1;
}

/** The same without tolerance, for calls without a mistake. */
export function isAloneExactly(document: Document, from: number, to: number, form: Form): boolean {
  const wanted = document.lines.slice(from, to);
  if (form === "edit") return countIn(blurred(document).text, wanted.join("\n")) === 1;
  return countWindows(document.lines, wanted) === 1;
}

/**
 * Whether the call, taken literally, means other changes, because its damaged lines occur in the file. Then there are
 * two right answers, and the task is dropped.
 */
export function misleads(
  document: Document,
  changes: readonly Change[],
  hunks: readonly Hunk[],
  form: Form,
): boolean {
  return hunks.some((hunk) => {
    const old = oldLines(hunk);
    const { text } = blurred(document);
    const found = form === "edit" ? countIn(text, old.join("\n")) : countWindows(document.lines, old);
    if (found === 0) return false;
    if (found > 1) return true;
    const truth = truthOf(document, changes, hunk);
    if (form !== "edit") return newLines(hunk).join("\n") !== truth.join("\n");
    const literal = text.replace(old.join("\n"), () => newLines(hunk).join("\n"));
    const after = [...document.lines];
    after.splice(hunk.at, old.length, ...truth);
    return literal !== textOf({ ...document, lines: after });
  });
}

/** The real result for the lines of a hunk. */
function truthOf(document: Document, changes: readonly Change[], hunk: Hunk): string[] {
  const end = hunk.at + oldLines(hunk).length;
  const lines: string[] = [];
  let next = hunk.at;
  for (const { at, removed, added } of changes) {
    if (at < hunk.at || at + removed.length > end) continue;
    lines.push(...document.lines.slice(next, at), ...added);
    next = at + removed.length;
  }
  return [...lines, ...document.lines.slice(next, end)];
}

/** Whether none of the hunks can be found, whatever is tolerated. */
export function isAbsent(document: Document, hunks: readonly Hunk[], form: Form): boolean {
  const { folded, foldedText } = blurred(document);
  return hunks.every((hunk) => {
    const old = oldLines(hunk).map(fold);
    return form === "edit" ? !foldedText.includes(old.join("\n")) : countWindows(folded, old) === 0;
  });
}

/**
 * Counts the windows of a document that contain at least `least` of the normalized lines at from..to, including
 * itself.
 */
export function countLookalikes(document: Document, from: number, to: number, least: number): number {
  const { folded } = blurred(document);
  const wanted = folded.slice(from, to);
  let count = 0;
  for (let start = 0; start + wanted.length <= folded.length; start++) {
    let equal = 0;
    for (let index = 0; index < wanted.length; index++) {
      if (folded[start + index] === wanted[index]) equal++;
    }
    if (equal >= least) count++;
  }
  return count;
}

/** A line without blanks and backslashes, with plain quotes, dashes and dots. */
export function fold(line: string): string {
  const bare = line.replace(/[\s\\]/g, "");
  if (/^[\0-\x7f]*$/.test(bare)) return bare;
  return bare
    .normalize("NFKC")
    .replace(/[\u200b\ufeff]/gu, "")
    .replace(/[\u2018-\u201b\u2032\u00b4]/g, "'")
    .replace(/[\u201c-\u201f\u2033\u00ab\u00bb]/g, '"')
    .replace(/\p{Pd}|\u2212/gu, "-")
    .replaceAll("…", "...");
}

/** The positions of lines in others, line by line. */
export function findWindows(lines: readonly string[], wanted: readonly string[]): number[] {
  const found: number[] = [];
  for (
    let at = lines.indexOf(wanted[0]!);
    at !== -1 && at + wanted.length <= lines.length;
    at = lines.indexOf(wanted[0]!, at + 1)
  ) {
    if (wanted.every((line, index) => lines[at + index] === line)) found.push(at);
  }
  return found;
}

/** Counts the occurrences of a text in another, including overlapping ones. */
export function countIn(text: string, wanted: string): number {
  if (wanted === "") return text.length + 1;
  let count = 0;
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1)) count++;
  return count;
}

function countWindows(lines: readonly string[], wanted: readonly string[]): number {
  return findWindows(lines, wanted).length;
}

interface Blurred {
  readonly text: string;
  readonly folded: readonly string[];
  readonly foldedText: string;
}

const known = new WeakMap<Document, Blurred>();

function blurred(document: Document): Blurred {
  let found = known.get(document);
  if (!found) {
    const folded = document.lines.map(fold);
    found = { text: textOf(document), folded, foldedText: textOf({ ...document, lines: folded }) };
    known.set(document, found);
  }
  return found;
}
